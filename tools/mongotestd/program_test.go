package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestServesUntilItIsInterrupted(t *testing.T) {
	for _, c := range []struct {
		args   string
		hosts  int
		signal os.Signal
	}{
		{"", 1, os.Interrupt},
		{"-topology standalone -version 4.2", 1, syscall.SIGTERM},
		{"-topology replicaset -port 0", 3, syscall.SIGTERM},
		{"-topology replicaset -nodes 1 -version 9.0", 1, os.Interrupt},
		{"-topology sharded -nodes 3 -version 5.0", 3, syscall.SIGTERM},
		{"-topology loadbalanced", 1, os.Interrupt},
		{"-auth ada:p@ss:word", 1, syscall.SIGTERM},
		{"-auth ada:secret -authdb shop", 1, syscall.SIGTERM},
		{"-tls", 1, syscall.SIGTERM},
		{"-topology loadbalanced -tls -auth ada:secret -host localhost", 1, os.Interrupt},
	} {
		t.Run(strings.TrimSpace("mongotestd "+c.args), func(t *testing.T) {
			server := launch(t, exec.Command(buildProgram(t), strings.Fields(c.args)...))
			if hosts := strings.Split(hostsOf(t, server.line), ","); len(hosts) != c.hosts {
				t.Errorf("%s: %d hosts, not %d", server.line, len(hosts), c.hosts)
			}
			useServer(t, server.line)
			authority := authorityOf(t, server.line)
			if more := server.stop(t, c.signal); more != "" || server.errors.String() != "" {
				t.Errorf("it says more than the connection string: %q %q", more, server.errors.String())
			}
			if authority == "" {
				return
			}
			if _, err := os.Stat(authority); err == nil {
				t.Errorf("%s is left behind", authority)
			}
		})
	}
}

// useServer writes and reads a document.
func useServer(t *testing.T, uri string) {
	t.Helper()
	client, err := mongo.Connect(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	c := client.Database("db").Collection("c")
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	if err := c.FindOne(t.Context(), bson.Doc("_id", 1)).Err(); err != nil {
		t.Error(err)
	}
}

// With -auth, a client without the password may do nothing, and a user may do what its roles allow.
func TestAuthMeansSomething(t *testing.T) {
	server := launch(t, exec.Command(buildProgram(t), "-auth", "ada:secret"))
	users := func(credentials string) *mongo.Client {
		client, err := mongo.Connect(t.Context(), "mongodb://"+credentials+hostsOf(t, server.line)+"/?directConnection=true")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close(context.Background()) })
		return client
	}
	ada, nobody := users("ada:secret@").Database("admin"), users("").Database("db")
	create := bson.Doc("createUser", "eve", "pwd", "p", "roles", bson.A{bson.Doc("role", "read", "db", "db")})
	if err := ada.RunCommand(t.Context(), create).Err(); err != nil {
		t.Fatal(err)
	}
	if err := nobody.Collection("c").FindOne(t.Context(), bson.D{}).Err(); !mongo.HasErrorCode(err, errcode.Unauthorized) {
		t.Errorf("without a password: %v", err)
	}
	eve := users("eve:p@").Database("db").Collection("c")
	if err := eve.FindOne(t.Context(), bson.D{}).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
		t.Errorf("a read: %v", err)
	}
	if _, err := eve.InsertOne(t.Context(), bson.Doc("_id", 1)); !mongo.HasErrorCode(err, errcode.Unauthorized) {
		t.Errorf("a write of a user who may read: %v", err)
	}
	server.stop(t, os.Interrupt)
}

// hostsOf returns the part of a connection string that names the hosts.
func hostsOf(t *testing.T, uri string) string {
	t.Helper()
	rest, ok := strings.CutPrefix(uri, "mongodb://")
	hosts, _, end := strings.Cut(rest, "/")
	if !ok || !end {
		t.Fatalf("%q is not a connection string", uri)
	}
	return hosts[strings.LastIndexByte(hosts, '@')+1:]
}

