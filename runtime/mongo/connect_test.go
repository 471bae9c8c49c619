package mongo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestConnectionStringInOptions(t *testing.T) {
	server, err := mongotest.New()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	o := &options.Client{ConnectionString: new(server.URI())}
	for _, argument := range []string{"", "mongodb://nowhere.invalid"} {
		client, err := mongo.Connect(t.Context(), argument, &options.Client{AppName: new("shop")}, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Errorf("with %q as the argument: %v", argument, err)
		}
		client.Close(t.Context())
	}
}

func TestConnectionStringInOptionsIsNotPrinted(t *testing.T) {
	o := &options.Client{ConnectionString: new("mongodb://ada:lovelace@localhost")}
	if text := fmt.Sprintf("%v %+v %#v", o, *o, o); strings.Contains(text, "lovelace") {
		t.Errorf("printed %s", text)
	}
}
