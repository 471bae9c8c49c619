package mongo_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// declaredAPI lists the fields of a command that declare the stable API, in their order.
func declaredAPI(command bson.Raw) []string {
	var out []string
	for key, value := range command.All() {
		if strings.HasPrefix(key, "api") {
			out = append(out, key+": "+value.String())
		}
	}
	return out
}

// Versioned API, "ServerApi class", "Command Syntax" and "Generic command helper": the version declared at Connect does
// not change, unset options are not sent, and RunCommand does not look for them in its document.
func TestTheDeclaredAPIIsThatOfTheClient(t *testing.T) {
	d := mongotest.Start(t)
	api := &options.ServerAPI{Version: options.ServerAPIVersion1}
	client := connect(t, d, &options.Client{ServerAPI: api})
	api.Strict, api.Version = new(true), "2"
	db := client.Database("shop")
	for _, tt := range []struct {
		command bson.D
		want    []string
	}{
		{bson.Doc("ping", 1), []string{`apiVersion: "1"`}},
		{bson.Doc("ping", 1, "apiStrict", false), []string{"apiStrict: false", `apiVersion: "1"`}},
	} {
		d.ForgetCommands()
		if err := db.RunCommand(t.Context(), tt.command).Err(); err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Commands() {
			if c.Name != "ping" {
				continue
			}
			if got := declaredAPI(c.Body); !slices.Equal(got, tt.want) {
				t.Errorf("%v was sent with %q, want %q", tt.command, got, tt.want)
			}
		}
	}
}

// Versioned API, "Sending Declared API Version to the Server" and "Handshake behavior": whatever the server says about
// itself, the version is declared, and hello is the only greeting.
func TestADeclaredAPIAsksNoServerFirst(t *testing.T) {
	for _, tt := range []struct {
		version string
		served  bool
	}{{"4.2", false}, {"4.4", true}, {"8.0", true}} {
		t.Run(tt.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := mongotest.Start(t, mongotest.Version(tt.version), mongotest.InMemory())
				client := connect(t, d, &options.Client{
					Dialer: d.Dialer(), ServerAPI: &options.ServerAPI{Version: options.ServerAPIVersion1},
					ServerSelectionTimeout: new(5 * time.Second), HeartbeatFrequency: new(time.Second),
				})
				if err := client.Ping(t.Context(), nil); (err == nil) != tt.served {
					t.Errorf("the error is %v", err)
				}
				time.Sleep(5 * time.Second) // in virtual time: the monitor asks again
				if len(d.Commands()) < 5 {
					t.Errorf("%d commands arrived", len(d.Commands()))
				}
				for _, c := range d.Commands() {
					if got := declaredAPI(c.Body); !slices.Equal(got, []string{`apiVersion: "1"`}) || strings.EqualFold(c.Name, "isMaster") {
						t.Errorf("%s was sent with %q", c.Name, got)
					}
				}
			})
		})
	}
}
