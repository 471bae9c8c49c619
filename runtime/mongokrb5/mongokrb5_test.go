package mongokrb5

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/service"
	"github.com/jcmturner/gokrb5/v8/spnego"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/specdrivers/onion/generated/options"
)

const realm = "EXAMPLE.COM"

// acceptor is the service's side of the exchange.
type acceptor struct {
	t    *testing.T
	keys *keytab.Keytab
	key  types.EncryptionKey
}

func newAcceptor(t *testing.T, spn string) *acceptor {
	keys := keytab.New()
	if err := keys.AddEntry(spn, realm, "service secret", time.Now(), 1, etypeID.AES256_CTS_HMAC_SHA1_96); err != nil {
		t.Fatal(err)
	}
	return &acceptor{t: t, keys: keys}
}

// issue is what a ticket-granting service would return.
func (a *acceptor) issue(c *client.Client, spn string) (messages.Ticket, types.EncryptionKey, error) {
	now := time.Now().UTC()
	return messages.NewTicket(c.Credentials.CName(), c.Credentials.Domain(), types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, spn),
		realm, types.NewKrbFlags(), a.keys, etypeID.AES256_CTS_HMAC_SHA1_96, 1, now, now, now.Add(time.Hour), now.Add(time.Hour))
}

// accept verifies the first token.
func (a *acceptor) accept(token []byte) string {
	a.t.Helper()
	var parsed spnego.KRB5Token
	if err := parsed.Unmarshal(token); err != nil {
		a.t.Fatal(err)
	}
	ok, who, err := service.VerifyAPREQ(&parsed.APReq, service.NewSettings(a.keys, service.DecodePAC(false)))
	if err != nil || !ok {
		a.t.Fatalf("the ticket is refused: %v", err)
	}
	a.key = parsed.APReq.Ticket.DecryptedEncPart.Key
	return who.UserName() + "@" + who.Domain()
}

// offer is the wrapped message with the security layers, rotated as some servers do.
func (a *acceptor) offer(layers byte, rotate int) []byte {
	a.t.Helper()
	token := gssapi.WrapToken{Flags: 1, EC: 12, Payload: []byte{layers, 0, 0x10, 0}}
	if err := token.SetCheckSum(a.key, keyusage.GSSAPI_ACCEPTOR_SEAL); err != nil {
		a.t.Fatal(err)
	}
	out, err := token.Marshal()
	if err != nil {
		a.t.Fatal(err)
	}
	body := out[wrapHeader:]
	rotated := append(append([]byte(nil), body[len(body)-rotate:]...), body[:len(body)-rotate]...)
	out = append(out[:wrapHeader:wrapHeader], rotated...)
	out[7] = byte(rotate)
	return out
}

func (a *acceptor) mechanism(text string) *Mechanism {
	a.t.Helper()
	parsed, err := config.NewFromString("[libdefaults]\n default_realm = " + realm + "\n" + text)
	if err != nil {
		a.t.Fatal(err)
	}
	m := newMechanism(parsed, Config{})
	m.ticket = a.issue
	a.t.Cleanup(m.Close)
	return m
}

func ada() *options.Credential {
	return &options.Credential{Username: new("ada@" + realm), Password: new("secret")}
}

func TestConversation(t *testing.T) {
	for _, tc := range []struct {
		name   string
		rotate int
		empty  bool
	}{
		{"the layers at once", 0, false},
		{"an empty answer first", 0, true},
		{"a rotated token", 12, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAcceptor(t, "mongodb/db.example.com")
			c, err := a.mechanism("").Start(t.Context(), ada(), "db.example.com:27017")
			if err != nil {
				t.Fatal(err)
			}
			token, done, err := c.Next(t.Context(), nil)
			if err != nil || done {
				t.Fatalf("the first message: done %v, %v", done, err)
			}
			if who := a.accept(token); who != "ada@"+realm {
				t.Errorf("the ticket is of %s", who)
			}
			if tc.empty {
				if out, done, err := c.Next(t.Context(), nil); len(out) != 0 || done || err != nil {
					t.Fatalf("an empty answer: %q, %v, %v", out, done, err)
				}
			}
			out, done, err := c.Next(t.Context(), a.offer(7, tc.rotate))
			if err != nil || !done {
				t.Fatalf("the last message: done %v, %v", done, err)
			}
			var wrapped gssapi.WrapToken
			if err := wrapped.Unmarshal(out, false); err != nil {
				t.Fatal(err)
			}
			if ok, err := wrapped.Verify(a.key, keyusage.GSSAPI_INITIATOR_SEAL); !ok {
				t.Error(err)
			}
			if want := append([]byte{1, 0, 0, 0}, "ada@"+realm...); !bytes.Equal(wrapped.Payload, want) {
				t.Errorf("payload = %q, want %q", wrapped.Payload, want)
			}
		})
	}
}

func TestServerIsRefused(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(a *acceptor) []byte
	}{
		{"another key", func(a *acceptor) []byte { a.key.KeyValue = bytes.Repeat([]byte{1}, 32); return a.offer(7, 0) }},
		{"no connection without a security layer", func(a *acceptor) []byte { return a.offer(6, 0) }},
		{"a short token", func(*acceptor) []byte { return []byte{5, 4} }},
		{"a rotated header alone", func(*acceptor) []byte { return append([]byte{5, 4, 1, 255, 0, 0, 0, 3}, make([]byte, 8)...) }},
		{"an encrypted token", func(a *acceptor) []byte { out := a.offer(7, 0); out[2] |= 2; return out }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAcceptor(t, "mongodb/db.example.com")
			c, err := a.mechanism("").Start(t.Context(), ada(), "db.example.com:27017")
			if err != nil {
				t.Fatal(err)
			}
			token, _, err := c.Next(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			a.accept(token)
			if _, done, err := c.Next(t.Context(), tc.spoil(a)); err == nil || done {
				t.Errorf("done %v, err %v", done, err)
			}
		})
	}
}

