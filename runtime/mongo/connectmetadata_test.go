package mongo_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// info holds a name, a version and a platform.
type info = options.DriverInfo

// The client metadata update tests of the handshake specification, by their numbers. They check the handshake of a new
// connection after libraries have added their names. The expectations leave out the driver's own part.
func TestMetadataUpdates(t *testing.T) {
	library, framework := info{Name: "library", Version: "1.2", Platform: "Library Platform"}, info{Name: "framework", Version: "2.0", Platform: "Framework Platform"}
	cases := []struct {
		name    string
		atStart *info
		added   []info
		want    info
	}{
		{"1, case 1", &library, []info{framework}, info{Name: "library|framework", Version: "1.2|2.0", Platform: "Library Platform|Framework Platform"}},
		{"1, case 2", &library, []info{{Name: "framework", Version: "2.0"}}, info{Name: "library|framework", Version: "1.2|2.0", Platform: "Library Platform"}},
		{"1, case 3", &library, []info{{Name: "framework", Platform: "Framework Platform"}}, info{Name: "library|framework", Version: "1.2", Platform: "Library Platform|Framework Platform"}},
		{"1, case 4", &library, []info{{Name: "framework"}}, info{Name: "library|framework", Version: "1.2", Platform: "Library Platform"}},
		{"2, both added", nil, []info{library, framework}, info{Name: "library|framework", Version: "1.2|2.0", Platform: "Library Platform|Framework Platform"}},
		{"2, the second without a version", nil, []info{library, {Name: "framework"}}, info{Name: "library|framework", Version: "1.2", Platform: "Library Platform"}},
		{"3, the same twice", nil, []info{library, library}, library},
		{"3, another name", nil, []info{library, {Name: "framework", Version: "1.2", Platform: "Library Platform"}},
			info{Name: "library|framework", Version: "1.2|1.2", Platform: "Library Platform|Library Platform"}},
		{"3, another version", nil, []info{library, {Name: "library", Version: "2.0", Platform: "Library Platform"}},
			info{Name: "library|library", Version: "1.2|2.0", Platform: "Library Platform|Library Platform"}},
		{"4, the first again", nil, []info{library, framework, library}, info{Name: "library|framework", Version: "1.2|2.0", Platform: "Library Platform|Framework Platform"}},
		{"5, the same as at the start", &library, []info{library}, library},
		{"6, the same as at the start, later", &library, []info{framework, library}, info{Name: "library|framework", Version: "1.2|2.0", Platform: "Library Platform|Framework Platform"}},
		{"7, empty is unset", nil, []info{{Name: "library", Version: "", Platform: "Library Platform"}, {Name: "library", Platform: "Library Platform"}},
			info{Name: "library", Platform: "Library Platform"}},
		{"8, empty is unset at the start", &info{Name: "library", Version: "1.2"}, []info{{Name: "library", Version: "1.2", Platform: ""}}, info{Name: "library", Version: "1.2"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t)
			client := connect(t, d, &options.Client{DriverInfo: tc.atStart})
			for _, add := range tc.added {
				handshakeAfterPing(t, d, client)
				if err := client.AppendMetadata(add); err != nil {
					t.Fatal(err)
				}
				if err := client.Ping(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
			if got := handshakeAfterPing(t, d, client); got != tc.want {
				t.Errorf("metadata = %+v, want %+v", got, tc.want)
			}
		})
	}
	t.Run("9, the separator is refused", func(t *testing.T) {
		client := connect(t, mongotest.Start(t))
		for _, bad := range []info{{Name: "a|b"}, {Name: "a", Version: "1|2"}, {Name: "a", Platform: "x|y"}} {
			if err := client.AppendMetadata(bad); err == nil {
				t.Errorf("%+v was accepted", bad)
			}
		}
	})
}

// handshakeAfterPing makes the client open a connection, and returns the metadata in its handshake without the driver's
// own part. No connection may send it more than once.
func handshakeAfterPing(t *testing.T, d *mongotest.Deployment, client *mongo.Client) info {
	t.Helper()
	d.CloseConnections(0)
	for client.Ping(t.Context(), nil) != nil { // the next operation finds that the pooled connection is dead
		if t.Context().Err() != nil {
			t.Fatal("the deployment does not answer")
		}
	}
	said := map[int64][]info{}
	var last int64
	for _, c := range d.Commands() {
		if c.Name == "ping" {
			last = c.ConnectionID
		}
		if doc, ok := c.Body.Lookup("client").DocumentOK(); ok {
			name, _ := doc.Lookup("driver", "name").StringOK()
			version, _ := doc.Lookup("driver", "version").StringOK()
			platform, _ := doc.Lookup("platform").StringOK()
			said[c.ConnectionID] = append(said[c.ConnectionID], info{Name: removeDriverPart(name), Version: removeDriverPart(version), Platform: removeDriverPart(platform)})
		}
	}
	for id, infos := range said {
		if len(infos) != 1 {
			t.Errorf("connection %d told its metadata %d times", id, len(infos))
		}
	}
	if len(said[last]) == 0 {
		t.Fatalf("connection %d told no metadata", last)
	}
	return said[last][0]
}

// removeDriverPart removes the driver's own part.
func removeDriverPart(field string) string {
	_, rest, _ := strings.Cut(field, "|")
	return rest
}
