package mongotest

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// Deployment is a running deployment. Its methods are safe for concurrent use.
type Deployment struct {
	config   *config
	cluster  *server.Cluster
	balancer *server.Balancer // of a load-balanced deployment
	partial  balancers        // in front of some of its nodes
	controls controls
	recorder recorder
	closing  sync.Once
}

// TB is the part of testing.TB that [Start] needs.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Start starts a deployment for the length of a test. The test fails at once if the options contradict each other.
func Start(t TB, options ...Option) *Deployment {
	t.Helper()
	d, err := New(options...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(d.Close)
	return d
}

// New starts a deployment that runs until Close.
func New(options ...Option) (*Deployment, error) {
	c, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	d := &Deployment{config: c}
	c.Intercept = d.controls.take
	c.setHooks(d.recorder.add)
	d.cluster = server.New(c.Config)
	if err := d.listen(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// listen opens the port of each node, or of the load balancer in front of them, and starts to accept connections.
func (d *Deployment) listen() (err error) {
	if d.config.Shape == server.LoadBalanced {
		d.balancer, err = server.NewBalancer(d.cluster, d.cluster.Nodes, d.addressOf(0))
		return err
	}
	for i, n := range d.cluster.Nodes {
		if err := n.Listen(d.addressOf(i)); err != nil {
			return err
		}
	}
	for _, n := range d.cluster.Nodes {
		n.Serve()
	}
	return nil
}

// addressOf returns the address that node i listens on. In memory each node needs its own port.
func (d *Deployment) addressOf(i int) string {
	host, port := d.config.host, d.config.port
	switch {
	case d.config.network == nil:
		host = cmp.Or(host, "127.0.0.1")
	case host == "":
		host = fmt.Sprintf("node%d.mongotest.invalid", i)
		return net.JoinHostPort(host, strconv.Itoa(cmp.Or(port, 27017)))
	case port == 0:
		port = 27017
	}
	if port != 0 {
		port += i
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// Close stops all nodes and waits until everything in the deployment has stopped. It is safe to call twice.
func (d *Deployment) Close() {
	d.closing.Do(func() {
		if d.balancer != nil {
			d.balancer.Close()
		}
		d.partial.close()
		d.cluster.Close()
	})
}

// URI returns the connection string of the deployment. It names every node, the replica set, and a user if the
// deployment requires authentication. See [Heartbeat] for the option that it sets.
func (d *Deployment) URI() string { return d.uri(d.Hosts()) }

func (d *Deployment) uri(hosts []string) string {
	var query []string
	switch d.config.Shape {
	case server.ReplicaSet:
		query = append(query, "replicaSet="+d.config.SetName)
	case server.LoadBalanced:
		query = append(query, "loadBalanced=true")
	}
	if d.config.TLS != nil {
		query = append(query, "tls=true")
	}
	if option := d.heartbeatOption(); option != "" {
		query = append(query, option)
	}
	credentials := ""
	if d.config.RequireAuth && len(d.config.Login.Users) > 0 {
		u := d.config.Login.Users[0]
		credentials = fmt.Sprintf("%s:%s@", escape(u.Name), escape(u.Password))
		if u.DB != "" && u.DB != "admin" && u.DB != "$external" { // for that one, clients name the mechanism
			query = append(query, "authSource="+escape(u.DB))
		}
	}
	uri := "mongodb://" + credentials + strings.Join(hosts, ",") + "/"
	if len(query) > 0 {
		uri += "?" + strings.Join(query, "&")
	}
	return uri
}

// heartbeatOption returns the option of a connection string that says how often to check the nodes; empty for none.
func (d *Deployment) heartbeatOption() string {
	ms := d.config.heartbeat.Milliseconds()
	if ms == 0 || d.config.network != nil || d.config.Shape == server.LoadBalanced {
		return ""
	}
	return "heartbeatFrequencyMS=" + strconv.FormatInt(ms, 10)
}

// Hosts returns the addresses that clients connect to: the addresses of the nodes, or the address of the load balancer.
func (d *Deployment) Hosts() []string {
	if d.balancer != nil {
		return []string{d.balancer.Address}
	}
	hosts := make([]string, len(d.cluster.Nodes))
	for i, n := range d.cluster.Nodes {
		hosts[i] = n.Address()
	}
	return hosts
}

// Version returns the server version that the deployment reports.
func (d *Deployment) Version() string { return d.config.Version }

// Commands returns the commands received so far, in the order in which they arrived, without the bytes of credentials.
// It includes hellos and authentication unless filters such as [Application] leave them out. The deployment remembers
// at least the last 99,000 commands.
func (d *Deployment) Commands(filters ...Filter) []Command {
	commands := d.recorder.commands()
	if len(filters) == 0 {
		return commands
	}
	return slices.DeleteFunc(commands, func(c Command) bool { return !isSelectedByAll(filters, c) })
}

// ForgetCommands empties the list that Commands returns.
func (d *Deployment) ForgetCommands() { d.recorder.forget() }

// escape percent-encodes the characters that a user name or password must not contain unescaped.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// Command is one command that a deployment received.
type Command struct {
	Node int    // the number of the node that received it, counted from 0
	Name string // as the client wrote it, such as "find" or "isMaster"
	DB   string
	// Body is the whole command except its document sequences.
	Body bson.Raw
	// Sequences holds the document sequences by field name. Most drivers send the documents of an insert here.
	Sequences map[string][]bson.Raw
	// ConnectionID is the number that the server gave the connection.
	ConnectionID int64
	AppName      string // the application name that the client sent, or empty
}

// RevokeToken makes MONGODB-OIDC refuse a token from now on, as if it had expired. Connections that have authenticated with it
// stay authenticated.
func (d *Deployment) RevokeToken(jwt string) { d.cluster.Users.Revoke(jwt) }
