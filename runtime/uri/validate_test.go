package uri_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/uri"
)

// A program can set values that no connection string can hold, so they are checked, too.
func TestValuesOfAProgramAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		over options.Client
		want string // the reason, "" when the options are good
	}{
		{"w is a number", options.Client{WriteConcern: &options.WriteConcern{W: 2}}, ""},
		{"w is a tag", options.Client{WriteConcern: &options.WriteConcern{W: "majority"}}, ""},
		{"w is negative", options.Client{WriteConcern: &options.WriteConcern{W: -1}}, "write concern: w is -1"},
		{"w is of another type", options.Client{WriteConcern: &options.WriteConcern{W: []int{1}}},
			"write concern: w is a []int, not an int or a string"},
		{"wtimeout is negative", options.Client{WriteConcern: &options.WriteConcern{WTimeout: new(-time.Second)}},
			"write concern: wtimeout is -1s"},
		{"known compressors", options.Client{Compressors: []string{"zstd", "snappy"}}, ""},
		{"an unknown compressor", options.Client{Compressors: []string{"zstd", "lzma"}},
			`compressors: "lzma" is not a compressor; snappy, zlib and zstd are`},
		{"the compressor for tests", options.Client{Compressors: []string{"noop"}},
			`compressors: "noop" is not a compressor; snappy, zlib and zstd are`},
		{"a version of the stable API", options.Client{ServerAPI: &options.ServerAPI{Version: options.ServerAPIVersion1}}, ""},
		{"an unknown version of the stable API", options.Client{ServerAPI: &options.ServerAPI{Version: "2"}},
			`ServerAPI: the Version "2" is not a version of the stable API that this driver knows; "1" is`},
		{"no version of the stable API", options.Client{ServerAPI: &options.ServerAPI{Strict: new(true)}},
			`ServerAPI: the Version "" is not a version of the stable API that this driver knows; "1" is`},
		{"the default tag sets", options.Client{ReadPreference: &options.ReadPreference{TagSets: []options.TagSet{{}}}}, ""},
		{"a tag behind them", options.Client{ReadPreference: &options.ReadPreference{TagSets: []options.TagSet{{}, {{Name: "dc", Value: "ny"}}}}},
			"readPreferenceTags cannot be used with read preference primary"},
		{"no maximum staleness", options.Client{ReadPreference: &options.ReadPreference{MaxStaleness: new(-time.Second)}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := uri.ParseWith("mongodb://localhost", &tt.over)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			failure, ok := errors.AsType[fault.OptionError](err)
			if !ok || failure.Reason != tt.want {
				t.Errorf("got %v, want the reason %q", err, tt.want)
			}
		})
	}
}

// An error says where the mistake is: in the connection string, or in the program's settings.
func TestErrorsNameTheirOrigin(t *testing.T) {
	for _, tt := range []struct {
		name, uri string
		over      options.Client
		want      string
	}{
		{"the string alone", "mongodb://a,b/?directConnection=true", options.Client{}, "uri: directConnection=true needs"},
		{"the string with other options", "mongodb://a,b/?directConnection=true", options.Client{AppName: new("shop")},
			"uri: directConnection=true needs"},
		{"the options alone", "mongodb://a", options.Client{ZlibLevel: new(77)}, "options: ZlibLevel"},
		{"both together", "mongodb://a,b", options.Client{DirectConnection: new(true)}, "options: directConnection=true needs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := uri.ParseWith(tt.uri, &tt.over)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want it to begin with %q", err, tt.want)
			}
		})
	}
}
