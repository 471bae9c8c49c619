package mongo_test

import (
	"sync/atomic"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// SDAM, "not writable primary and node is recovering": the code of a write concern error decides, and its text only if
// there is no code.
func TestWriteConcernErrorThatSaysThatTheServerHasChanged(t *testing.T) {
	for _, tt := range []struct {
		name  string
		error bson.D
		want  bool
	}{
		{"code", bson.Doc("code", 10107, "errmsg", ""), true},
		{"text of not writable primary", bson.Doc("errmsg", "not master"), true},
		{"text of node is recovering", bson.Doc("errmsg", "node is recovering"), true},
		{"text beside another code", bson.Doc("code", 64, "errmsg", "not master"), false},
		{"neither", bson.Doc("errmsg", "waiting for replication timed out"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			var unknown atomic.Bool
			client := connect(t, d, &options.Client{RetryWrites: new(false), ServerMonitor: &event.ServerMonitor{
				ServerDescriptionChanged: func(e *event.ServerDescriptionChanged) {
					if e.NewDescription.Type == description.ServerUnknown {
						unknown.Store(true)
					}
				},
			}})
			c := client.Database("shop").Collection("things")
			d.Control("insert", func(mongotest.Command) mongotest.Answer {
				return mongotest.Answer{Reply: encodeReply(t, "ok", 1, "n", 1, "writeConcernError", tt.error)}
			})
			if _, err := c.InsertOne(t.Context(), bson.D{}); err == nil {
				t.Error("the insert succeeded")
			}
			if unknown.Load() != tt.want {
				t.Errorf("the server became Unknown: %v, want %v", !tt.want, tt.want)
			}
		})
	}
}
