package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// topologyVersionOf returns the topologyVersion of a reply.
func topologyVersionOf(t *testing.T, reply bson.Raw) (bson.D, int64) {
	t.Helper()
	doc, _ := reply.Lookup("topologyVersion").DocumentOK()
	process, ok := doc.Lookup("processId").ObjectIDOK()
	counter, okay := doc.Lookup("counter").Int64OK()
	if !ok || !okay {
		t.Fatalf("no topologyVersion in %v", reply)
	}
	return bson.Doc("processId", process, "counter", counter), counter
}

// Each case is an awaitable hello that makes no sense to the kind of server.
func TestAwaitableHelloThatIsRefused(t *testing.T) {
	standalone, set, router := mongotest.Start(t), mongotest.Start(t, mongotest.ReplicaSet(1)), mongotest.Start(t, mongotest.Sharded(1))
	old := mongotest.Start(t, mongotest.Version("4.2"))
	type codes = [3]errcode.Code
	for _, test := range []struct {
		name    string
		counter any // nil for no topologyVersion
		wait    any
		exhaust bool
		want    codes
	}{
		{"no maxAwaitTimeMS", 0, nil, false, codes{errcode.Location31368, errcode.Location31368, errcode.Location51760}},
		{"no topologyVersion", nil, 10, false, codes{errcode.Location31368, errcode.Location31368, errcode.Location51760}},
		{"a negative counter", -1, 10, false, codes{errcode.Location31372, errcode.Location31372, errcode.Location51758}},
		{"a negative time", 0, -1, false, codes{errcode.Location31373, errcode.Location31373, errcode.Location51759}},
		{"a counter ahead", 1000, 10, false, codes{errcode.Location51764, errcode.Location31382, errcode.Location51761}},
		{"a stream without either", nil, nil, true, codes{errcode.Location51756, errcode.Location51756, errcode.Location51763}},
		{"a time that is no number", 0, "10", false, codes{errcode.TypeMismatch, errcode.TypeMismatch, errcode.TypeMismatch}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i, d := range []*mongotest.Deployment{standalone, set, router} {
				c := connectRaw(t, d, 0)
				version, _ := topologyVersionOf(t, c.runAdmin("hello", 1))
				doc := bson.Doc("hello", 1, "$db", "admin")
				if test.counter != nil {
					doc = append(doc, bson.E{Key: "topologyVersion", Value: bson.Doc("processId", version[0].Value, "counter", test.counter)})
				}
				if test.wait != nil {
					doc = append(doc, bson.E{Key: "maxAwaitTimeMS", Value: test.wait})
				}
				flags := uint32(0)
				if test.exhaust {
					flags = uint32(wire.ExhaustAllowed)
				}
				c.send(flags, doc)
				reply := c.receive()
				checkRefused(t, reply.body, test.want[i])
				if reply.flags != 0 {
					t.Errorf("flags %#x after an error", reply.flags)
				}
			}
			// 4.2 does not support awaitable hellos, and answers at once.
			c := connectRaw(t, old, 0)
			c.send(uint32(wire.ExhaustAllowed), bson.Doc("isMaster", 1, "maxAwaitTimeMS", 3600000, "$db", "admin"))
			if reply := c.receive(); codeOf(reply.body) != 0 || reply.flags != 0 {
				t.Errorf("%+v", reply)
			}
		})
	}
}

// The server answers an awaitable hello when its state changes, or when the time is over.
func TestAwaitableHelloWaits(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 1)
	version, counter := topologyVersionOf(t, c.runAdmin("hello", 1))
	same, again := topologyVersionOf(t, c.runAdmin("hello", 1, "topologyVersion", version, "maxAwaitTimeMS", 5))
	if again != counter || same[0] != version[0] {
		t.Errorf("%v after %v", same, version)
	}
	// A restart changes the state.
	other := bson.Doc("processId", bson.NewObjectID(), "counter", int64(0))
	topologyVersionOf(t, c.runAdmin("hello", 1, "topologyVersion", other, "maxAwaitTimeMS", 3600000))

	c.send(0, bson.Doc("hello", 1, "topologyVersion", version, "maxAwaitTimeMS", 3600000, "$db", "admin"))
	d.StepDown()
	reply := c.receive().body
	if _, after := topologyVersionOf(t, reply); after <= counter {
		t.Errorf("%v after %v", reply, version)
	}
}

// A stream of hellos reports every change until the client closes the connection. Each answer responds to the one
// before.
func TestExhaustHelloStreams(t *testing.T) {
	for _, name := range []string{"hello", "isMaster"} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3))
			c := connectRaw(t, d, 0)
			version, last := topologyVersionOf(t, c.runAdmin(name, 1))
			commands := len(d.Commands())
			c.send(uint32(wire.ExhaustAllowed), bson.Doc(name, 1, "topologyVersion", version, "maxAwaitTimeMS", 3600000, "$db", "admin"))
			previous, primary := c.last, ismaster(name)
			follow := func(what string, done func(bson.Raw) bool) {
				t.Helper()
				for {
					reply := c.receive()
					if reply.flags != uint32(wire.MoreToCome) || reply.responseTo != previous {
						t.Fatalf("%s: flags %#x, to %d, want %d", what, reply.flags, reply.responseTo, previous)
					}
					previous = reply.id
					_, counter := topologyVersionOf(t, reply.body)
					if counter <= last {
						t.Errorf("%s: counter %d after %d", what, counter, last)
					}
					if last = counter; done(reply.body) {
						return
					}
				}
			}
			d.StepDown()
			follow("a step-down", func(r bson.Raw) bool { b, _ := r.Lookup(primary).BooleanOK(); return !b })
			follow("an election", func(r bson.Raw) bool { s, _ := r.Lookup("primary").StringOK(); return s != "" })
			if err := d.Reconfigure(mongotest.Member{Node: 0, Priority: 1}, mongotest.Member{Node: d.Primary(), Priority: 1}); err != nil {
				t.Fatal(err)
			}
			follow("a reconfiguration", func(r bson.Raw) bool { n, _ := r.Lookup("setVersion").AsInt64OK(); return n == 2 })
			if got := len(d.Commands()) - commands; got != 1 {
				t.Errorf("%d commands were received, want the one that was sent", got)
			}
		})
	}
}

func ismaster(command string) string {
	if command == "hello" {
		return "isWritablePrimary"
	}
	return "ismaster"
}

// A standalone server and a mongos stream too. They send the same state each time maxAwaitTimeMS has passed.
func TestExhaustHelloWithoutChanges(t *testing.T) {
	for name, option := range map[string]mongotest.Option{"standalone": mongotest.Standalone(), "mongos": mongotest.Sharded(1)} {
		t.Run(name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, option), 0)
			version, counter := topologyVersionOf(t, c.runAdmin("hello", 1))
			c.send(uint32(wire.ExhaustAllowed), bson.Doc("hello", 1, "topologyVersion", version, "maxAwaitTimeMS", 1, "$db", "admin"))
			for range 3 {
				reply := c.receive()
				if _, got := topologyVersionOf(t, reply.body); got != counter || reply.flags != uint32(wire.MoreToCome) {
					t.Errorf("%+v", reply)
				}
			}
		})
	}
}