func authorityOf(t *testing.T, uri string) string {
	t.Helper()
	_, query, _ := strings.Cut(uri, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return values.Get("tlsCAFile")
}

// listenLow listens on a port below those that a system assigns by itself. So no other socket gets the port between
// the end of the listener and the start of the program.
func listenLow(t *testing.T) net.Listener {
	t.Helper()
	for range 100 {
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(20_000+rand.IntN(10_000))); err == nil {
			return l
		}
	}
	t.Fatal("no port is free")
	return nil
}

func TestListensWhereItIsTold(t *testing.T) {
	listener := listenLow(t)
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	t.Run("a port that is taken", func(t *testing.T) {
		code, out, complaint := runToEnd(t, "-port", port)
		if code != 1 || out != "" || !strings.Contains(complaint, "address already in use") || strings.Contains(complaint, "Usage") {
			t.Errorf("exit code %d, %q, %q", code, out, complaint)
		}
	})
	listener.Close()
	server := launch(t, exec.Command(buildProgram(t), "-port", port))
	if hosts := hostsOf(t, server.line); hosts != "127.0.0.1:"+port {
		t.Errorf("it listens on %s", hosts)
	}
	server.stop(t, os.Interrupt)
}

func TestArgumentsThatMakeNoSense(t *testing.T) {
	for _, c := range []struct{ args, complaint string }{
		{"-topology ring", `-topology "ring" is not one of standalone, replicaset, sharded, loadbalanced`},
		{"-nodes 2", "a standalone deployment has one node"},
		{"-topology sharded -nodes -1", "-nodes -1"},
		{"-topology replicaset -nodes 51", "51"},
		{"-auth nobody", "-auth needs user:password"},
		{"-auth :secret", "-auth needs user:password"},
		{"-version 1.0", `"1.0"`},
		{"-port 65536", "-port 65536"},
		{"-port -1", "-port -1"},
		{"-topology replicaset -port 65534", "3 nodes"},
		{"-port x", `invalid value "x" for flag -port`},
		{"-certificate missing.pem", "-certificate: open missing.pem"},
		{"-colour red", "not defined: -colour"},
		{"extra", `unexpected argument "extra"`},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, out, complaint := runToEnd(t, strings.Fields(c.args)...)
			if code != 2 || out != "" {
				t.Errorf("exit code %d, %q", code, out)
			}
			if !strings.Contains(complaint, c.complaint) || strings.Count(complaint, "Usage of mongotestd") != 1 {
				t.Errorf("it says %s", complaint)
			}
		})
	}
}

func TestHelpIsNoMistake(t *testing.T) {
	code, _, usage := runToEnd(t, "-h")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, flag := range []string{"topology", "nodes", "version", "host", "port", "auth", "tls", "certificate", "ui", "log", "data"} {
		if !strings.Contains(usage, "  -"+flag) {
			t.Errorf("nothing is said of -%s", flag)
		}
	}
}

// runToEnd runs the program until it ends.
func runToEnd(t *testing.T, args ...string) (code int, out, complaint string) {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), buildProgram(t), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

func TestStartsWithinFiftyMilliseconds(t *testing.T) {
	for _, topology := range []string{"standalone", "replicaset", "sharded", "loadbalanced"} {
		t.Run(topology, func(t *testing.T) {
			const limit = 50 * time.Millisecond
			shortest := time.Hour
			for range 20 { // other work on a busy machine can only make a start longer
				server := launch(t, exec.Command(buildProgram(t), "-topology", topology))
				server.stop(t, os.Interrupt)
				if shortest = min(shortest, server.ready); shortest <= limit {
					break
				}
			}
			if t.Logf("%v", shortest); shortest > limit {
				t.Errorf("the start of the process takes %v", shortest)
			}
		})
	}
}

func TestSpeaksTLSWithTheCertificateOfAFile(t *testing.T) {
	pair, err := mongotest.NewCertificate("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	both := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	both = append(both, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	file := filepath.Join(t.TempDir(), "server.pem")
	if err := os.WriteFile(file, both, 0o600); err != nil {
		t.Fatal(err)
	}
	server := launch(t, exec.Command(buildProgram(t), "-certificate", file))
	if authority := authorityOf(t, server.line); authority != "" {
		t.Errorf("%s names an authority", server.line)
	}
	useServer(t, addAuthority(server.line, file))
	server.stop(t, syscall.SIGTERM)
}
