package unified

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Unified Test Format, "Disabling Fail Points": the next case finds none on a deployment that cases share.
func TestFailPointsEndWithTheirCase(t *testing.T) {
	point := bson.Doc("configureFailPoint", "failCommand", "mode", "alwaysOn",
		"data", bson.Doc("failCommands", bson.A{"ping"}, "errorCode", 13))
	for _, tt := range []struct {
		name string
		body func(*Client)
	}{
		{"of an open client", func(*Client) {}},
		{"of a client that the case has closed", func(c *Client) { c.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := mongotest.Start(t)
			where := Kindred{Topology: "single", Version: mongotest.DefaultVersion, uri: server.URI()}
			runCase(t, where, On(), func(r *Run) {
				c := r.Client(ClientOptions{})
				c.FailPoint(point)
				tt.body(c)
			})
			client, err := mongo.Connect(t.Context(), server.URI())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close(t.Context())
			if err := client.Database("admin").RunCommand(t.Context(), bson.Doc("ping", 1)).Err(); err != nil {
				t.Error(err)
			}
		})
	}
}
