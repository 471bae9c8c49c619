package mongokrb5_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongokrb5"
)

// A program logs in with the keys of a keytab. It needs a key distribution center, so nothing runs here.
func ExampleNew() {
	ctx := context.Background()

	krb, err := mongokrb5.New(mongokrb5.Config{Keytab: "/etc/shop/ada.keytab"})
	if err != nil {
		log.Fatal(err) // there is no krb5.conf, or it cannot be read
	}
	defer krb.Close()
	client, err := mongo.Connect(ctx, "mongodb://ada%40EXAMPLE.COM@db.example.com/?authMechanism=GSSAPI",
		&options.Client{Auth: &options.Credential{Mechanism: krb}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	fmt.Println(client.Ping(ctx, nil))
}

// A person has run kinit, and the service has another name and realm than the driver would take.
func ExampleNew_credentialCache() {
	ctx := context.Background()
	krb, err := mongokrb5.New(mongokrb5.Config{CredentialCache: "/tmp/krb5cc_1000"})
	if err != nil {
		log.Fatal(err)
	}
	defer krb.Close()

	login := &options.Credential{
		AuthMechanism: new("GSSAPI"),
		Username:      new("ada@EXAMPLE.COM"),
		AuthMechanismProperties: map[string]string{
			"SERVICE_NAME":           "mongodb-shop", // mongodb, if it is not set
			"SERVICE_REALM":          "EXAMPLE.ORG",
			"CANONICALIZE_HOST_NAME": "forwardAndReverse",
		},
		Mechanism: krb,
	}
	client, err := mongo.Connect(ctx, "mongodb://db.example.com", &options.Client{Auth: login})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	fmt.Println(client.Ping(ctx, nil))
}

// TestREADMEShowsCodeThatCompiles checks that each block of Go in the README is in an example above.
func TestREADMEShowsCodeThatCompiles(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no code")
	}
	for _, part := range blocks {
		block, _, _ := strings.Cut(part, "```")
		if !strings.Contains(strings.ReplaceAll(string(source), "\t", ""), strings.ReplaceAll(block, "\t", "")) {
			t.Errorf("not part of an example:\n%s", block)
		}
	}
}
