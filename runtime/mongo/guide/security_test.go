package guide_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"os"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func Example_password() {
	server, err := mongotest.New(mongotest.Auth("ada", "secret"))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx := context.Background()

	client, err := mongo.Connect(ctx, server.URI(), &options.Client{
		Auth: &options.Credential{
			Username:         new("ada"),
			PasswordCallback: func(context.Context) (string, error) { return readSecret() },
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	fmt.Println(client.Ping(ctx, nil))
	// Output: <nil>
}

func readSecret() (string, error) { return "secret", nil }

func Example_clientCertificate() {
	settings := &tls.Config{
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			certificate, err := tls.LoadX509KeyPair("client.crt", "client.key") // read again for each connection
			return &certificate, err
		},
	}
	client, err := mongo.Connect(context.Background(), "mongodb://db.example.com/?authMechanism=MONGODB-X509",
		&options.Client{TLSConfig: settings})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Close(context.Background()))
	// Output: <nil>
}

func Example_oidc() {
	token := func(ctx context.Context, _ *options.OIDCArgs) (*options.OIDCCredential, error) {
		data, err := os.ReadFile("/var/run/secrets/token")
		if err != nil {
			return nil, err
		}
		return &options.OIDCCredential{AccessToken: string(data)}, nil
	}
	client, err := mongo.Connect(context.Background(), "mongodb://db.example.com/?tls=true", &options.Client{
		Auth: &options.Credential{AuthMechanism: new("MONGODB-OIDC"), OIDCMachineCallback: token},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Close(context.Background()))
	// Output: <nil>
}
