package interop

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/mongotest"
)

// buildLibmongoc builds the program in testdata that uses libmongoc. It skips the test where the library is missing.
func buildLibmongoc(t *testing.T) string {
	t.Helper()
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "libmongoc-1.0").Output()
	if err != nil {
		t.Skip("no libmongoc: install Debian's libmongoc-dev and pkg-config")
	}
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: install Debian's gcc")
	}
	program := filepath.Join(t.TempDir(), "peer")
	arguments := append([]string{"-Wall", "-o", program, "testdata/peer.c"}, strings.Fields(string(flags))...)
	if out, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// libmongoc passes each group of steps on each topology, and streams hellos from replica sets.
func TestLibmongoc(t *testing.T) {
	program := buildLibmongoc(t)
	_, cert := newCertificate(t)
	ca := writeFile(t, "ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
	everything := []string{"crud", "session", "files"}
	cases := []struct {
		name    string
		options []mongotest.Option
		query   url.Values
		groups  []string
	}{
		{"standalone", []mongotest.Option{mongotest.Standalone()}, nil, append(everything, "faults-standalone")},
		{"replicaset", []mongotest.Option{mongotest.ReplicaSet(3)}, url.Values{"heartbeatFrequencyMS": {"60000"}}, append(everything, "stepdown")},
		{"replicaset with faults", []mongotest.Option{mongotest.ReplicaSet(3)}, nil, []string{"faults"}},
		{"sharded", []mongotest.Option{mongotest.Sharded(2)}, nil, everything},
		{"sharded with faults", []mongotest.Option{mongotest.Sharded(1)}, nil, []string{"faults"}},
		{"loadbalanced", []mongotest.Option{mongotest.LoadBalanced(2)}, nil, everything},
		{"loadbalanced with faults", []mongotest.Option{mongotest.LoadBalanced(1)}, nil, []string{"faults"}},
		{"4.2", []mongotest.Option{mongotest.ReplicaSet(3), mongotest.Version("4.2")}, nil, everything},
		{"7.0", []mongotest.Option{mongotest.ReplicaSet(3), mongotest.Version("7.0")}, nil, everything},
		{"SCRAM-SHA-1", []mongotest.Option{mongotest.ReplicaSet(3), mongotest.Auth("ada", "s3cret/")}, url.Values{"authMechanism": {"SCRAM-SHA-1"}}, everything[:1]},
		{"SCRAM-SHA-256", []mongotest.Option{mongotest.ReplicaSet(3), mongotest.Auth("ada", "s3cret/")}, url.Values{"authMechanism": {"SCRAM-SHA-256"}}, everything[:1]},
		{"TLS", []mongotest.Option{mongotest.ReplicaSet(3), mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{cert}})}, url.Values{"tlsCAFile": {ca}}, everything[:1]},
		{"snappy", []mongotest.Option{mongotest.ReplicaSet(3)}, url.Values{"compressors": {"snappy"}}, everything},
		{"zlib", []mongotest.Option{mongotest.ReplicaSet(3)}, url.Values{"compressors": {"zlib"}}, everything},
		{"zstd", []mongotest.Option{mongotest.ReplicaSet(3)}, url.Values{"compressors": {"zstd"}}, everything},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			uri := mongotest.Start(t, tc.options...).URI()
			if query := tc.query.Encode(); query != "" && strings.Contains(uri, "?") {
				uri += "&" + query
			} else if query != "" {
				uri += "?" + query
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if out, err := exec.CommandContext(ctx, program, append([]string{uri}, tc.groups...)...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
