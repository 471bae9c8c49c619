package mongotest_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A load balancer opens no connections to a router that is down. A router that is back has another serviceId.
func TestRoutersBehindALoadBalancer(t *testing.T) {
	d := mongotest.Start(t, mongotest.LoadBalanced(2))
	greet := func() (*rawConn, bson.ObjectID) {
		c := connectRaw(t, d, 0)
		id, ok := c.runAdmin("hello", 1, "loadBalanced", true).Lookup("serviceId").ObjectIDOK()
		if !ok {
			t.Fatal("no serviceId")
		}
		return c, id
	}
	first, one := greet()
	second, two := greet()
	d.Kill(0)
	if !first.hangsUp() {
		t.Error("a connection to the router that was killed is open")
	}
	checkRefused(t, second.runAdmin("ping", 1), 0)
	for range 3 {
		if _, id := greet(); id != two {
			t.Errorf("service %v, want %v", id, two)
		}
	}
	if err := d.Restart(0); err != nil {
		t.Fatal(err)
	}
	_, three := greet()
	_, four := greet()
	if three == four || three == one || four == one || three != two && four != two {
		t.Errorf("services %v and %v after %v and %v", three, four, one, two)
	}
	d.Kill(0)
	d.Kill(1)
	if c := connectRaw(t, d, 0); !c.hangsUp() {
		t.Error("nobody is there, and the load balancer keeps a connection")
	}
	if _, err := mongotest.New(mongotest.LoadBalanced(1), mongotest.Version("4.4")); err == nil {
		t.Error("4.4 stands behind a load balancer")
	}
}

// Routers keep answering while their shards elect, and clients see nothing of the election.
func TestRoutersAnswerThroughElections(t *testing.T) {
	d := mongotest.Start(t, mongotest.Sharded(2))
	c := connectRaw(t, d, 1)
	version, counter := topologyVersionOf(t, c.runAdmin("hello", 1))
	d.StepDown()
	d.Kill(0)
	checkRefused(t, c.run(insertOne(1)), 0)
	if again, now := topologyVersionOf(t, c.runAdmin("hello", 1)); now != counter || again[0] != version[0] {
		t.Errorf("%v after %v", again, version)
	}
}

func TestLatencyIsOfOneNode(t *testing.T) {
	d := mongotest.Start(t, mongotest.Sharded(2))
	const wait = 30 * time.Millisecond
	d.Latency(1, wait)
	slow := connectRaw(t, d, 1)
	began := time.Now()
	checkRefused(t, slow.runAdmin("ping", 1), 0)
	if took := time.Since(began); took < wait {
		t.Errorf("it took %v", took)
	}
	d.Latency(1, time.Hour)
	slow.send(0, bson.Doc("ping", 1, "$db", "admin"))
	checkRefused(t, connectRaw(t, d, 0).runAdmin("ping", 1), 0)
	d.Latency(1, 0)
	checkRefused(t, connectRaw(t, d, 1).runAdmin("ping", 1), 0)
}
