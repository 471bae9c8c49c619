package world

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// The secrets of every world: none of them may appear in a log or an event.
const (
	user      = "ada"
	masterKey = "the-master-key-of-every-client"
	plainText = "plain-text-of-"
	password  = "correct-horse-battery"
	token     = "token-of-the-day-"
	tokens    = 40 // how many there are
)

// deploymentOptions chooses the options of the deployment.
func (w *world) deploymentOptions() []mongotest.Option {
	plan := w.s.World
	o := []mongotest.Option{mongotest.InMemory(), mongotest.NoCommands(), mongotest.Version(plan.Version),
		mongotest.ElectionDelay(plan.Election)}
	switch plan.Shape {
	case scenario.Sharded:
		o = append(o, mongotest.Sharded(plan.Nodes))
	case scenario.LoadBalanced:
		o = append(o, mongotest.LoadBalanced(plan.Nodes))
	default:
		o = append(o, mongotest.ReplicaSet(plan.Nodes))
	}
	if plan.Batch > 0 {
		o = append(o, mongotest.WriteBatch(plan.Batch))
	}
	if plan.Lose {
		o = append(o, mongotest.LoseUnreplicatedWrites())
	}
	w.login = &login{renewed: func() { w.countEffect(scenario.NewToken) }}
	if plan.Auth != "" {
		o = append(o, mongotest.Auth(user, password))
	}
	if plan.Auth == "oidc" {
		for i := range tokens {
			o = append(o, mongotest.WithToken(mongotest.Token{JWT: fmt.Sprint(token, i), Principal: "machine"}))
		}
	}
	return o
}

// login holds the credentials of the clients.
type login struct {
	mu      sync.Mutex
	current int
	revoked []time.Time // when each token before that one was
	renewed func()      // called when a client gets a token other than the first
}

func (l *login) token() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current > 0 {
		l.renewed()
	}
	return fmt.Sprint(token, l.current)
}

// revokeToken revokes the token that clients have.
func (l *login) revokeToken(d *mongotest.Deployment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current+1 < tokens {
		d.RevokeToken(fmt.Sprint(token, l.current))
		l.current++
		l.revoked = append(l.revoked, time.Now())
	}
}

// revokedSince reports whether a token was revoked at some time or later.
func (l *login) revokedSince(t time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.revoked) > 0 && !l.revoked[len(l.revoked)-1].Before(t)
}

func (l *login) callback(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
	return &options.OIDCCredential{AccessToken: l.token()}, nil
}

// names is the DNS of a world: it answers as the deployment's own DNS does, unless a fault says otherwise.
type names struct {
	*mongotest.Resolver
	mu      sync.Mutex
	effect  func(string)
	silent  int         // how many faults keep it from answering
	missing map[int]int // how many faults leave out a node
	changed time.Time   // when the answer changed last
}

func newNames(w *world) *names {
	return &names{Resolver: w.d.Resolver("cluster.simulate.invalid"), effect: w.countEffect, missing: map[int]int{}}
}

func (n *names) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return n.Resolver.DialContext(ctx, network, address)
}

// LookupSRV returns the records that the faults leave.
func (n *names) LookupSRV(ctx context.Context, service, proto, name string) (string, []*net.SRV, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	cname, all, err := n.Resolver.LookupSRV(ctx, service, proto, name)
	if n.silent > 0 {
		n.effect(scenario.LoseName)
		return "", nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	}
	var left []*net.SRV
	for i, record := range all {
		if n.missing[i] == 0 {
			left = append(left, record)
		}
	}
	if len(left) < len(all) {
		n.effect(scenario.FewerNames)
	}
	return cname, left, err
}

// isDisturbed reports whether a fault keeps records back.
func (n *names) isDisturbed() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	missing := 0
	for _, faults := range n.missing {
		missing += faults
	}
	return n.silent > 0 || missing > 0
}

func (n *names) change(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changed = time.Now()
	f()
}

// rescan is how long a client may take to notice other records: it reads them once a minute.
const rescan = 65 * time.Second

// missingNodes returns the nodes that clients must have dropped, because DNS has left them out for long enough. A client keeps
// the nodes that it knows if there is no answer, or an answer without names.
func (n *names) missingNodes(nodes int) (left []int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.silent > 0 || time.Since(n.changed) < rescan {
		return nil
	}
	for i := range nodes {
		if n.missing[i] > 0 {
			left = append(left, i)
		}
	}
	if len(left) == nodes {
		return nil
	}
	return left
}

// cleanClient is a client over a network without faults, for the checks.
type cleanClient struct {
	*mongo.Client
	db *mongo.Database
}

func (w *world) newCleanClient(ctx context.Context) (*cleanClient, error) {
	c, err := mongo.Connect(ctx, w.d.URI(), &options.Client{Dialer: w.d.Dialer(), AppName: new("check")})
	if err != nil {
		return nil, err
	}
	return &cleanClient{c, database(c)}, nil
}

func (k *cleanClient) close(ctx context.Context) { _ = k.Client.Close(ctx) }

// database returns where everything happens, with the concerns that make an acknowledged write durable.
func database(c *mongo.Client) *mongo.Database {
	return c.Database("world", &options.Database{WriteConcern: mongo.Majority(), ReadConcern: mongo.ReadMajority()})
}
