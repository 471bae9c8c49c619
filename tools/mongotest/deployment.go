package mongotest

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

// Deployment is a running deployment. Its methods are safe for concurrent use.
type Deployment struct {
	config   *config
	nodes    []*node
	balancer *balancer  // of a load-balanced deployment
	set      *memberSet // of a replica set

	data     *data
	users    *users
	revoked  sync.Map // the tokens that RevokeToken named
	sessions *sessions
	controls controls
	recorder recorder
	connIDs  atomic.Int64

	operations atomic.Int64 // the number of the last one
	closing    sync.Once
}

// TB is the part of testing.TB that [Start] needs.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Start starts a deployment for the length of a test, which fails at once when the options do not go together.
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
	d := &Deployment{config: c, users: newUsers(c), sessions: newSessions(c)}
	d.sessions.ended, d.sessions.aborted = d.killCursors, d.closeTransactionCursors
	d.data = newData(c, engine.Hooks{LocalSessions: d.localSessions, CurrentOp: d.currentOperations}, d.setConfig, d.sessions.abortOld)
	for i := range c.nodes {
		n := newNode(d, i)
		d.nodes = append(d.nodes, n)
		if c.kind == loadBalanced {
			continue // the balancer listens for all of them
		}
		if err := n.listen(d.addressOf(i)); err != nil {
			d.Close()
			return nil, err
		}
	}
	switch c.kind {
	case replicaSet:
		d.set = newMemberSet(d)
	case loadBalanced:
		if d.balancer, err = newBalancer(d, d.addressOf(0)); err != nil {
			d.Close()
			return nil, err
		}
	}
	for _, n := range d.nodes {
		n.serve()
	}
	return d, nil
}

func (d *Deployment) addressOf(i int) string {
	port := d.config.port
	if port != 0 {
		port += i
	}
	return net.JoinHostPort(d.config.host, strconv.Itoa(port))
}

// Close stops all nodes and waits until nothing of the deployment runs. Closing twice is harmless.
func (d *Deployment) Close() {
	d.closing.Do(func() {
		if d.set != nil {
			d.set.close()
		}
		if d.balancer != nil {
			d.balancer.close()
		}
		for _, n := range d.nodes {
			n.stop()
		}
		d.data.close()
	})
}

// URI is the connection string of the deployment. It names every node, the replica set, and a user when the deployment
// asks for one.
func (d *Deployment) URI() string {
	var query []string
	switch d.config.kind {
	case replicaSet:
		query = append(query, "replicaSet="+d.config.setName)
	case loadBalanced:
		query = append(query, "loadBalanced=true")
	}
	if d.config.tls != nil {
		query = append(query, "tls=true")
	}
	credentials := ""
	if d.config.requireAuth && len(d.config.users) > 0 {
		u := d.config.users[0]
		credentials = fmt.Sprintf("%s:%s@", escape(u.Name), escape(u.Password))
	}
	uri := "mongodb://" + credentials + strings.Join(d.Hosts(), ",") + "/"
	if len(query) > 0 {
		uri += "?" + strings.Join(query, "&")
	}
	return uri
}

// Hosts are the addresses that clients connect to: those of the nodes, or that of the load balancer.
func (d *Deployment) Hosts() []string {
	if d.balancer != nil {
		return []string{d.balancer.address}
	}
	hosts := make([]string, len(d.nodes))
	for i, n := range d.nodes {
		hosts[i] = n.address
	}
	return hosts
}

// Version is the server version that the deployment answers as.
func (d *Deployment) Version() string { return d.config.version }

// Commands are the commands that were received so far, in the order in which they arrived, without the bytes of
// credentials. Hellos and what belongs to authentication are included. The last 99,000 commands are remembered at least.
func (d *Deployment) Commands() []Command { return d.recorder.all() }

// ForgetCommands empties the list that Commands returns.
func (d *Deployment) ForgetCommands() { d.recorder.forget() }

// escape percent-encodes what a user name or password must not contain as it is.
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
	// Body is the whole command, except for what came in document sequences.
	Body bson.Raw
	// Sequences are the documents that came beside the body, by the name of their field: those of an insert are mostly here.
	Sequences map[string][]bson.Raw
	// ConnectionID is the server's number of the connection.
	ConnectionID int64
	AppName      string // what the client calls itself, empty if it does not
}