// names is a resolver that knows one host.
type names struct{ broken string } // which look-up fails, or finds nothing

func (n names) LookupHost(context.Context, string) ([]string, error) {
	switch n.broken {
	case "host":
		return nil, errors.New("no such host")
	case "addresses":
		return nil, nil
	}
	return []string{"192.0.2.1", "192.0.2.2"}, nil
}

func (n names) LookupCNAME(context.Context, string) (string, error) {
	if n.broken == "cname" {
		return "", errors.New("no such name")
	}
	return "Forward.example.com.", nil
}

func (n names) LookupAddr(_ context.Context, address string) ([]string, error) {
	if address != "192.0.2.1" {
		return []string{"another.example.com."}, nil
	}
	switch n.broken {
	case "reverse":
		return nil, errors.New("no such address")
	case "nameless":
		return nil, nil
	}
	return []string{"Reverse.example.com.", "alias.example.com."}, nil
}

func TestServicePrincipal(t *testing.T) {
	for _, tc := range []struct {
		name       string
		properties map[string]string
		broken     string
		want       string // empty for an error
	}{
		{"defaults", nil, "", "mongodb/db.example.com"},
		{"a service name", map[string]string{"SERVICE_NAME": "other"}, "", "other/db.example.com"},
		{"a service host", map[string]string{"SERVICE_HOST": "x.example.com"}, "", "mongodb/x.example.com"},
		{"forward", map[string]string{"CANONICALIZE_HOST_NAME": "forward"}, "", "mongodb/forward.example.com"},
		{"forward and reverse", map[string]string{"CANONICALIZE_HOST_NAME": "forwardAndReverse"}, "", "mongodb/reverse.example.com"},
		{"true", map[string]string{"CANONICALIZE_HOST_NAME": "true"}, "", "mongodb/reverse.example.com"},
		{"false", map[string]string{"CANONICALIZE_HOST_NAME": "false"}, "", "mongodb/db.example.com"},
		{"a look-up that fails", map[string]string{"CANONICALIZE_HOST_NAME": "forward"}, "host", ""},
		{"no address", map[string]string{"CANONICALIZE_HOST_NAME": "forward"}, "addresses", ""},
		{"no other name", map[string]string{"CANONICALIZE_HOST_NAME": "forward"}, "cname", "mongodb/db.example.com"},
		{"a reverse look-up that fails", map[string]string{"CANONICALIZE_HOST_NAME": "true"}, "reverse", "mongodb/forward.example.com"},
		{"an address without a name", map[string]string{"CANONICALIZE_HOST_NAME": "true"}, "nameless", "mongodb/forward.example.com"},
		{"another value", map[string]string{"CANONICALIZE_HOST_NAME": "maybe"}, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAcceptor(t, "unused")
			m := a.mechanism("")
			m.resolver = names{tc.broken}
			asked := ""
			m.ticket = func(_ *client.Client, spn string) (messages.Ticket, types.EncryptionKey, error) {
				asked = spn
				return messages.Ticket{}, types.EncryptionKey{}, nil
			}
			credential := ada()
			credential.AuthMechanismProperties = tc.properties
			_, err := m.Start(t.Context(), credential, "db.example.com:27017")
			if asked != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("asked for %q, %v; want %q", asked, err, tc.want)
			}
		})
	}
}

func TestServiceRealm(t *testing.T) {
	m := newAcceptor(t, "unused").mechanism("")
	got := ""
	m.ticket = func(c *client.Client, _ string) (messages.Ticket, types.EncryptionKey, error) {
		got = c.Config.ResolveRealm("db.example.com")
		return messages.Ticket{}, types.EncryptionKey{}, nil
	}
	credential := ada()
	credential.AuthMechanismProperties = map[string]string{"SERVICE_REALM": "OTHER.REALM"}
	if _, err := m.Start(t.Context(), credential, "db.example.com:27017"); err != nil || got != "OTHER.REALM" {
		t.Errorf("realm = %q, %v", got, err)
	}
}

func TestStartEndsWithTheContext(t *testing.T) {
	m := newAcceptor(t, "unused").mechanism("")
	release := make(chan struct{})
	m.ticket = func(*client.Client, string) (messages.Ticket, types.EncryptionKey, error) {
		<-release
		return messages.Ticket{}, types.EncryptionKey{}, errors.New("too late")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.Start(ctx, ada(), "db.example.com:27017")
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestMissingFilesAreNamed(t *testing.T) {
	if _, err := New(Config{File: "/nowhere/krb5.conf"}); err == nil || !strings.Contains(err.Error(), "/nowhere/krb5.conf") {
		t.Errorf("err = %v", err)
	}
	m := newAcceptor(t, "unused").mechanism("")
	credential := &options.Credential{Username: new("ada")}
	for _, set := range []func(){func() { m.cache = "/nowhere/cache" }, func() { m.keytab = "/nowhere/keytab" }} {
		set()
		_, err := m.Start(t.Context(), credential, "db:1")
		if err == nil || !strings.Contains(err.Error(), "/nowhere/") {
			t.Errorf("err = %v", err)
		}
	}
}
