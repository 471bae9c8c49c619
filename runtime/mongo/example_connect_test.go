package mongo_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"log"
	"log/slog"
	"math/big"
	"os"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// exampleServer is a server in this process.
func exampleServer(opts ...mongotest.Option) *mongotest.Deployment {
	server, err := mongotest.New(opts...)
	if err != nil {
		log.Fatal(err)
	}
	return server
}

// pingOnce connects and returns an error if the server does not answer.
func pingOnce(uri string, opts *options.Client) error {
	ctx := context.Background()
	client, err := mongo.Connect(ctx, uri, opts)
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	return client.Ping(ctx, nil)
}

// The server's certificate comes from a private authority.
func ExampleConnect_tls() {
	server := exampleServer(mongotest.TLS())
	defer server.Close()
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(server.CertificatePEM()) // or TLSCAFile: new("ca.pem")
	fmt.Println(pingOnce(server.URI(), &options.Client{TLSConfig: &tls.Config{RootCAs: authorities}}))
	// Output: <nil>
}

// A user name and a password: the driver and the server agree on SCRAM-SHA-256 or SCRAM-SHA-1.
func ExampleConnect_scram() {
	server := exampleServer(mongotest.Auth("ada", "secret"))
	defer server.Close()
	fmt.Println(pingOnce("mongodb://ada:secret@"+server.Hosts()[0], nil))
	fmt.Println(pingOnce("mongodb://"+server.Hosts()[0], &options.Client{
		Auth: &options.Credential{Username: new("ada"), Password: new("secret"), AuthMechanism: new("SCRAM-SHA-1")},
	}))
	// Output:
	// <nil>
	// <nil>
}

// PLAIN sends the password as it is, for servers that ask LDAP: use TLS.
func ExampleConnect_plain() {
	server := exampleServer(mongotest.TLS(), mongotest.RequireAuth(),
		mongotest.WithUser(mongotest.User{Name: "ada", DB: "$external", Password: "secret"}))
	defer server.Close()
	fmt.Println(pingOnce(server.URI(), &options.Client{
		TLSConfig: &tls.Config{RootCAs: server.RootCAs()},
		Auth:      &options.Credential{AuthMechanism: new("PLAIN"), Username: new("ada"), Password: new("secret")},
	}))
	// Output: <nil>
}

// A client certificate says who the client is.
func ExampleConnect_x509() {
	certificate := exampleCertificate("ada") // or TLSCertificateKeyFile: new("client.pem")
	ada := mongotest.User{Name: certificate.Leaf.Subject.String(), DB: "$external"}
	known := x509.NewCertPool()
	known.AddCert(certificate.Leaf)
	server := exampleServer(mongotest.RequireAuth(), mongotest.WithUser(ada), mongotest.TLS(&tls.Config{
		Certificates: []tls.Certificate{certificate}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: known,
	}))
	defer server.Close()
	fmt.Println(pingOnce("mongodb://"+server.Hosts()[0]+"/?authMechanism=MONGODB-X509&tls=true", &options.Client{
		TLSConfig: &tls.Config{RootCAs: known, Certificates: []tls.Certificate{certificate}},
	}))
	// Output: <nil>
}

// Keys of AWS. Without the provider they come from the connection string, the environment, or the machine's role.
func ExampleConnect_aws() {
	key := mongotest.AWSKey{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret", ARN: "arn:aws:iam::1:user/ada"}
	server := exampleServer(mongotest.RequireAuth(), mongotest.WithAWSKey(key),
		mongotest.WithUser(mongotest.User{Name: key.ARN, DB: "$external"}))
	defer server.Close()
	fmt.Println(pingOnce("mongodb://"+server.Hosts()[0], &options.Client{
		Auth: &options.Credential{
			AuthMechanism: new("MONGODB-AWS"),
			AWSCredentialProvider: func(context.Context) (options.AWSCredentials, error) {
				return options.AWSCredentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}, nil
			},
		},
	}))
	// Output: <nil>
}

// A token from the workload's identity provider. The environments azure, gcp and k8s need no callback, but the property
// ENVIRONMENT in AuthMechanismProperties.
func ExampleConnect_oidc() {
	server := exampleServer(mongotest.RequireAuth(), mongotest.WithToken(mongotest.Token{JWT: "token", Principal: "shop"}),
		mongotest.WithUser(mongotest.User{Name: "shop", DB: "$external"}))
	defer server.Close()
	fmt.Println(pingOnce("mongodb://"+server.Hosts()[0], &options.Client{
		Auth: &options.Credential{
			AuthMechanism: new("MONGODB-OIDC"),
			OIDCMachineCallback: func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
				return &options.OIDCCredential{AccessToken: "token"}, nil
			},
		},
	}))
	// Output: <nil>
}

// Log messages go to a *slog.Logger, and LogLevels says how much of them.
func ExampleConnect_slog() {
	server := exampleServer()
	defer server.Close()
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.MessageKey || a.Key == "commandName" {
				return a
			}
			return slog.Attr{} // what differs from run to run
		},
	})
	fmt.Println(pingOnce(server.URI(), &options.Client{
		Logger: slog.New(handler), LogLevels: &options.LogLevels{Command: new(slog.LevelDebug)},
	}))
	// Output:
	// msg="Command started" commandName=ping
	// msg="Command succeeded" commandName=ping
	// msg="Command started" commandName=endSessions
	// msg="Command succeeded" commandName=endSessions
	// <nil>
}

// Monitors receive events about commands, pools and servers.
func ExampleConnect_monitors() {
	server := exampleServer()
	defer server.Close()
	events := make(chan string, 10)
	err := pingOnce(server.URI(), &options.Client{
		CommandMonitor: &event.CommandMonitor{
			Started: func(_ context.Context, e *event.CommandStarted) {
				if e.CommandName == "ping" {
					events <- "command started: " + e.CommandName
				}
			},
		},
		PoolMonitor:   &event.PoolMonitor{PoolReady: func(*event.PoolReady) { events <- "pool ready" }},
		ServerMonitor: &event.ServerMonitor{ServerOpening: func(*event.ServerOpening) { events <- "server opening" }},
	})
	for range 3 {
		fmt.Println(<-events)
	}
	fmt.Println(err)
	// Unordered output:
	// server opening
	// pool ready
	// command started: ping
	// <nil>
}

// exampleCertificate makes a self-signed certificate, for a server on this machine or for a client.
func exampleCertificate(name string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	template.IPAddresses = append(template.IPAddresses, []byte{127, 0, 0, 1})
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		log.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		log.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}
