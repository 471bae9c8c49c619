package web

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	addressVariable = "ONION_TEST_ADDRESS"
	machineVariable = "ONION_TEST_MACHINE"
)

// TestMain sends a request instead of running the tests, if a test has started this program again. A process reads the
// environment and the certificates of the system only once.
func TestMain(m *testing.M) {
	address := os.Getenv(addressVariable)
	if address == "" {
		os.Exit(m.Run())
	}
	answer, err := Client{}.Do(context.Background(), Request{
		Method: "POST", Address: address, Body: []byte("ask"), Machine: os.Getenv(machineVariable) != "",
	})
	if err != nil {
		fmt.Print(err)
		os.Exit(1)
	}
	os.Stdout.Write(answer.Body)
}

// startServer starts a server for the host example.com and for itself. The server replies with what arrived.
func startServer(t *testing.T, start func(http.Handler) *httptest.Server) *httptest.Server {
	server := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Host, r.URL.Path, body)
	}))
	t.Cleanup(server.Close)
	return server
}

// newProxy is a proxy for HTTP that wants a user. Whatever host is asked for, it goes to one server.
func newProxy(t *testing.T, start func(http.Handler) *httptest.Server, to *httptest.Server) *httptest.Server {
	server := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Proxy-Authorization") != "Basic dXNlcjpwYXNz":
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method != http.MethodConnect:
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "proxied %s %s", r.URL, body)
		default:
			w.WriteHeader(http.StatusOK)
			nc, read, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			join(t, nc, read, to.Listener.Addr().String())
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// join passes bytes between a connection and a server until one side closes. The HTTP server may have read some of
// them.
func join(t *testing.T, nc net.Conn, read io.Reader, address string) {
	defer nc.Close()
	far, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer far.Close()
	go io.Copy(far, read)
	io.Copy(nc, far)
}

func TestTheEnvironmentAndTheSystemAreRespected(t *testing.T) {
	server := startServer(t, httptest.NewTLSServer)
	proxy := newProxy(t, httptest.NewServer, server)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(roots, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	through := strings.Replace(proxy.URL, "http://", "http://user:pass@", 1)
	for name, tt := range map[string]struct{ address, through, roots, want string }{
		"https":                       {server.URL + "/a", "", roots, strings.TrimPrefix(server.URL, "https://") + " /a ask"},
		"https of an unknown issuer":  {server.URL + "/a", "", os.DevNull, "x509: "},
		"https of another host":       {"https://localhost:" + server.URL[strings.LastIndexByte(server.URL, ':')+1:], "", roots, "x509: "},
		"http through a proxy":        {"http://example.com/a?b=c", through, roots, "proxied http://example.com/a?b=c ask"},
		"https through a proxy":       {"https://example.com/a", through, roots, "example.com /a ask"},
		"https through a denying one": {"https://example.com/a", proxy.URL, roots, "Proxy Authentication Required"},
		"this machine needs no proxy": {server.URL + "/a", "http://127.0.0.1:1", roots, " /a ask"},
	} {
		t.Run(name, func(t *testing.T) {
			program := exec.Command(os.Args[0])
			program.Env = []string{addressVariable + "=" + tt.address, "SSL_CERT_FILE=" + tt.roots, "SSL_CERT_DIR=" + t.TempDir(),
				"HTTP_PROXY=" + tt.through, "HTTPS_PROXY=" + tt.through}
			out, _ := program.Output()
			if !strings.Contains(string(out), tt.want) {
				t.Errorf("got %q", out)
			}
		})
	}
}

// Without Machine the same address is asked for through the proxy, so the test shows what Machine does.
func TestNoProxySeesWhatAServiceOfTheMachineIsAsked(t *testing.T) {
	server := startServer(t, httptest.NewServer)
	through := strings.Replace(newProxy(t, httptest.NewServer, server).URL, "http://", "http://user:pass@", 1)
	address := strings.Replace(server.URL, "127.0.0.1", "0.0.0.0", 1) // this machine too, but not by an address of its loopback
	for machine, want := range map[string]string{"": "proxied " + address + "/a ask", "yes": strings.TrimPrefix(address, "http://") + " /a ask"} {
		program := exec.Command(os.Args[0])
		program.Env = []string{addressVariable + "=" + address + "/a", machineVariable + "=" + machine, "HTTP_PROXY=" + through}
		if out, _ := program.Output(); string(out) != want {
			t.Errorf("Machine %q: got %q, want %q", machine, out, want)
		}
	}
}
