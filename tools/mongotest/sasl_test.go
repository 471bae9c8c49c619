package mongotest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/xdg-go/scram"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

func payloadOf(text string) bson.Binary { return bson.Binary{Data: []byte(text)} }

// Each case is a first message of an authentication that a server refuses.
func TestSaslStartThatIsRefused(t *testing.T) {
	options := []mongotest.Option{mongotest.Auth("ada", "x"), mongotest.WithUser(mongotest.User{Name: "eve", DB: "$external", Password: "x"})}
	for _, test := range []struct {
		name, version, mechanism, db string
		payload                      any
		want                         errcode.Code
	}{
		{"PLAIN", "8.0", "PLAIN", "$external", payloadOf("\x00eve\x00x"), 0},
		{"PLAIN, in text", "8.0", "PLAIN", "$external", base64.StdEncoding.EncodeToString([]byte("\x00eve\x00x")), 0},
		{"PLAIN, a wrong password", "8.0", "PLAIN", "$external", payloadOf("\x00eve\x00y"), errcode.AuthenticationFailed},
		{"PLAIN, nobody", "8.0", "PLAIN", "$external", payloadOf("\x00bob\x00x"), errcode.AuthenticationFailed},
		{"PLAIN, half a message", "8.0", "PLAIN", "$external", payloadOf("eve"), errcode.AuthenticationFailed},
		{"SCRAM, nobody", "8.0", "SCRAM-SHA-256", "admin", payloadOf("n,,n=bob,r=abcdefgh"), errcode.AuthenticationFailed},
		{"SCRAM, another database", "8.0", "SCRAM-SHA-256", "db", payloadOf("n,,n=ada,r=abcdefgh"), errcode.AuthenticationFailed},
		{"SCRAM, noise", "8.0", "SCRAM-SHA-1", "admin", payloadOf("noise"), errcode.AuthenticationFailed},
		{"text that is not base64", "8.0", "PLAIN", "$external", "?", errcode.FailedToParse},
		{"a number", "8.0", "PLAIN", "$external", 1, errcode.TypeMismatch},
		{"an unknown mechanism", "8.0", "GSSAPI", "$external", payloadOf(""), errcode.MechanismUnavailable},
		{"an unknown mechanism, in 4.4", "4.4", "GSSAPI", "$external", payloadOf(""), errcode.BadValue},
		{"AWS, without keys", "8.0", "MONGODB-AWS", "$external", payloadOf(""), errcode.MechanismUnavailable},
		{"OIDC, without tokens", "8.0", "MONGODB-OIDC", "$external", payloadOf(""), errcode.MechanismUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, append(options, mongotest.Version(test.version))...), 0)
			reply := c.run(bson.Doc("saslStart", 1, "mechanism", test.mechanism, "payload", test.payload, "$db", test.db))
			checkRefused(t, reply, test.want)
			after := errcode.Unauthorized
			if test.want == 0 {
				after = 0
			}
			checkRefused(t, c.run(bson.Doc("count", "c", "$db", "db")), after)
			checkRefused(t, c.run(bson.Doc("saslContinue", 1, "conversationId", 1, "payload", payloadOf(""), "$db", test.db)), errcode.ProtocolError)
		})
	}
}

// newConversation returns the client's side of SCRAM-SHA-256.
func newConversation(t *testing.T) *scram.ClientConversation {
	t.Helper()
	client, err := scram.SHA256.NewClient("ada", "x", "")
	if err != nil {
		t.Fatal(err)
	}
	return client.NewConversation()
}

func step(t *testing.T, c *scram.ClientConversation, challenge bson.Raw) bson.Binary {
	t.Helper()
	_, text, _ := challenge.Lookup("payload").BinaryOK()
	out, err := c.Step(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return payloadOf(out)
}

// SCRAM takes two or three steps, and starts in the hello or after it.
func TestScramConversation(t *testing.T) {
	for _, test := range []struct {
		name               string
		speculative, skips bool
	}{{"three steps", false, false}, {"two steps", false, true}, {"in the hello", true, true}, {"in the hello, three steps", true, false}} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.Auth("ada", "x")), 0)
			conversation := newConversation(t)
			start := bson.Doc("saslStart", 1, "mechanism", "SCRAM-SHA-256", "payload", step(t, conversation, nil), "options", bson.Doc("skipEmptyExchange", test.skips))
			var reply bson.Raw
			if test.speculative {
				reply, _ = c.runAdmin("hello", 1, "speculativeAuthenticate", append(start, bson.E{Key: "db", Value: "admin"})).Lookup("speculativeAuthenticate").DocumentOK()
			} else {
				reply = c.runAdmin(pairs(start)...)
			}
			done := func() bool { b, _ := reply.Lookup("done").BooleanOK(); return b }
			next := func(payload bson.Binary) {
				id, _ := reply.Lookup("conversationId").AsInt64OK()
				reply = c.runAdmin("saslContinue", 1, "conversationId", id, "payload", payload)
				checkRefused(t, reply, 0)
			}
			next(step(t, conversation, reply))
			step(t, conversation, reply) // the server's signature
			if !conversation.Valid() || done() != test.skips {
				t.Errorf("%v", reply)
			}
			if !test.skips {
				checkRefused(t, c.run(bson.Doc("count", "c", "$db", "db")), errcode.Unauthorized)
				if next(bson.Binary{}); !done() {
					t.Errorf("%v", reply)
				}
			}
			checkRefused(t, c.run(bson.Doc("count", "c", "$db", "db")), 0)
			checkRefused(t, c.runAdmin("logout", 1), 0)
			checkRefused(t, c.run(bson.Doc("count", "c", "$db", "db")), errcode.Unauthorized)
		})
	}
}

