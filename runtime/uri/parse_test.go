package uri

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/uritable"
	"github.com/specdrivers/onion/generated/options"
)

// query splits a query string that needs no decoding.
func query(s string) []pair {
	var out []pair
	for part := range strings.SplitSeq(s, "&") {
		key, value, _ := strings.Cut(part, "=")
		out = append(out, pair{key, value})
	}
	return out
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, query string
		want        options.Client
	}{
		{"keys have no case", "MAXPOOLSIZE=5", options.Client{MaxPoolSize: new(5)}},
		{"milliseconds", "connectTimeoutMS=1500", options.Client{ConnectTimeout: new(1500 * time.Millisecond)}},
		{"zero", "timeoutMS=0&waitQueueTimeoutMS=0", options.Client{Timeout: new(time.Duration(0)), WaitQueueTimeout: new(time.Duration(0))}},
		{"w as a number", "w=2", options.Client{WriteConcern: &options.WriteConcern{W: 2}}},
		{"w as a name", "w=majority", options.Client{WriteConcern: &options.WriteConcern{W: "majority"}}},
		{"tag sets in order", "readPreference=nearest&readPreferenceTags=dc:ny,rack:1&readPreferenceTags=", options.Client{ReadPreference: &options.ReadPreference{
			Mode: options.Nearest, TagSets: []options.TagSet{{{Name: "dc", Value: "ny"}, {Name: "rack", Value: "1"}}, {}}}}},
		{"no staleness", "readPreference=secondary&maxStalenessSeconds=-1", options.Client{ReadPreference: &options.ReadPreference{Mode: options.Secondary}}},
		{"a colon in a property", "authMechanismProperties=TOKEN_RESOURCE:mongodb://foo", options.Client{Auth: &options.Credential{AuthMechanismProperties: map[string]string{"TOKEN_RESOURCE": "mongodb://foo"}}}},
		{"compressors in order", "compressors=zstd,snappy&zlibCompressionLevel=-1", options.Client{Compressors: []string{"zstd", "snappy"}, ZlibLevel: new(-1)}},
		{"ssl is tls", "ssl=true&tls=true", options.Client{TLS: new(true)}},
		{"empty proxy credentials stand for nothing", "proxyUsername=&proxyPassword=", options.Client{}},
		{"monitoring mode", "serverMonitoringMode=poll", options.Client{ServerMonitoringMode: new(options.MonitorPoll)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got options.Client
			warnings, err := parseOptions(&got, query(c.query))
			if err != nil || len(warnings) > 0 {
				t.Fatal(warnings, err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParseWarns(t *testing.T) {
	for _, c := range []struct {
		query    string
		warnings []string
		want     options.Client
	}{
		{"connectMS=1", []string{`Unsupported option 'connectMS'.`}, options.Client{}},
		{"serverSelectionTryOnce=true", []string{`Unsupported option 'serverSelectionTryOnce'.`}, options.Client{}},
		{"retryWrites=maybe", []string{`Unsupported value for "retryWrites"`}, options.Client{}},
		{"journal=1", []string{`Deprecated boolean value for "journal" : "1", please update to "journal=true"`}, options.Client{WriteConcern: &options.WriteConcern{Journal: new(true)}}},
		{"tls=", []string{`Unsupported value for "tls"`}, options.Client{}},
		{"ssl=", []string{`Unsupported value for "tls"`}, options.Client{}},
		{"tls=n", []string{`Deprecated boolean value for "tls" : "n", please update to "tls=false"`}, options.Client{TLS: new(false)}},
		{"wtimeout=5", []string{`Deprecated key "wtimeout" has been replaced with "wtimeoutms"`}, options.Client{WriteConcern: &options.WriteConcern{WTimeout: new(5 * time.Millisecond)}}},
		{"wtimeout=5&wTimeoutMS=10", []string{`Deprecated key "wtimeout" present and ignored as found replacement "wtimeoutms" value.`}, options.Client{WriteConcern: &options.WriteConcern{WTimeout: new(10 * time.Millisecond)}}},
		{"replicaSet=a&replicaSet=b", []string{`Repeated option "replicaSet", the last value is used`}, options.Client{ReplicaSet: new("b")}},
		{"maxIdleTimeMS=", []string{`Unsupported value for "maxIdleTimeMS"`}, options.Client{}},
		{"heartbeatFrequencyMS=499", []string{`Unsupported value for "heartbeatFrequencyMS"`}, options.Client{}},
		{"maxPoolSize=4294967296", []string{`Unsupported value for "maxPoolSize"`}, options.Client{}},
		{"compressors=snoopy,zlib", []string{`Unsupported value for "compressors"`}, options.Client{Compressors: []string{"zlib"}}},
		{"authMechanismProperties=secret", []string{`Unsupported value for "authMechanismProperties"`}, options.Client{}},
		{"readPreference=SECONDARY", []string{`Unsupported value for "readPreference"`}, options.Client{}},
		{"wTimeoutMS=9223372036854775807", []string{`Unsupported value for "wTimeoutMS"`}, options.Client{}},
	} {
		t.Run(c.query, func(t *testing.T) {
			var got options.Client
			warnings, err := parseOptions(&got, query(c.query))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(warnings, c.warnings) {
				t.Errorf("warnings %q, want %q", warnings, c.warnings)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParseFails(t *testing.T) {
	for _, q := range []string{"tls=true&ssl=false", "tls=True", "ssl=maybe", "tls=%20true", "proxyHost=a&proxyHost=b", "authSource="} {
		if _, err := parseOptions(&options.Client{}, query(q)); err == nil {
			t.Errorf("%s: no error", q)
		}
	}
}

func TestParseTXT(t *testing.T) {
	var got options.Client
	if _, err := parseTXT(&got, query("authSource=a&replicaSet=b&loadBalanced=false")); err != nil {
		t.Fatal(err)
	}
	if *got.Auth.AuthSource != "a" || *got.ReplicaSet != "b" || *got.LoadBalanced {
		t.Errorf("got %+v", got)
	}
	if _, err := parseTXT(&got, query("socketTimeoutMS=500")); err == nil {
		t.Error("a TXT record set socketTimeoutMS")
	}
}

func TestMergePrecedence(t *testing.T) {
	txt := &options.Client{ReplicaSet: new("txt"), Auth: &options.Credential{AuthSource: new("txt")}}
	given := &options.Client{ReplicaSet: new("uri"), Auth: &options.Credential{Username: new("ada")}, MaxPoolSize: new(1)}
	over := &options.Client{MaxPoolSize: new(2)}
	got := options.Merge(options.Merge(txt, given), over)
	if *got.ReplicaSet != "uri" || *got.Auth.AuthSource != "txt" || *got.Auth.Username != "ada" || *got.MaxPoolSize != 2 {
		t.Errorf("got %+v", got)
	}
	if *given.MaxPoolSize != 1 || given.Auth.AuthSource != nil {
		t.Error("Merge changed its argument")
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		client options.Client
		srv    bool
		hosts  int
		fails  string // part of the message; empty when the options are fine
	}{
		{"one host", options.Client{DirectConnection: new(true)}, false, 1, ""},
		{"direct and several hosts", options.Client{DirectConnection: new(true)}, false, 2, "directConnection"},
		{"direct and SRV", options.Client{DirectConnection: new(true)}, true, 1, "directConnection"},
		{"not direct and SRV", options.Client{DirectConnection: new(false)}, true, 2, ""},
		{"conflict even when both are false", options.Client{TLSInsecure: new(false), TLSAllowInvalidHostnames: new(false)}, false, 1, "tlsInsecure"},
		{"load balanced replica set", options.Client{LoadBalanced: new(true), ReplicaSet: new("a")}, false, 1, "replicaSet"},
		{"all SRV hosts of a replica set", options.Client{SRVMaxHosts: new(0), ReplicaSet: new("a")}, true, 3, ""},
		{"some SRV hosts of a replica set", options.Client{SRVMaxHosts: new(2), ReplicaSet: new("a")}, true, 3, "srvMaxHosts"},
		{"SRV options without SRV", options.Client{SRVServiceName: new("x")}, false, 1, "srvServiceName"},
		{"proxy port alone", options.Client{ProxyPort: new(1)}, false, 1, "proxyHost"},
		{"staleness of the primary", options.Client{ReadPreference: &options.ReadPreference{MaxStaleness: new(90 * time.Second)}}, false, 1, "maxStalenessSeconds"},
		{"unacknowledged and journaled", options.Client{WriteConcern: &options.WriteConcern{W: 0, Journal: new(true)}}, false, 1, "journal"},
		{"more kept than allowed", options.Client{MinPoolSize: new(101)}, false, 1, "minPoolSize"},
		{"many kept without a limit", options.Client{MinPoolSize: new(101), MaxPoolSize: new(0)}, false, 1, ""},
		{"below the range", options.Client{MaxPoolSize: new(-1)}, false, 1, "MaxPoolSize is -1"},
		{"above the range", options.Client{ZlibLevel: new(10)}, false, 1, "not between -1 and 9"},
		{"too short", options.Client{HeartbeatFrequency: new(time.Millisecond)}, false, 1, "less than 500ms"},
		{"too long a name", options.Client{AppName: new(strings.Repeat("x", 129))}, false, 1, "AppName has 129 bytes"},
		{"unknown mode", options.Client{ServerMonitoringMode: new(options.ServerMonitoringMode("x"))}, false, 1, "ServerMonitoringMode"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := uritable.Validate(&c.client, c.srv, c.hosts)
			switch {
			case c.fails == "" && err != nil:
				t.Error(err)
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("got %v, want %q", err, c.fails)
			}
		})
	}
}
