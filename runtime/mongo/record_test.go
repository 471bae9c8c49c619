package mongo_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// recorder remembers the events of commands.
type recorder struct {
	mu        sync.Mutex
	started   []*event.CommandStarted
	succeeded []*event.CommandSucceeded
	failed    []*event.CommandFailed
}

func (r *recorder) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStarted) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.started = append(r.started, e)
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceeded) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.succeeded = append(r.succeeded, e)
		},
		Failed: func(_ context.Context, e *event.CommandFailed) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.failed = append(r.failed, e)
		},
	}
}

// commands are the started events of a command.
func (r *recorder) commands(name string) []*event.CommandStarted {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*event.CommandStarted
	for _, e := range r.started {
		if e.CommandName == name {
			list = append(list, e)
		}
	}
	return list
}

// check fails for each command that did not start exactly once and end exactly once.
func (r *recorder) check(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	open := map[int64]int{}
	for _, e := range r.started {
		open[e.RequestID]++
	}
	for _, e := range r.succeeded {
		open[e.RequestID]--
	}
	for _, e := range r.failed {
		open[e.RequestID]--
	}
	for id, n := range open {
		if n != 0 {
			t.Errorf("request %d: %d events too many or too few", id, n)
		}
	}
}

// connectRecorded connects a client whose commands are recorded.
func connectRecorded(t *testing.T, d *mongotest.Deployment, opts ...*options.Client) (*mongo.Client, *recorder) {
	t.Helper()
	r := &recorder{}
	client := connect(t, d, append(opts, &options.Client{CommandMonitor: r.monitor()})...)
	t.Cleanup(func() { r.check(t) })
	return client, r
}

// fail configures failCommand on the node that runs commands of the client: the primary, or each mongos.
func fail(t *testing.T, d *mongotest.Deployment, mode any, data bson.D) {
	t.Helper()
	for i, host := range d.Hosts() {
		if strings.Contains(d.URI(), "replicaSet=") && i != d.Primary() {
			continue
		}
		user := ""
		if at := strings.LastIndexByte(d.URI(), '@'); at >= 0 {
			user = strings.TrimPrefix(d.URI()[:at+1], "mongodb://")
		}
		admin, err := mongo.Connect(t.Context(), "mongodb://"+user+host+"/?directConnection=true",
			&options.Client{Dialer: d.Dialer()})
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close(context.Background())
		command := bson.Doc("configureFailPoint", "failCommand", "mode", mode, "data", data)
		if err := admin.Database("admin").RunCommand(t.Context(), command).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

var once = bson.Doc("times", 1)

// shortWait is long enough to show that an event does not come.
const shortWait = 50 * time.Millisecond

func failCommandData(command string, rest ...any) bson.D {
	return append(bson.Doc("failCommands", bson.A{command}), bson.Doc(rest...)...)
}

// encodeReply encodes a reply.
func encodeReply(t *testing.T, kv ...any) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(bson.Doc(kv...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
