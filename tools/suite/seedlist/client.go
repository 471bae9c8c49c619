package seedlist

import (
	"context"
	"crypto/tls"
	"fmt"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// client is a client of the driver that looks names up in the records of the case and finds the deployment in memory
// behind them.
type client struct {
	env     *environment
	mongo   *mongo.Client
	changed chan struct{} // holds a token when the topology has changed
}

// patience bounds how long a client may take to discover a deployment that is there.
const patience = 30 * time.Second

// connect makes the client. It closes itself when the test is over.
func connect(t *testing.T, zone Zone, d Deployment, withTLS bool, connection string) (*client, error) {
	t.Helper()
	c := &client{env: start(t, d, withTLS, zone.targets()), changed: make(chan struct{}, 1)}
	settings := &options.Client{
		Resolver: zone, Dialer: c.env, ServerSelectionTimeout: new(patience),
		ServerMonitor: &event.ServerMonitor{TopologyDescriptionChanged: func(*event.TopologyDescriptionChanged) {
			select {
			case c.changed <- struct{}{}:
			default: // one token is enough
			}
		}},
	}
	if c.env.roots != nil {
		settings.TLSConfig = &tls.Config{RootCAs: c.env.roots}
	}
	var err error
	if c.mongo, err = mongo.Connect(t.Context(), connection, settings); err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := c.mongo.Close(context.Background()); err != nil {
			t.Errorf("close the client: %v", err)
		}
	})
	return c, nil
}

// hosts returns the servers of the topology once none is unknown.
func (c *client) hosts(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		top := c.mongo.TopologyDescription()
		if isComplete(top.Topology) {
			var out []string
			for _, s := range top.Servers {
				out = append(out, c.env.rename(s.Address))
			}
			return out, nil
		}
		select {
		case <-c.changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("the topology is still %s", top)
		}
	}
}

// isComplete reports whether a client has heard of every server that it knows.
func isComplete(top *description.Topology) bool {
	for i := range top.Servers {
		if t := top.Servers[i].Type; t == description.ServerUnknown || t == description.PossiblePrimary {
			return false
		}
	}
	return len(top.Servers) > 0
}

// ping runs the command ping.
func (c *client) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.mongo.Ping(ctx, nil)
}
