package interop

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/mongotest"
)

// findPython finds a Python that has pymongo. Debian's is not always the first one on the path.
func findPython(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("PYTHON"), "/usr/bin/python3", "python3"} {
		if name != "" && exec.Command(name, "-c", "import pymongo, gridfs").Run() == nil {
			return name
		}
	}
	t.Skip("no Python with pymongo: install Debian's python3-pymongo and python3-gridfs, or name one in PYTHON")
	return ""
}

// pymongo passes each group of steps on each topology, and the short group on each version and with each way to connect.
func TestPymongo(t *testing.T) {
	interpreter := findPython(t)
	run := func(name string, d *mongotest.Deployment, query string, groups ...string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri := d.URI()
			if query != "" && strings.Contains(uri, "?") {
				uri += "&" + query
			} else if query != "" {
				uri += "?" + query
			}
			runScript(t, interpreter, uri, groups...)
		})
	}
	run("standalone", mongotest.Start(t, mongotest.Standalone()), "", "crud", "collections", "files", "faults")
	run("replicaset", mongotest.Start(t, mongotest.ReplicaSet(3)), "", "crud", "collections", "files", "faults", "stepdown")
	run("sharded", mongotest.Start(t, mongotest.Sharded(2)), "", "crud", "collections", "files")
	run("sharded with one router", mongotest.Start(t, mongotest.Sharded(1)), "", "faults")
	t.Run("loadbalanced", func(t *testing.T) {
		t.Parallel()
		d := mongotest.Start(t, mongotest.LoadBalanced(1))
		if exec.Command(interpreter, "-c", "import pymongo, sys; sys.exit(pymongo.version_tuple < (3, 12))").Run() == nil {
			runScript(t, interpreter, d.URI(), "crud", "collections", "files", "faults")
			return
		}
		// Debian's pymongo is too old for a load balancer, and the server says so.
		if out := runGroups(t, interpreter, d.URI()+"&serverSelectionTimeoutMS=300", "crud"); out == nil || !strings.Contains(out.Error(), "'code': 354") {
			t.Errorf("a pymongo that knows no load balancers: %v", out)
		}
	})
	run("4.2 with faults", mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("4.2")), "", "faults")
	for _, version := range []string{"4.2", "4.4", "5.0", "6.0", "7.0", "8.0", "8.2", "9.0"} {
		run(version, mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version(version)), "", "crud")
	}
	for _, mechanism := range []string{"SCRAM-SHA-1", "SCRAM-SHA-256"} {
		run(mechanism, mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Auth("ada", "s3cret/")), "authMechanism="+mechanism, "crud")
	}
	_, cert := newCertificate(t)
	ca := writeFile(t, "ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
	run("TLS", mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{cert}})), "tlsCAFile="+ca, "crud")
	for compressor, module := range map[string]string{"zlib": "zlib", "snappy": "snappy", "zstd": "zstandard"} {
		if exec.Command(interpreter, "-c", "import "+module).Run() != nil {
			t.Run(compressor, func(t *testing.T) {
				t.Skipf("Python has no module %s: install Debian's python3-%s", module, module)
			})
			continue
		}
		run(compressor, mongotest.Start(t, mongotest.ReplicaSet(3)), "compressors="+compressor, "crud", "files")
	}
}

// PLAIN and X.509 of pymongo against mongotest.
func TestPymongoUsesEachMechanism(t *testing.T) {
	interpreter := findPython(t)
	t.Run("PLAIN", func(t *testing.T) {
		t.Parallel()
		d := mongotest.Start(t, newExternalUser("ada", "secret"), mongotest.RequireAuth())
		runScript(t, interpreter, "mongodb://ada:secret@"+d.Hosts()[0]+"/?authMechanism=PLAIN&authSource=$external", "crud")
	})
	t.Run("MONGODB-X509", func(t *testing.T) {
		t.Parallel()
		_, serverCert := newCertificate(t)
		cert, subject := clientCertificate(t)
		d := mongotest.Start(t, newExternalUser(subject, ""), mongotest.RequireAuth(),
			mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{serverCert}, ClientAuth: tls.RequestClientCert}))
		key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		ca := writeFile(t, "ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: serverCert.Certificate[0]})
		own := writeFile(t, "client.pem", &pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}, &pem.Block{Type: "PRIVATE KEY", Bytes: key})
		query := url.Values{"tls": {"true"}, "tlsCAFile": {ca}, "tlsCertificateKeyFile": {own}, "authMechanism": {"MONGODB-X509"}}
		runScript(t, interpreter, "mongodb://"+d.Hosts()[0]+"/?"+query.Encode(), "crud")
	})
}

// scriptError returns what a failed script printed.
type scriptError string

func (e scriptError) Error() string { return string(e) }

// runGroups runs groups of steps, and returns the output of the script as an error if one fails.
func runGroups(t *testing.T, interpreter, uri string, groups ...string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, interpreter, append([]string{"testdata/peer.py", uri}, groups...)...).CombinedOutput()
	if err != nil {
		return scriptError(err.Error() + "\n" + string(out))
	}
	return nil
}

func runScript(t *testing.T, interpreter, uri string, groups ...string) {
	t.Helper()
	if err := runGroups(t, interpreter, uri, groups...); err != nil {
		t.Error(err)
	}
}

func writeFile(t *testing.T, name string, blocks ...*pem.Block) string {
	t.Helper()
	var content []byte
	for _, b := range blocks {
		content = append(content, pem.EncodeToMemory(b)...)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
