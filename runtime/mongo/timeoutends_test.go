package mongo_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The documents that have come are there after the cursor's time, too. Only a getMore is too late.
//
// Client Side Operations Timeout, "Non-tailable Cursors".
func TestABatchOutlivesTheTimeOfItsCursor(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, r := s.connectRecorded()
		c := client.Database("db").Collection("c")
		if _, err := c.InsertMany(t.Context(), emptyDocuments(3)); err != nil {
			t.Fatal(err)
		}
		cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{Timeout: new(time.Second), BatchSize: new(int32(2))})
		if err != nil {
			t.Fatal(err)
		}
		defer cursor.Close(t.Context())
		time.Sleep(time.Minute)
		for i := range 2 {
			if !cursor.Next(t.Context()) {
				t.Errorf("document %d: %v", i, cursor.Err())
			}
		}
		if cursor.Next(t.Context()) || !mongo.IsTimeout(cursor.Err()) || len(r.commands("getMore")) != 0 {
			t.Errorf("behind the batch: %v, %d getMores", cursor.Err(), len(r.commands("getMore")))
		}
	}, mongotest.ReplicaSet(1))
}

// Client Side Operations Timeout, "Explain": timeoutMS, of any level, becomes a maxTimeMS of explain itself.
func TestTimeoutBoundsOnlyExplain(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, r := s.connectRecorded(&options.Client{Timeout: new(time.Minute)})
		c := client.Database("db").Collection("c")
		for i, tt := range []struct {
			own  *options.Explain
			want time.Duration
		}{{nil, time.Minute}, {&options.Explain{Timeout: new(time.Second)}, time.Second}} {
			if err := c.Explain(t.Context(), mongo.ExplainFind(bson.D{}), "queryPlanner", tt.own).Err(); err != nil {
				t.Fatal(err)
			}
			sent := r.commands("explain")[i].Command
			ms, _ := sent.Lookup("maxTimeMS").AsInt64OK()
			if left := time.Duration(ms) * time.Millisecond; left > tt.want || left < tt.want-time.Second/2 {
				t.Errorf("timeout %v: %v", tt.want, sent)
			}
			if !sent.Lookup("explain", "maxTimeMS").IsZero() {
				t.Errorf("the explained command has a maxTimeMS: %v", sent)
			}
		}
	}, mongotest.ReplicaSet(1))
}

// Client Side Operations Timeout, "Server Monitoring": a timeout shorter than a round trip keeps no server from being
// found.
func TestMonitorsKeepToNoTimeout(t *testing.T) {
	const latency = 200 * time.Millisecond
	for name, mode := range map[string]options.ServerMonitoringMode{"streaming": options.MonitorStream, "polling": options.MonitorPoll} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				s.d.Latency(0, latency)
				client, _ := s.connectRecorded(&options.Client{Timeout: new(10 * time.Millisecond), ServerMonitoringMode: &mode})
				time.Sleep(2 * time.Minute) // heartbeats, and measurements of round trips
				server := client.TopologyDescription().Servers[0]
				if !client.TopologyDescription().HasWritableServer() || server.RTT < latency || server.MinRTT < latency {
					t.Errorf("the server is %+v", server)
				}
				for _, c := range s.d.Commands(mongotest.Named("hello", "isMaster", "ismaster")) {
					if !c.Body.Lookup("maxTimeMS").IsZero() {
						t.Errorf("a hello has a maxTimeMS: %v", c.Body)
					}
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}
