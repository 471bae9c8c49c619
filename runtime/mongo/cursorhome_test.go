package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// homeOf is where a command went: to a server, or, behind a load balancer, over a connection, which alone leads to its router.
func homeOf(connection string, service *bson.ObjectID) string {
	if service != nil {
		return connection
	}
	return host(connection)
}

// homes returns where each cursor was opened.
func (r *recorder) homes() map[int64]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[int64]string{}
	for _, e := range r.succeeded {
		if id, ok := e.Reply.Lookup("cursor", "id").AsInt64OK(); ok && id != 0 && e.CommandName != "getMore" {
			out[id] = homeOf(e.ConnectionID, e.ServiceID)
		}
	}
	return out
}

// checkHomes fails unless every getMore and killCursors went to where the cursor is. It returns how many
// were killed.
func (r *recorder) checkHomes(t *testing.T) (killed int) {
	t.Helper()
	homes := r.homes()
	for _, e := range r.commands("getMore") {
		if id, _ := e.Command.Lookup("getMore").AsInt64OK(); homes[id] != homeOf(e.ConnectionID, e.ServiceID) {
			t.Errorf("getMore of a cursor on %s went to %s", homes[id], e.ConnectionID)
		}
	}
	for _, e := range r.commands("killCursors") {
		cursors, _ := e.Command.Lookup("cursors").ArrayOK()
		for _, cursor := range cursors.All() {
			killed++
			if id, _ := cursor.AsInt64OK(); homes[id] != homeOf(e.ConnectionID, e.ServiceID) {
				t.Errorf("killCursors of a cursor on %q went to %s", homes[id], e.ConnectionID)
			}
		}
	}
	return killed
}

// A cursor is read and killed on the server that has it, even if selection would now choose another.
//
// Find, getMore and killCursors Commands, "getMore"; Driver Sessions, "Sessions and Cursors".
func TestCursorsStayOnTheirServers(t *testing.T) {
	for name, shape := range map[string]mongotest.Option{
		"replica set": mongotest.ReplicaSet(3), "routers": mongotest.Sharded(3), "a load balancer": mongotest.LoadBalanced(3),
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				var events recorder
				client := s.connect("localThresholdMS=1000&readPreference=nearest", &options.Client{CommandMonitor: events.monitor()})
				defer client.Close(context.Background())
				time.Sleep(time.Second)
				c := client.Database("test").Collection("test")
				for range 6 {
					if err := insertEmpty(t.Context(), c); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second) // until every member has the documents
				const cursors = 12
				for range cursors {
					cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(2))})
					if err != nil {
						t.Fatal(err)
					}
					for range 3 {
						if !cursor.Next(t.Context()) {
							t.Fatal(cursor.Err())
						}
					}
					cursor.Close(t.Context())
				}
				if killed := events.checkHomes(t); killed != cursors {
					t.Errorf("%d cursors were killed, want %d", killed, cursors)
				}
			}, shape)
		})
	}
}

// A stream that resumes after an election kills its cursor on the member that has it, and nowhere else.
//
// Change Streams, "Resume Process".
func TestAResumedStreamKillsItsCursorAtHome(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		c := s.insertThree(client)
		stream, err := c.Watch(t.Context(), mongo.Pipeline{})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(context.Background())
		for range 3 {
			for range 2 { // each empty batch moves the token
				if stream.TryNext(t.Context()) || stream.Err() != nil {
					t.Fatal("an event, or", stream.Err())
				}
			}
			s.d.StepDown()
			time.Sleep(10 * time.Second)
			if err := insertEmpty(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if !stream.Next(t.Context()) {
				t.Fatal(stream.Err())
			}
			s.d.Control("getMore", func(mongotest.Command) mongotest.Answer {
				return mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 6, "errmsg", "told to",
					"errorLabels", bson.A{"ResumableChangeStreamError"})}
			})
		}
		stream.TryNext(t.Context())
		homes := map[string]bool{}
		for _, home := range events.homes() {
			homes[home] = true
		}
		if killed := events.checkHomes(t); killed == 0 || len(homes) < 2 {
			t.Errorf("%d cursors were killed, on %v", killed, homes)
		}
	}, mongotest.ReplicaSet(3))
}

// A stream whose server has left the set resumes with another: to the stream, the loss of its pool is a network error.
//
// Change Streams, "Resumable Error".
func TestAStreamOutlivesItsServer(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		c := s.insertThree(client)
		stream, err := c.Watch(t.Context(), mongo.Pipeline{})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(context.Background())
		var members []mongotest.Member
		for i := range 3 {
			if i != s.d.Primary() {
				members = append(members, mongotest.Member{Node: i, Priority: 1})
			}
		}
		if err := s.d.Reconfigure(members...); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second) // until the client knows of it
		if err := insertEmpty(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if !stream.Next(t.Context()) {
			t.Fatal(stream.Err())
		}
		sent := events.commands("aggregate")
		if len(sent) != 2 || host(sent[0].ConnectionID) == host(sent[1].ConnectionID) || len(events.commands("killCursors")) != 0 {
			t.Errorf("%d aggregates, %d killCursors", len(sent), len(events.commands("killCursors")))
		}
	}, mongotest.ReplicaSet(3))
}
