package seedlist

import (
	"context"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"crypto/tls"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/sdam"
	"github.com/specdrivers/onion/runtime/selection"
	"github.com/specdrivers/onion/runtime/uri"
)

// client is as much of a client as discovery needs: it asks each server once, until none is unknown.
type client struct {
	ctx      context.Context
	env      *environment
	dialer   *conn.Dialer
	model    *sdam.Model
	topology description.Topology
}

// rounds bounds how often the servers are gone through: each round can bring new ones.
const rounds = 5

func discover(t *testing.T, cs *uri.ConnString, d Deployment) (*client, error) {
	t.Helper()
	names := []string{"localhost"}
	for _, seed := range cs.Hosts {
		host, _, err := net.SplitHostPort(seed)
		if err != nil {
			return nil, err
		}
		names = append(names, host)
	}
	withTLS := cs.Options.TLS != nil && *cs.Options.TLS
	c := &client{ctx: t.Context(), env: start(t, d, withTLS, names)}
	c.dialer = &conn.Dialer{NetDialer: c.env, ConnectTimeout: 30 * time.Second}
	if withTLS {
		settings, err := conn.NewTLS(conn.TLSOptions{Base: &tls.Config{RootCAs: c.env.roots}})
		if err != nil {
			return nil, err
		}
		c.dialer.TLS = settings
	}
	c.model = sdam.NewModel(cs.Hosts, cs.Options, bson.NewObjectID())
	c.topology, _ = c.model.Initial()
	for range rounds {
		if !c.round() {
			return c, nil
		}
	}
	return nil, fmt.Errorf("after %d rounds the topology is still %s", rounds, sdam.Format(&c.topology))
}

// round asks every server that nothing is known of, and reports whether there was one.
func (c *client) round() bool {
	asked := false
	for _, s := range c.topology.Servers {
		if s.Type != description.ServerUnknown && s.Type != description.PossiblePrimary {
			continue
		}
		asked = true
		found := description.Server{Address: s.Address, LastUpdateTime: time.Now()}
		connection, hello, err := c.open(s.Address)
		if err != nil {
			found.Err = err
			c.topology, _ = c.model.CheckFailed(c.topology, found)
			continue
		}
		_ = connection.Close()
		c.topology, _ = c.model.Apply(c.topology, sdam.ServerFromHello(s.Address, hello, time.Now()))
	}
	return asked
}

// open connects to a server and shakes hands. The addresses in the reply are those of the specification.
func (c *client) open(address string) (*conn.Conn, bson.Raw, error) {
	connection, err := c.dialer.Dial(c.ctx, address)
	if err != nil {
		return nil, nil, err
	}
	hello, err := connection.Handshake(c.ctx, &conn.Handshake{LoadBalanced: c.topology.Type == description.LoadBalanced})
	if err != nil {
		_ = connection.Close()
		return nil, nil, err
	}
	reply, err := c.renamed(hello.Raw)
	if err != nil {
		_ = connection.Close()
		return nil, nil, err
	}
	return connection, reply, nil
}

func (c *client) renamed(reply bson.Raw) (bson.Raw, error) {
	var doc bson.D
	if err := bson.Unmarshal(reply, &doc); err != nil {
		return nil, err
	}
	for i, e := range doc {
		switch v := e.Value.(type) {
		case string:
			doc[i].Value = c.env.rename(v)
		case bson.A:
			for j, item := range v {
				if s, ok := item.(string); ok {
					v[j] = c.env.rename(s)
				}
			}
		}
	}
	return bson.Marshal(doc)
}

func (c *client) hosts() []string {
	var out []string
	for _, s := range c.topology.Servers {
		out = append(out, s.Address)
	}
	return out
}

// ping selects a server as a command without a read preference does, and sends it a ping.
func (c *client) ping() error {
	selector := selection.Selector{}
	servers := selector.Suitable(&c.topology, nil)
	if len(servers) == 0 {
		return fmt.Errorf("no server is suitable in %s", sdam.Format(&c.topology))
	}
	address := slices.MinFunc(servers, func(a, b *description.Server) int { return len(a.Address) - len(b.Address) }).Address
	connection, _, err := c.open(address)
	if err != nil {
		return err
	}
	defer connection.Close()
	command, err := bson.Marshal(bson.Doc("ping", 1))
	if err != nil {
		return err
	}
	reply, err := connection.RunCommand(c.ctx, "admin", command)
	if err != nil {
		return err
	}
	if ok, _ := reply.Lookup("ok").AsFloat64OK(); ok != 1 {
		return fmt.Errorf("the server answers %v", reply)
	}
	return nil
}
