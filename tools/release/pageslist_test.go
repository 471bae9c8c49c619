package main

import (
	"strings"
	"testing"
)

// Why a command of a page is not run.
const (
	isTheClone = "the working tree takes the clone's place"
	ofThisRepo = "works on this repository, where CI runs it"
	untilEnd   = "runs until it is stopped; its own tests start it"
	needsMore  = "needs a deployment, accounts or a checkout that nobody has here"
)

var notRun = map[string]string{
	"git clone https://github.com/specdrivers/onion ../onion": isTheClone,

	"make bench":                  ofThisRepo,
	"make check":                  ofThisRepo,
	"make conformance SPECS=DIR":  ofThisRepo,
	"make cover":                  ofThisRepo,
	"make demo":                   ofThisRepo,
	"make fuzz":                   ofThisRepo,
	"make krb5":                   ofThisRepo,
	"make libmongocrypt":          ofThisRepo,
	"make mutate":                 ofThisRepo,
	"make race":                   ofThisRepo,
	"make stats":                  ofThisRepo,
	"make test":                   ofThisRepo,
	"SPECS=DIR go generate ./...": ofThisRepo,
	"go run . -readme ../../README.md -json DIR/report.json": ofThisRepo,
	"go test -bench 'BenchmarkEncryption$' ./runtime/mongo":  ofThisRepo,

	"go run github.com/specdrivers/onion/tools/mongotestd@latest": untilEnd,

	"git clone https://github.com/mongodb/specifications DIR": needsMore,
	"ssh -L 6060:localhost:6060 HOST":                         needsMore,
	"go run ./tools/conformance -specs ../specifications -server 'mongodb://localhost:27017/?replicaSet=rs0' -suite crud,transactions":      needsMore,
	"go run ./tools/conformance -specs ../specifications -server 'mongodb://localhost:27017/?replicaSet=rs0' -suite client-side-encryption": needsMore,
	"export FLE_AWS_KEY=... FLE_AWS_SECRET=...                  # and FLE_AWS_KEY2, FLE_AWS_SECRET2 for named providers":                    needsMore,
	"export FLE_AZURE_TENANTID=... FLE_AZURE_CLIENTID=... FLE_AZURE_CLIENTSECRET=...    # or FLE_AZURE_ACCESSTOKEN":                         needsMore,
	"export FLE_GCP_EMAIL=... FLE_GCP_PRIVATEKEY=...            # or FLE_GCP_ACCESSTOKEN":                                                   needsMore,
	"export CSFLE_TLS_CA_FILE=... CSFLE_TLS_CLIENT_CERT_FILE=...    # of the KMIP server at localhost:5698":                                 needsMore,
}

// prerequisitesOf returns what a page takes for granted: a module, and if the page is not about that, the modules that its program needs.
func prerequisitesOf(page string, script string) string {
	switch {
	case strings.Contains(script, "go mod init "):
		return "true"
	case strings.HasPrefix(page, "runtime/mongootel/"), strings.HasPrefix(page, "runtime/mongokrb5/"):
		return "go mod init example.com/shop"
	case strings.Contains(script, "bsongen -check"):
		return "go mod init example.com/shop && go mod tidy && go generate ./..."
	}
	return "go mod init example.com/shop && go mod tidy"
}

// printedBy lists what the program of a page prints.
var printedBy = map[string]string{"README.md": "Grace 45", "runtime/mongootel/README.md": "insert shop.users"}

// programOf returns the program in a page, or else the one that the page takes for granted, or else the README's.
func programOf(t *testing.T, page, text string) string {
	t.Helper()
	if p := programs[page]; p != "" {
		return p
	}
	_, program, ok := strings.Cut(text, "```go\npackage main\n")
	if !ok {
		_, program, _ = strings.Cut(readText(t, root, "README.md"), "```go\npackage main\n")
	}
	program, _, _ = strings.Cut(program, "```")
	return "package main\n" + program
}

var programs = map[string]string{
	"runtime/mongokrb5/README.md": `package main

import (
	"fmt"

	"github.com/specdrivers/onion/runtime/mongokrb5"
)

func main() { fmt.Println(mongokrb5.New(mongokrb5.Config{})) }
`,
	"tools/migrate/README.md": `package main

import (
	"context"
	"log"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func main() {
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://localhost:27017").SetAppName("shop"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Disconnect(context.Background())
}
`,
	"tools/bsongen/README.md": `package main

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
)

//go:generate go run github.com/specdrivers/onion/tools/bsongen -type Order,Invoice

type Order struct{ Number int }

type Invoice struct{ Orders []Order }

func main() { fmt.Println(bson.Marshal(Invoice{})) }
`,
}
