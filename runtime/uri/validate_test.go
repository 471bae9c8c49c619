package uri_test

import (
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/uri"
)

// A program can set what no connection string can.
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
			`compressors: "lzma" is not a compressor`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := uri.ParseWith("mongodb://localhost", &tt.over)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			failure, ok := errors.AsType[*fault.URIError](err)
			if !ok || failure.Reason != tt.want {
				t.Errorf("got %v, want the reason %q", err, tt.want)
			}
		})
	}
}