func TestSaslContinueOfAnotherConversation(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Auth("ada", "x")), 0)
	checkRefused(t, c.runAdmin("saslContinue", 1, "conversationId", 1, "payload", payloadOf("")), errcode.ProtocolError)
	conversation := newConversation(t)
	reply := c.runAdmin("saslStart", 1, "mechanism", "SCRAM-SHA-256", "payload", step(t, conversation, nil))
	checkRefused(t, c.runAdmin("saslContinue", 1, "conversationId", 7, "payload", step(t, conversation, reply)), errcode.ProtocolError)
}

// newCertificates creates an authority, a server's certificate, and a client's certificate for a name.
func newCertificates(t *testing.T, name string) (server, client *tls.Config) {
	t.Helper()
	issue := func(template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) (*x509.Certificate, tls.Certificate) {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return certificate, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	}
	var keys [3]*ecdsa.PrivateKey
	for i := range keys {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = key
	}
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, IsCA: true, BasicConstraintsValid: true}
	authority, _ := issue(root, root, keys[0], keys[0])
	_, own := issue(&x509.Certificate{SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, authority, keys[1], keys[0])
	_, theirs := issue(&x509.Certificate{SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: name, Organization: []string{"shop"}}}, authority, keys[2], keys[0])
	pool := x509.NewCertPool()
	pool.AddCert(authority)
	return &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven},
		&tls.Config{RootCAs: pool, ServerName: "127.0.0.1", Certificates: []tls.Certificate{theirs}}
}

// The certificate of a client names its user.
func TestX509(t *testing.T) {
	server, client := newCertificates(t, "ada")
	const subject = "CN=ada,O=shop"
	anonymous := client.Clone()
	anonymous.Certificates = nil
	d := mongotest.Start(t, mongotest.TLS(server), mongotest.RequireAuth(), mongotest.WithUser(mongotest.User{Name: subject, DB: "$external"}))
	empty := mongotest.Start(t, mongotest.TLS(server), mongotest.RequireAuth())
	secured := func(d *mongotest.Deployment, settings *tls.Config) *rawConn {
		c := connectRaw(t, d, 0)
		c.nc = tls.Client(c.nc, settings)
		c.r.Reset(c.nc)
		return c
	}
	x509 := func(kv ...any) bson.D {
		return append(bson.Doc("authenticate", 1, "mechanism", "MONGODB-X509"), bson.Doc(kv...)...)
	}
	for _, test := range []struct {
		name    string
		conn    *rawConn
		command bson.D
		want    errcode.Code
	}{
		{"the subject", secured(d, client), x509("user", subject, "$db", "$external"), 0},
		{"no name", secured(d, client), x509("$db", "$external"), 0},
		{"another name", secured(d, client), x509("user", "CN=eve", "$db", "$external"), errcode.AuthenticationFailed},
		{"another database", secured(d, client), x509("$db", "admin"), errcode.ProtocolError},
		{"no certificate", secured(d, anonymous), x509("$db", "$external"), errcode.AuthenticationFailed},
		{"nobody", secured(empty, client), x509("$db", "$external"), errcode.AuthenticationFailed},
		{"another mechanism", secured(d, client), bson.Doc("authenticate", 1, "mechanism", "MONGODB-CR", "$db", "$external"), errcode.MechanismUnavailable},
		{"no TLS", connectRaw(t, mongotest.Start(t), 0), x509("$db", "$external"), errcode.ProtocolError},
	} {
		t.Run(test.name, func(t *testing.T) {
			reply := test.conn.run(test.command)
			checkRefused(t, reply, test.want)
			if name, _ := reply.Lookup("user").StringOK(); test.want == 0 && name != subject {
				t.Errorf("%v", reply)
			}
			if test.want == 0 {
				checkRefused(t, test.conn.run(bson.Doc("count", "c", "$db", "db")), 0)
			}
		})
	}
	// In the hello.
	c := secured(d, client)
	hello := c.runAdmin("hello", 1, "speculativeAuthenticate", bson.Doc("authenticate", 1, "mechanism", "MONGODB-X509", "db", "$external"))
	if hello.Lookup("speculativeAuthenticate", "user").IsZero() {
		t.Errorf("%v", hello)
	}
	checkRefused(t, c.run(bson.Doc("count", "c", "$db", "db")), 0)
	// A server with TLS sends nothing to a client without it.
	plain := connectRaw(t, d, 0)
	if plain.send(0, bson.Doc("ping", 1, "$db", "admin")); !plain.garbles() {
		t.Error("a server with TLS answers without")
	}
}

// garbles reports whether the server sends something other than a reply.
func (c *rawConn) garbles() bool {
	c.nc.SetReadDeadline(time.Now().Add(patience))
	head := make([]byte, 5)
	n, err := c.r.Read(head)
	return err != nil || n > 0 && head[0] == 21 // a TLS alert
}
