package sdam

import (
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
)

// FuzzServerFromHello feeds replies from the wire, well-formed or not, through the classification and a transition.
func FuzzServerFromHello(f *testing.F) {
	for _, doc := range []bson.D{
		{},
		{{Key: "ok", Value: 1}, {Key: "isWritablePrimary", Value: true}},
		{{Key: "ok", Value: 1}, {Key: "msg", Value: "isdbgrid"}, {Key: "maxWireVersion", Value: int64(1) << 40}},
		{{Key: "ok", Value: 1}, {Key: "setName", Value: "rs"}, {Key: "secondary", Value: true}, {Key: "me", Value: 5},
			{Key: "hosts", Value: bson.A{"A:1", 7, "b:1"}}, {Key: "tags", Value: bson.D{{Key: "a", Value: 1}}}},
		{{Key: "ok", Value: 1}, {Key: "topologyVersion", Value: bson.D{{Key: "processId", Value: bson.ObjectID{}}}},
			{Key: "lastWrite", Value: bson.D{{Key: "lastWriteDate", Value: bson.DateTime(-1)}}}},
		{{Key: "ok", Value: 0}, {Key: "errmsg", Value: "no"}, {Key: "errorLabels", Value: bson.A{"A", 1}}},
	} {
		raw, err := bson.Marshal(doc)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := ServerFromHello("a:1", data, time.Unix(1, 0))
		if (s.Type == description.ServerUnknown) != (s.Err != nil) {
			t.Fatalf("type %v with error %v", s.Type, s.Err)
		}
		m := &Model{Seeds: []string{"a:1", "b:1"}}
		before, _ := m.Initial()
		after, _ := applyInput(m, before, input{server: s})
		if !slices.IsSortedFunc(after.Servers, func(a, b description.Server) int {
			if a.Address < b.Address {
				return -1
			}
			return 1
		}) {
			t.Fatalf("servers are not sorted and unique: %s", Format(&after))
		}
	})
}
