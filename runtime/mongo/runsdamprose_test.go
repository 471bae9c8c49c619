package mongo_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of Server Discovery and Monitoring and of Max Staleness, in virtual time.

func TestSDAMProseAllServersUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, err := mongo.Connect(t.Context(), "mongodb://a,b,c/?replicaSet=rs", &options.Client{Dialer: nowhere{}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		client.Close(context.Background())
	})
}

// changes records the changes of servers and of the topology.
type changes struct {
	mu       sync.Mutex
	servers  []description.Server
	topology []description.TopologyType
}

func (c *changes) monitor() *event.ServerMonitor {
	return &event.ServerMonitor{
		ServerDescriptionChanged: func(e *event.ServerDescriptionChanged) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.servers = append(c.servers, *e.NewDescription)
		},
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChanged) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.topology = append(c.topology, e.NewDescription.Type)
		},
	}
}

// Where the test document and the specification differ, the specification wins. A multi-threaded client checks a
// primary at once when it says that it is not primary. Servers that send no code say "not master".
func TestSDAMProseStateChangeErrors(t *testing.T) {
	read := func(rp *options.ReadPreference) func(context.Context, *mongo.Collection) error {
		return func(ctx context.Context, c *mongo.Collection) error {
			return c.Clone(&options.Collection{ReadPreference: rp}).FindOne(ctx, bson.D{}).Err()
		}
	}
	count := func(rp *options.ReadPreference) func(context.Context, *mongo.Collection) error {
		return func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.Clone(&options.Collection{ReadPreference: rp}).EstimatedDocumentCount(ctx)
			return err
		}
	}
	for _, tt := range []struct {
		name, command string
		run           func(context.Context, *mongo.Collection) error
		reply         []any
		topology      description.TopologyType
	}{
		{"a read of the primary: not writable primary", "find", read(mongo.Primary()),
			[]any{"ok", 0, "errmsg", "told to", "code", 13435}, description.ReplicaSetNoPrimary},
		{"a read of a secondary: node is recovering", "find", read(mongo.Secondary()),
			[]any{"ok", 0, "errmsg", "told to", "code", 13436}, description.ReplicaSetWithPrimary},
		{"write command", "insert", retriedWrite.run, []any{"ok", 0, "errmsg", "not master"}, description.ReplicaSetNoPrimary},
		{"another order of fields", "insert", retriedWrite.run, []any{"errmsg", "not master", "ok", 0}, description.ReplicaSetNoPrimary},
		{"count with SecondaryOk", "count", count(mongo.Secondary()), []any{"ok", 0, "errmsg", "node is recovering"}, description.ReplicaSetWithPrimary},
		{"count without SecondaryOk", "count", count(mongo.Primary()), []any{"ok", 0, "errmsg", "not master"}, description.ReplicaSetNoPrimary},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				var seen changes
				client := s.connect("retryReads=false&retryWrites=false&serverMonitoringMode=poll&heartbeatFrequencyMS=60000", &options.Client{ServerMonitor: seen.monitor()})
				defer client.Close(context.Background())
				time.Sleep(time.Second) // every member is known
				seen.mu.Lock()
				before := len(seen.servers)
				seen.mu.Unlock()
				s.d.Control(tt.command, func(mongotest.Command) mongotest.Answer {
					return mongotest.Answer{Reply: encodeReply(t, tt.reply...)}
				})
				if err := tt.run(t.Context(), client.Database("shop").Collection("things")); err == nil {
					t.Error("there is no error")
				}
				time.Sleep(600 * time.Millisecond) // the next heartbeat is far off: a check came as soon as it may
				seen.mu.Lock()
				defer seen.mu.Unlock()
				if len(seen.servers) != before+2 || len(seen.topology) < 2 {
					t.Fatalf("%d changes of servers", len(seen.servers)-before)
				}
				failed, again := seen.servers[before], seen.servers[before+1]
				message, _ := encodeReply(t, tt.reply...).Lookup("errmsg").StringOK()
				if failed.Type != description.ServerUnknown || failed.Err == nil || !strings.Contains(failed.Err.Error(), message) {
					t.Errorf("the server became %v: %v", failed.Type, failed.Err)
				}
				if again.Address != failed.Address || again.Type == description.ServerUnknown {
					t.Errorf("the next change is that of %s to %v", again.Address, again.Type)
				}
				if got := seen.topology[len(seen.topology)-2]; got != tt.topology {
					t.Errorf("the topology became %v, want %v", got, tt.topology)
				}
			}, mongotest.ReplicaSet(3))
		})
	}
}

func TestSDAMProseDirectConnection(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		fails       bool
	}{
		{"topology discovery", "?directConnection=false", false},
		{"direct connection", "?directConnection=true", true},
		{"the default is discovery", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				secondary := s.d.Hosts()[(s.d.Primary()+1)%3]
				client, err := mongo.Connect(t.Context(), "mongodb://"+secondary+"/"+tt.query, &options.Client{Dialer: s.d.Dialer()})
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close(context.Background())
				err = retriedWrite.run(t.Context(), client.Database("shop").Collection("things"))
				if tt.fails != mongo.HasErrorCode(err, 10107) || !tt.fails && err != nil {
					t.Errorf("got %v", err)
				}
			}, mongotest.ReplicaSet(3))
		})
	}
}

func TestMaxStalenessProseConnectionString(t *testing.T) {
	for _, tt := range []struct {
		query string
		want  time.Duration // 0 = none
		fails bool
	}{
		{"readPreference=secondary&maxStalenessSeconds=120", 2 * time.Minute, false},
		{"maxStalenessSeconds=120", 0, true},
		{"readPreference=primary&maxStalenessSeconds=120", 0, true},
		{"readPreference=secondary&maxStalenessSeconds=-1", 0, false},
		{"readPreference=primary&maxStalenessSeconds=-1", 0, false},
		{"readPreference=secondary&maxStalenessSeconds=1", 0, false}, // URI Options has it ignored, with a warning
	} {
		t.Run(tt.query, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				uri := "mongodb://" + s.d.Hosts()[0] + "/?" + tt.query
				client, err := mongo.Connect(t.Context(), uri, &options.Client{Dialer: s.d.Dialer()})
				if (err != nil) != tt.fails {
					t.Fatalf("got %v", err)
				}
				if err == nil {
					defer client.Close(context.Background())
					testMaxStalenessIsSent(t, s, client, tt.want)
				}
			}, mongotest.Sharded(1))
		})
	}
}

func testMaxStalenessIsSent(t *testing.T, s *scene, client *mongo.Client, want time.Duration) {
	t.Helper()
	if err := retriedRead.run(t.Context(), client.Database("shop").Collection("things")); err != nil {
		t.Error(err)
	}
	for _, c := range s.d.Commands() {
		if c.Name != "find" {
			continue
		}
		got := c.Body.Lookup("$readPreference", "maxStalenessSeconds")
		if seconds, _ := got.AsInt64OK(); time.Duration(seconds)*time.Second != want || want == 0 && !got.IsZero() {
			t.Errorf("find has %v, want %v", c.Body.Lookup("$readPreference"), want)
		}
	}
}
