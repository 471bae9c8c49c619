package interop

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// ferretVersion is the content of a file that the command embeds. The published module does not contain the file.
const ferretVersion = "v1.24.2"

// buildFerret builds FerretDB's command, which supports SCRAM; the embedded form does not. It builds a copy, because
// the module cannot be built in place.
func buildFerret(t *testing.T) string {
	t.Helper()
	source, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/FerretDB/FerretDB").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copied := filepath.Join(dir, "src")
	if err := os.CopyFS(copied, os.DirFS(strings.TrimSpace(string(source)))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "build", "version", "version.txt"), []byte(ferretVersion+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "ferretdb")
	build := exec.Command("go", "build", "-o", program, "./cmd/ferretdb")
	build.Dir, build.Env = copied, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building FerretDB: %v\n%s", err, out)
	}
	return program
}

// freeAddress finds a free port among the thousand from first on. Systems assign ports above these by
// themselves, so no other socket gets the port before the program listens on it.
func freeAddress(t *testing.T, first int) string {
	t.Helper()
	for range 100 {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(1000))); err == nil {
			l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// ferretSecured is a running FerretDB that requires the user "user" with the password "pencil".
type ferretSecured struct{ plain, secured, certFile string }

// startFerret builds and starts FerretDB's command.
func startFerret(t *testing.T) ferretSecured {
	t.Helper()
	program := buildFerret(t)
	dir := t.TempDir()
	_, cert := newCertificate(t)
	keyDER, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: cert.Certificate[0]}, keyFile: {Type: "PRIVATE KEY", Bytes: keyDER},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plain, secured := freeAddress(t, 20_000), freeAddress(t, 21_000)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	var output bytes.Buffer
	server := exec.CommandContext(ctx, program, "--handler=sqlite", "--sqlite-url=file:"+dir+"/", "--telemetry=disable",
		"--debug-addr=-", "--state-dir=-", "--log-level=ERROR", "--listen-addr="+plain, "--listen-tls="+secured,
		"--listen-tls-cert-file="+certFile, "--listen-tls-key-file="+keyFile, "--test-enable-new-auth",
		"--setup-database=admin", "--setup-username=user", "--setup-password=pencil")
	server.Env = append(os.Environ(), "DO_NOT_TRACK=1")
	server.Stdout, server.Stderr = &output, &output
	if err := server.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		server.Wait()
		if t.Failed() {
			t.Logf("FerretDB said:\n%s", output.String())
		}
	})
	return ferretSecured{plain, secured, certFile}
}

// Onion's driver authenticates with SCRAM and speaks TLS to a server that others wrote.
func TestOnionAgainstFerretDBWithSCRAMAndTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("builds FerretDB")
	}
	f := startFerret(t)
	plain, secured, certFile := f.plain, f.secured, f.certFile
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	use := func(t *testing.T, uri string, o *options.Client) error {
		o.ServerSelectionTimeout = new(10 * time.Second)
		client, err := mongo.Connect(ctx, uri, o)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(context.Background())
		c := client.Database("interop").Collection("secured")
		if _, err := c.InsertOne(ctx, bson.Doc("x", 1)); err != nil {
			return err
		}
		return c.FindOne(ctx, bson.Doc("x", 1)).Err()
	}
	for name, uri := range map[string]string{
		"SCRAM-SHA-1":    "mongodb://user:pencil@" + plain + "/?authMechanism=SCRAM-SHA-1",
		"SCRAM-SHA-256":  "mongodb://user:pencil@" + plain + "/?authMechanism=SCRAM-SHA-256",
		"SCRAM over TLS": "mongodb://user:pencil@" + secured + "/?authMechanism=SCRAM-SHA-256&tls=true&tlsCAFile=" + certFile,
	} {
		t.Run(name, func(t *testing.T) {
			if err := use(t, uri, &options.Client{}); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("wrong password", func(t *testing.T) {
		err := use(t, "mongodb://user:wrong@"+plain+"/?authMechanism=SCRAM-SHA-256", &options.Client{})
		if !fault.HasErrorCode(err, errcode.AuthenticationFailed) {
			t.Errorf("err = %v", err)
		}
	})
}

// Commands about users get replies of the same form from both.
func TestUserCommandsAgreeWithFerretDB(t *testing.T) {
	if testing.Short() {
		t.Skip("builds FerretDB")
	}
	f, d := startFerret(t), mongotest.Start(t, mongotest.Standalone(), mongotest.Auth("user", "pencil"))
	patient := &options.Client{ServerSelectionTimeout: new(10 * time.Second)}
	theirs := newDatabase(t, "mongodb://user:pencil@"+f.plain+"/?authMechanism=SCRAM-SHA-256", patient).Client()
	ours := newDatabase(t, d.URI()).Client()
	for _, tc := range userCases {
		t.Run(tc.name, func(t *testing.T) { compareAdmin(t, tc, theirs, ours) })
	}
}
