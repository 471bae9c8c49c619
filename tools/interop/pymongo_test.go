package interop

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/specdrivers/onion/runtime/mongotest"
)

// python finds a Python that has pymongo. Debian's is not always the first one on the path.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("PYTHON"), "/usr/bin/python3", "python3"} {
		if name != "" && exec.Command(name, "-c", "import pymongo").Run() == nil {
			return name
		}
	}
	t.Skip("no Python with pymongo: install Debian's python3-pymongo, or name one in PYTHON")
	return ""
}

// pymongo against mongotest, with the script in testdata.
func TestPymongo(t *testing.T) {
	interpreter := python(t)
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			runScript(t, interpreter, mongotest.Start(t, shape.usual).URI())
		})
	}
	t.Run("4.2", func(t *testing.T) {
		runScript(t, interpreter, mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("4.2")).URI())
	})
	locked := mongotest.Start(t, mongotest.Auth("ada", "s3cret/"))
	for _, mechanism := range []string{"SCRAM-SHA-1", "SCRAM-SHA-256"} {
		t.Run(mechanism, func(t *testing.T) { runScript(t, interpreter, locked.URI()+"?authMechanism="+mechanism) })
	}
	t.Run("zlib", func(t *testing.T) {
		d := mongotest.Start(t)
		runScript(t, interpreter, d.URI()+"?compressors=zlib")
	})
	t.Run("TLS", func(t *testing.T) {
		_, cert := certificate(t)
		file := filepath.Join(t.TempDir(), "ca.pem")
		block := &pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		d := mongotest.Start(t, mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
		runScript(t, interpreter, d.URI()+"&tlsCAFile="+file)
	})
}

func runScript(t *testing.T, interpreter, uri string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, interpreter, "testdata/crud.py", uri).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
