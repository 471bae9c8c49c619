package mongo_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Snapshot Sessions, "Sending readConcern to the server on all commands".
func TestCommandsOfASnapshotSessionCarryItsReadConcern(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		c := s.insertThree(client)
		snapshot := &options.Session{Snapshot: new(true)}
		err := client.UseSessionWithOptions(t.Context(), snapshot, func(ctx context.Context, _ *mongo.Session) error {
			cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
			if err != nil {
				return err
			}
			for range 2 {
				if !cursor.Next(ctx) {
					t.Errorf("there is no document: %v", cursor.Err())
				}
			}
			return cursor.Close(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"find": "snapshot", "getMore": "snapshot", "killCursors": ""} {
			for _, e := range events.commands(name) {
				level, _ := e.Command.Lookup("readConcern", "level").StringOK()
				if at := e.Command.Lookup("readConcern", "atClusterTime"); level != want || at.IsZero() != (name != "getMore") {
					t.Errorf("%s carries %v", name, e.Command.Lookup("readConcern"))
				}
			}
			if n := len(events.commands(name)); n != 1 {
				t.Errorf("%d commands %s, want 1", n, name)
			}
		}
	}, mongotest.ReplicaSet(1))
}
