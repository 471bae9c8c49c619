package mongotest_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// recording records the calls of an observer.
type recording struct {
	mu       sync.Mutex
	received []string
	outcomes map[string]mongotest.Outcome
}

func (h *recording) observer() mongotest.Observer {
	h.outcomes = map[string]mongotest.Outcome{}
	return mongotest.Observer{
		Received: func(c mongotest.Command) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.received = append(h.received, c.Name)
		},
		Answered: func(c mongotest.Command, o mongotest.Outcome) {
			h.mu.Lock()
			defer h.mu.Unlock()
			o.Reply = append(bson.Raw(nil), o.Reply...)
			h.outcomes[c.Name] = o
		},
	}
}

func (h *recording) outcome(name string) (mongotest.Outcome, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o, ok := h.outcomes[name]
	return o, ok
}

func TestObserversHearOfCommandsAndTheirOutcomes(t *testing.T) {
	t.Parallel() // it mostly waits
	var h recording
	d := mongotest.Start(t, mongotest.NoCommands(), mongotest.Observe(h.observer()))
	client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{AppName: new("shop"), RetryReads: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	c := client.Database("shop").Collection("things")
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	d.Latency(0, 2*time.Millisecond)
	err = d.SetFailPoint(0, bson.Doc("configureFailPoint", "failCommand", "mode", bson.Doc("times", 1),
		"data", bson.Doc("failCommands", bson.A{"find"}, "closeConnection", true)))
	if err != nil {
		t.Fatal(err)
	}
	if state := d.Nodes()[0]; len(state.FailPoints) != 1 || state.Latency != 2*time.Millisecond || state.Role != "standalone" || state.Stopped {
		t.Errorf("%+v", state)
	}
	if err := c.FindOne(t.Context(), bson.D{}).Err(); err == nil {
		t.Fatal("the fail point did not act")
	}
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	client.Close(t.Context())
	d.Close() // waits for the connections to finish, including their calls of the observer
	if o, ok := h.outcome("insert"); !ok || o.Dropped || o.Took <= 0 || o.Reply.Lookup("n").IsZero() {
		t.Errorf("insert: %+v", o)
	}
	if o, ok := h.outcome("find"); !ok || !o.Dropped || len(o.Reply) != 0 {
		t.Errorf("find: %+v", o)
	}
	if o, ok := h.outcome("ping"); !ok || o.Took < 2*time.Millisecond {
		t.Errorf("ping: %+v", o)
	}
	if len(d.Commands()) != 0 || len(h.received) < 4 {
		t.Errorf("%d commands are remembered, %d were heard", len(d.Commands()), len(h.received))
	}
}

func TestNodesTellTheirStateAndConnections(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{AppName: new("shop")})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	arrived, answer := make(chan struct{}), make(chan struct{})
	d.Control("find", func(mongotest.Command) mongotest.Answer {
		close(arrived)
		<-answer
		return mongotest.Answer{}
	})
	done := make(chan error)
	go func() {
		done <- client.Database("shop").Collection("things").FindOne(context.Background(), bson.D{}).Err()
	}()
	<-arrived
	nodes := d.Nodes()
	close(answer)
	<-done
	var running *mongotest.ConnectionState
	for _, c := range nodes[0].Connections {
		if c.Running != nil && c.Running.Name == "find" {
			running = &c
		}
	}
	if running == nil || running.AppName != "shop" || running.Driver == "" || running.Client == "" || running.Running.DB != "shop" || running.Age <= 0 {
		t.Errorf("running %+v of %+v", running, nodes[0].Connections)
	}
	d.Lag(1, 2)
	d.Partition(2, time.Hour)
	d.Kill(0)
	nodes = d.Nodes()
	if !nodes[0].Stopped || nodes[1].Behind != 2 || !nodes[2].Partitioned {
		t.Errorf("%+v", nodes)
	}
	if d.Heal(2); d.Nodes()[2].Partitioned {
		t.Error("the partition goes on")
	}
}
