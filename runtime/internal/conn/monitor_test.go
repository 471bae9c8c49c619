package conn

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
)

// replyOf frames a reply with some flags.
func replyOf(flags byte, body []byte) []byte {
	return message(int32(wire.OpMsg), append([]byte{flags, 0, 0, 0, 0}, body...)...)
}

func TestAwaitHello(t *testing.T) {
	want := mustMarshal(t, bson.Doc("ok", 1, "maxWireVersion", 25))
	reply, err := connOfReply(replyOf(2, want)).AwaitHello(t.Context(), nil, 0, false, nil)
	if err != nil || string(reply.Body) != string(want) || !reply.MoreToCome {
		t.Errorf("%+v, %v", reply, err)
	}
	broken := append([]byte{}, mustMarshal(t, bson.Doc("ok", "text"))...)
	broken[len(broken)-2] = 7 // the text has no end
	for name, c := range map[string]*Conn{
		"a malformed document": connOfReply(replyOf(0, broken)),
		"EOF":                  connOfReply(nil),
	} {
		reply, err := c.AwaitHello(t.Context(), nil, 0, false, nil)
		if err == nil || reply.Body != nil || !strings.Contains(err.Error(), name) || c.IsAlive() {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
	}
	c := connOfReply(nil)
	if _, err := c.AwaitHello(t.Context(), want, -time.Second, false, nil); err == nil || !c.IsAlive() {
		t.Errorf("a wait below 0: %v, alive %t", err, c.IsAlive())
	}
}

// Every method of a closed connection returns ErrClosed.
func TestAClosedConnection(t *testing.T) {
	c := connOfReply(nil)
	c.Close()
	msg := append(c.Begin(0), mustMarshal(t, bson.Doc("ping", 1))...)
	for name, use := range map[string]func() error{
		"Send":       func() error { return c.Send(t.Context(), msg, false) },
		"RoundTrip":  func() error { _, err := c.RoundTrip(t.Context(), msg, false); return err },
		"Receive":    func() error { _, err := c.Receive(t.Context()); return err },
		"RunCommand": func() error { _, err := c.RunCommand(t.Context(), "admin", mustMarshal(t, bson.D{})); return err },
	} {
		if err := use(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// RunCommand accepts every document, and refuses bytes that are too short to be one.
func TestCommandsThatAreDocuments(t *testing.T) {
	c := connOfReply(nil)
	msg, err := c.appendCommand("admin", mustMarshal(t, bson.D{}))
	if err != nil || Body(msg).String() != `{"$db":"admin"}` {
		t.Errorf("%v, %v", Body(msg), err)
	}
	if _, err := c.appendCommand("admin", bson.Raw{4, 0, 0, 0}); err == nil || !strings.Contains(err.Error(), "4 bytes") {
		t.Errorf("err = %v", err)
	}
}

// Network errors say what failed.
func TestNetworkErrorsSayWhatFailed(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		kind fault.NetworkKind
	}{
		"the protocol": {protocolErrorf("strange"), fault.NetworkProtocol},
		"the socket":   {errors.New("reset"), fault.NetworkIO},
		"an alert":     {&net.OpError{Op: "remote error", Err: tls.AlertError(42)}, fault.NetworkCertificate},
	} {
		c := connOfReply(nil)
		failed, ok := errors.AsType[fault.NetworkError](c.fail("reading a reply from", tt.err))
		if !ok || failed.Kind != tt.kind || failed.Address != "a:1" || c.IsAlive() {
			t.Errorf("%s: %+v", name, failed)
		}
	}
	ran := &connectTimeoutError{3 * time.Second}
	if !ran.Timeout() || !errors.Is(ran, context.DeadlineExceeded) || ran.Error() != "connectTimeoutMS (3s) ran out" {
		t.Errorf("%v", ran)
	}
}

// Files that are missing or hold something else are named.
func TestFilesOfTLSThatAreWrong(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		o    TLSOptions
		says string
	}{
		{TLSOptions{CAFile: text + ".none"}, "conn: tlsCAFile: open " + text + ".none"},
		{TLSOptions{CAFile: text}, "conn: tlsCAFile: " + text + " holds no certificate"},
		{TLSOptions{CertificateKeyFile: text + ".none"}, "conn: tlsCertificateKeyFile: open " + text + ".none"},
		{TLSOptions{CertificateKeyFile: text}, "conn: tlsCertificateKeyFile: " + text + " holds no certificate"},
	} {
		if made, err := NewTLS(tt.o); err == nil || made != nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.says)
		}
	}
	made, err := NewTLS(TLSOptions{})
	if err != nil || !made.config.DynamicRecordSizingDisabled || made.config.ClientSessionCache == nil || made.config.MinVersion != tls.VersionTLS12 {
		t.Errorf("%+v, %v", made, err)
	}
}

// Handshake, "Limitations": what remains when not even the platform fits.
func TestTheShortestMetadata(t *testing.T) {
	long := func(s string, n int) string { return strings.Repeat(s, n) }
	place := Environment{Driver: DriverInfo{Name: "d", Version: "1", Platform: "go"}, OSType: "linux"}
	for _, tt := range []struct {
		name                                     string
		info                                     DriverInfo
		platform, version, nameOfDriver, atLeast int
	}{
		{"a long platform is cut", DriverInfo{Name: "x", Platform: long("p", 600)}, 400, 1, 3, 500},
		{"a long version is cut, and the platform goes", DriverInfo{Name: "x", Version: long("v", 600)}, 0, 400, 3, 500},
		{"a long name is cut, and all before it goes", DriverInfo{Name: long("n", 600)}, 0, 0, 400, 500},
		{"of a platform one letter fits", DriverInfo{Name: "x", Version: long("v", 423)}, 1, 425, 3, 512},
		{"a version that fits without the platform", DriverInfo{Name: "x", Version: long("v", 430)}, 0, 432, 3, 490},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := NewMetadata("", place, tt.info)
			if err != nil {
				t.Fatal(err)
			}
			doc := m.Document()
			length := func(path ...string) int { s, _ := doc.Lookup(path...).StringOK(); return len(s) }
			if p, v, n := length("platform"), length("driver", "version"), length("driver", "name"); p < tt.platform || tt.platform == 0 && p > 0 ||
				v < tt.version || tt.version == 0 && v > 0 || n < tt.nameOfDriver || len(doc) > 512 || len(doc) < tt.atLeast {
				t.Errorf("platform %d, version %d, name %d, in %d bytes", p, v, n, len(doc))
			}
		})
	}
}
