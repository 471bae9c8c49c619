package tracing_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/tracing"
)

// OpenTelemetry, "Command Span Attributes", "network.transport": a socket has no port.
func TestTransportOfACommand(t *testing.T) {
	body, err := bson.Marshal(bson.Doc("ping", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		host, want string
		port       int
	}{{"/tmp/mongodb-27017.sock", "unix", 0}, {"db", "tcp", 27017}} {
		c := tracing.Command{Name: "ping", Database: "admin", Host: tt.host, Port: tt.port, Body: body}
		got := map[string]options.SpanAttribute{}
		for _, a := range c.Attributes() {
			got[a.Key] = a
		}
		port, there := got["server.port"]
		if got["network.transport"].Text != tt.want || there != (tt.port != 0) || port.Number != int64(tt.port) ||
			got["server.address"].Text != tt.host {
			t.Errorf("%s: %v", tt.host, got)
		}
	}
}
