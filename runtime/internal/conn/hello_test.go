package conn_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The first message names the driver's version of client backpressure, as text. Later messages do not.
func TestHelloFields(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c := dial(t, &conn.Dialer{}, d.Hosts()[0])
	hello, err := c.Handshake(t.Context(), &conn.Handshake{})
	if err != nil {
		t.Fatal(err)
	}
	if id, ok := hello.Raw.Lookup(wire.FieldConnectionID).AsInt64OK(); !ok || id != hello.ConnectionID {
		t.Errorf("%s = %d, read as %d", wire.FieldConnectionID, id, hello.ConnectionID)
	}
	topologyVersion, ok := hello.Raw.Lookup("topologyVersion").DocumentOK()
	if !ok {
		t.Fatal("the server told no topologyVersion")
	}
	if _, err := c.AwaitHello(t.Context(), topologyVersion, 5*time.Millisecond, false, nil); err != nil {
		t.Fatal(err)
	}
	commands := d.Commands()
	if len(commands) != 2 {
		t.Fatalf("%d commands were sent", len(commands))
	}
	if version, _ := commands[0].Body.Lookup(wire.FieldBackpressure).StringOK(); version != wire.BackpressureVersion {
		t.Errorf("%s = %q, want %q", wire.FieldBackpressure, version, wire.BackpressureVersion)
	}
	if value := commands[1].Body.Lookup(wire.FieldBackpressure); !value.IsZero() {
		t.Errorf("a later hello carries %s", wire.FieldBackpressure)
	}
	for _, argument := range []string{
		"client", wire.FieldCompression, "saslSupportedMechs", "speculativeAuthenticate", "loadBalanced",
	} {
		if value := commands[1].Body.Lookup(argument); !value.IsZero() {
			t.Errorf("a later hello carries %s", argument)
		}
	}
	if ms, _ := commands[1].Body.Lookup(wire.FieldMaxAwaitTimeMS).AsInt64OK(); ms != 5 {
		t.Errorf("%s = %d", wire.FieldMaxAwaitTimeMS, ms)
	}
}
