package discovery

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/sdamtable"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/sdam"
	"github.com/specdrivers/onion/runtime/uri"
	"github.com/specdrivers/onion/tools/suite"
)

// Test is a client under test. It keeps what a real client keeps: the topology description and a generation per pool.
type Test struct {
	t           *testing.T
	model       *sdam.Model
	topology    description.Topology
	events      []any
	generations map[string]uint64
	clock       time.Time
}

// Client starts a client with a connection string.
func Client(t *testing.T, connection string) *Test {
	t.Helper()
	cs, err := uri.Parse(connection)
	if err != nil {
		t.Fatalf("parse the connection string: %v", err)
	}
	c := &Test{t: t, generations: map[string]uint64{}, clock: time.Unix(1, 0)}
	c.model = sdam.NewModel(cs.Hosts, cs.Options, bson.NewObjectID())
	var fx sdam.Effects
	c.topology, fx = c.model.Initial()
	c.follow(fx)
	if c.topology.Type == description.LoadBalanced {
		suite.Touch("hello", "LoadBalancer")
	}
	return c
}

// follow carries out the effects of a change on events and pools.
func (c *Test) follow(fx sdam.Effects) {
	c.events = append(c.events, fx.Events...)
	for _, clear := range fx.Clear {
		c.generations[clear.Address]++
	}
	for _, address := range fx.Closed {
		delete(c.generations, address)
	}
	c.clock = c.clock.Add(time.Second)
}

// HelloReply is the reply of a server to a monitor's hello.
func (c *Test) HelloReply(address string, reply bson.D) {
	c.t.Helper()
	raw := c.marshal(reply)
	server := sdam.ServerFromHello(address, raw, c.clock)
	hidden, _ := raw.Lookup("hidden").BooleanOK()
	touchHello(server.Type, hidden)
	touchTransition(c.topology.Type, server.Type)
	change := c.model.Apply
	if server.Err != nil {
		change = c.model.CheckFailed
	}
	next, fx := change(c.topology, server)
	c.topology = next
	c.follow(fx)
}

// HelloFails is a network error of a monitor's hello.
func (c *Test) HelloFails(address string) {
	c.t.Helper()
	touchTransition(c.topology.Type, description.ServerUnknown)
	err := fault.NetworkError{Address: address, Doing: "checking", Err: errors.New("connection reset by the test")}
	next, fx := c.model.CheckFailed(c.topology, description.Server{Address: address, Err: err, LastUpdateTime: c.clock})
	c.topology = next
	c.follow(fx)
}

// When says whether the connection of an application error had finished its handshake.
type When = sdamtable.Phase

// The phases of a connection.
const (
	BeforeHandshake = sdamtable.BeforeHandshake
	AfterHandshake  = sdamtable.AfterHandshake
)

// Detail is something that a case says about the connection of an application error.
type Detail func(*detail)

type detail struct {
	generation  *uint64
	wireVersion int
}

// Generation returns the generation of the connection; without it the connection is of the pool's present generation.
func Generation(n uint64) Detail { return func(d *detail) { d.generation = &n } }

// WireVersion returns the maxWireVersion of the connection. It has decided nothing since servers older than 4.2 left.
func WireVersion(n int) Detail { return func(d *detail) { d.wireVersion = n } }

// CommandError is a reply that an operation got and that holds an error.
func (c *Test) CommandError(address string, when When, reply bson.D, details ...Detail) {
	c.t.Helper()
	c.fail(address, when, replyError(address, c.marshal(reply)), details)
}

// NetworkError is a connection of an operation that broke.
func (c *Test) NetworkError(address string, when When, details ...Detail) {
	c.t.Helper()
	c.fail(address, when, networkError(address, when, errors.New("connection reset by the test")), details)
}

// Timeout is an operation that waited too long for its connection or for a reply.
func (c *Test) Timeout(address string, when When, details ...Detail) {
	c.t.Helper()
	c.fail(address, when, networkError(address, when, os.ErrDeadlineExceeded), details)
}

// networkError has the labels that the pool gives to the error of a connection that it could not establish.
// CMAP, "Establishing a Connection".
func networkError(address string, when When, cause error) error {
	var err error = fault.NetworkError{Address: address, Err: cause}
	if when == BeforeHandshake {
		err = fault.AddLabels(err, fault.LabelSystemOverloadedError, fault.LabelRetryableError)
	}
	return err
}

func (c *Test) fail(address string, when When, err error, details []Detail) {
	c.t.Helper()
	var d detail
	for _, with := range details {
		with(&d)
	}
	e := &sdam.ApplicationError{
		Address: address, Phase: when, Err: err,
		Generation: c.generations[address], PoolGeneration: c.generations[address],
	}
	if d.generation != nil {
		e.Generation = *d.generation
	}
	if c.topology.Type == description.LoadBalanced && when == AfterHandshake {
		e.ServiceID = new(bson.ObjectID)
	}
	touchError(c.topology.Type, when, err)
	next, fx := c.model.HandleError(c.topology, e)
	c.topology = next
	c.follow(fx)
}

// replyError is the error that a driver makes of a reply.
func replyError(address string, reply bson.Raw) error {
	if ok, _ := reply.Lookup("ok").AsFloat64OK(); ok != 1 {
		return fault.NewCommandError("find", address, reply)
	}
	e := fault.WriteException{Address: address, Raw: reply, WriteConcernError: fault.NewWriteConcernError(reply)}
	e.WriteErrors = fault.NewWriteErrors(reply, 0)
	return e
}

func (c *Test) marshal(doc bson.D) bson.Raw {
	c.t.Helper()
	raw, err := bson.Marshal(doc)
	if err != nil {
		c.t.Fatalf("marshal the reply: %v", err)
	}
	return raw
}

// addresses returns the servers that the client knows.
func (c *Test) addresses() []string {
	var out []string
	for i := range c.topology.Servers {
		out = append(out, c.topology.Servers[i].Address)
	}
	slices.Sort(out)
	return out
}
