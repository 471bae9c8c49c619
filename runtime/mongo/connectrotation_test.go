package mongo_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"sync/atomic"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A password callback rotates a password without a restart: existing connections go on, and new ones use the new
// password.
func TestPasswordRotates(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		admin := s.connectForTest() // logs in before the password changes
		var password atomic.Value
		password.Store("first")
		client, err := mongo.Connect(t.Context(), "mongodb://"+s.d.Hosts()[0]+"/?replicaSet=rs0&retryReads=false", &options.Client{
			Dialer: s.d.Dialer(),
			Auth: &options.Credential{
				Username:         new("ada"),
				PasswordCallback: func(context.Context) (string, error) { return password.Load().(string), nil },
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(t.Context())
		find := func() error { return retriedRead.run(t.Context(), client.Database("shop").Collection("things")) }
		if err := find(); err != nil {
			t.Fatal(err)
		}
		if err := admin.Database("admin").RunCommand(t.Context(), bson.Doc("updateUser", "ada", "pwd", "second")).Err(); err != nil {
			t.Fatal(err)
		}
		if err := find(); err != nil {
			t.Errorf("on the old connection: %v", err)
		}
		s.d.CloseConnections(0)
		for range 2 { // the first operation may find out that its connection is gone
			err = find()
		}
		if err == nil {
			t.Error("a new connection is let in with the old password")
		}
		password.Store("second")
		if err := find(); err != nil {
			t.Errorf("on a new connection: %v", err)
		}
	}, mongotest.ReplicaSet(1), mongotest.Auth("ada", "first"), mongotest.RequireAuth())
}

// A certificate callback rotates a client certificate in the same way.
func TestClientCertificateRotates(t *testing.T) {
	t.Parallel()
	ca := newIssuer(t)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	var seen atomic.Value // the name in the certificate of the last connection
	d := mongotest.Start(t, mongotest.TLS(&tls.Config{
		Certificates: []tls.Certificate{ca.issue("server")}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
		VerifyConnection: func(state tls.ConnectionState) error {
			seen.Store(state.PeerCertificates[0].Subject.CommonName)
			return nil
		},
	}))
	var current atomic.Pointer[tls.Certificate]
	use := func(name string) {
		certificate := ca.issue(name)
		current.Store(&certificate)
	}
	use("first")
	client, err := mongo.Connect(t.Context(), "mongodb://"+d.Hosts()[0]+"/?tls=true", &options.Client{TLSConfig: &tls.Config{
		RootCAs:              pool,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return current.Load(), nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(t.Context())
	for _, name := range []string{"first", "second"} {
		use(name)
		d.CloseConnections(0)
		for range 2 {
			err = client.Ping(t.Context(), nil)
		}
		if err != nil || seen.Load() != name {
			t.Errorf("with the certificate %s: %v, the server saw %v", name, err, seen.Load())
		}
	}
}
