package mongotest

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/network"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// DefaultVersion is the server version that a deployment answers as when the test does not choose one.
const DefaultVersion = "8.0"

// Option says how a deployment differs from the default: one standalone server of [DefaultVersion], open to everyone.
type Option func(*config)

// config is what the options say.
type config struct {
	server.Config
	host       string
	port       int
	network    *network.Network // in memory; nil for sockets
	unrecorded bool
	heartbeat  time.Duration // 0 leaves it to the driver
	observers  []Observer
	shapes     int   // how many options chose a topology
	err        error // from an option with an invalid value

	ahead       *atomic.Int64     // how far Advance has moved the clock
	certificate *x509.Certificate // of TLS without settings
}

// withShape returns an option that sets the topology.
func withShape(s server.Shape, nodes int) Option {
	return func(c *config) {
		c.Shape, c.Size = s, nodes
		c.shapes++
	}
}

// Standalone makes the deployment one standalone server.
func Standalone() Option { return withShape(server.Standalone, 1) }

// ReplicaSet makes the deployment a replica set of n members. The first one starts as the primary.
func ReplicaSet(n int) Option { return withShape(server.ReplicaSet, n) }

// Sharded makes the deployment a sharded cluster with n mongos routers.
func Sharded(n int) Option { return withShape(server.Sharded, n) }

// LoadBalanced makes the deployment a sharded cluster with n mongos routers behind one load balancer. Each new
// connection goes to the next router.
func LoadBalanced(n int) Option { return withShape(server.LoadBalanced, n) }

// Version sets the server version to report, from "4.2" to "9.0": two numbers, without the patch number.
func Version(version string) Option { return func(c *config) { c.Version = version } }

// Listen sets the host to listen on and the port of the first node. The other nodes take the ports after it. Port 0
// gives each node a free port. The default is a free port of 127.0.0.1.
func Listen(host string, port int) Option { return func(c *config) { c.host, c.port = host, port } }

// InMemory makes the deployment use a network in memory instead of sockets. Clients reach it through [Deployment.Dialer]. A
// deployment and its clients can then run inside a testing/synctest bubble, where virtual time passes at once.
//
// The addresses are node0.mongotest.invalid:27017 and so on, which no resolver knows, unless [Listen] names others.
func InMemory() Option { return func(c *config) { c.network = network.New() } }

// SetName sets the name of the replica set. The default is "rs0".
func SetName(name string) Option { return func(c *config) { c.SetName = name } }

// Auth makes the deployment require authentication and adds a user of the admin database with the role root.
func Auth(username, password string) Option {
	return func(c *config) {
		c.RequireAuth = true
		c.Login.Users = append(c.Login.Users, login.User{Name: username, DB: "admin", Password: password})
	}
}

// WithUser adds a user, of any database. The connection string names the first user and the user's database. It does not make the
// deployment require authentication; see [RequireAuth].
func WithUser(u User) Option {
	return func(c *config) { c.Login.Users = append(c.Login.Users, login.User(u)) }
}

// RequireAuth makes the deployment refuse commands on connections that have not authenticated, and commands that the
// user's roles do not allow.
func RequireAuth() Option { return func(c *config) { c.RequireAuth = true } }

// Parameter sets a server parameter, as getParameter shows it. These take effect:
//   - the booleans requireApiVersion, acceptApiVersion2 and enableTestCommands
//   - as an int: cursorTimeoutMillis, localLogicalSessionTimeoutMinutes and transactionLifetimeLimitSeconds
//   - the parameters of the limit on new connections, which begin with ingressConnectionEstablishment: RateLimiterEnabled is a
//     boolean, RatePerSec, BurstCapacitySecs and MaxQueueDepth are each a number
func Parameter(name string, value any) Option {
	return func(c *config) { c.Parameters[name] = value }
}

// WriteBatch sets maxWriteBatchSize, so a driver splits bulk writes that are small. The default is the one that servers
// have.
func WriteBatch(n int) Option { return func(c *config) { c.WriteBatch = n } }

// ElectionDelay sets how long a replica set has no primary after it lost one. The default is 20 ms.
func ElectionDelay(d time.Duration) Option { return func(c *config) { c.ElectionDelay = d } }

// LoseUnreplicatedWrites makes a failover that [Deployment.Kill] or [Deployment.Partition] forces drop the writes that
// no majority had acknowledged, and what sessions remember of them. A failover keeps writes that a read with a read
// concern stronger than local has seen.
func LoseUnreplicatedWrites() Option { return func(c *config) { c.LoseWrites = true } }

// Clock replaces the clock that TTL indexes, dates, sessions and idle cursors use.
func Clock(now func() time.Time) Option { return func(c *config) { c.Now = now } }

// Scripts gives the deployment an engine for JavaScript. Use Enable of package javascript instead of calling it
// directly.
func Scripts(engine script.Engine) Option { return func(c *config) { c.Scripts = engine } }

// SearchIndexes gives the deployment search indexes. Clients can create, change, list and drop them, and they become
// READY within some milliseconds. $search and $vectorSearch stay refused. Without the option, all of these fail as on a
// server without Atlas.
func SearchIndexes() Option { return func(c *config) { c.Search = true } }

// Heartbeat sets heartbeatFrequencyMS in the connection strings: how often clients check the nodes. The default is
// 500 ms, the least that drivers accept. When a fail point makes a client mark a node as unknown, the client finds it
// again within that time. With 0 the connection strings leave the option out, and drivers check every ten seconds, as in
// production. The option is also left out with [InMemory], whose clients can share a bubble where time passes at once,
// and with [LoadBalanced], where clients check nothing.
func Heartbeat(every time.Duration) Option { return func(c *config) { c.heartbeat = every } }

// NoCommands makes the deployment remember none of the commands that it receives: [Deployment.Commands] returns
// nothing.
func NoCommands() Option { return func(c *config) { c.unrecorded = true } }

// User is a user who can authenticate.
type User struct {
	Name     string
	DB       string // "admin" when empty; "$external" for X.509, PLAIN, AWS and OIDC
	Password string
	// Mechanisms limits the SCRAM mechanisms; nil means both.
	Mechanisms []string
	// Roles are documents such as {role: "read", db: "shop"}. Nil gives the user the role root, which may do
	// everything. An empty list allows nothing.
	Roles []bson.Raw
}

// Token is an access token that MONGODB-OIDC accepts, with its principal.
type Token struct {
	JWT       string
	Principal string
}

// WithToken makes MONGODB-OIDC accept a token.
func WithToken(t Token) Option {
	return func(c *config) { c.Login.Tokens = append(c.Login.Tokens, login.Token(t)) }
}

// IdentityProvider describes where MONGODB-OIDC clients get their tokens.
type IdentityProvider struct {
	Issuer   string
	ClientID string // empty for a provider that serves machines only
	Domain   string // the suffix of the principals that it serves; empty for all
}

// WithIdentityProvider adds an identity provider. Without this option the deployment has one that serves every
// principal. With several providers, a client must name the principal first.
func WithIdentityProvider(p IdentityProvider) Option {
	return func(c *config) { c.Login.Providers = append(c.Login.Providers, login.IdentityProvider(p)) }
}

// AWSKey is a key that MONGODB-AWS accepts.
type AWSKey struct {
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string
	ARN             string
}

// WithAWSKey makes MONGODB-AWS accept a key.
func WithAWSKey(k AWSKey) Option {
	return func(c *config) { c.Login.AWSKeys = append(c.Login.AWSKeys, login.AWSKey(k)) }
}

// WriteConcernMode defines a named write concern of a replica set. A write satisfies it once the members that have the
// write hold, for each tag, at least as many different values as tags says. [Deployment.Reconfigure] sets the tags of
// members.
func WriteConcernMode(name string, tags map[string]int) Option {
	return func(c *config) {
		if c.Modes == nil {
			c.Modes = map[string]map[string]int{}
		}
		c.Modes[name] = tags
	}
}

func newConfig(options []Option) (*config, error) {
	c := &config{ahead: new(atomic.Int64), heartbeat: selecttable.MinHeartbeatFrequency, Config: server.Config{
		Size: 1, Version: DefaultVersion, SetName: "rs0", ElectionDelay: 20 * time.Millisecond, Now: time.Now,
		Parameters: map[string]any{"enableTestCommands": true, "requireApiVersion": false},
		Listen:     func(address string) (net.Listener, error) { return net.Listen("tcp", address) },
	}}
	for _, option := range options {
		option(c)
	}
	now := c.Now
	c.Now = func() time.Time { return now().Add(time.Duration(c.ahead.Load())) }
	if c.network != nil {
		c.Listen = c.network.Listen
	}
	version, known := wire.WireVersionOf(c.Version)
	switch {
	case c.heartbeat != 0 && c.heartbeat < selecttable.MinHeartbeatFrequency:
		return nil, fmt.Errorf("mongotest: a heartbeat of %v: drivers take %v or more", c.heartbeat, selecttable.MinHeartbeatFrequency)
	case c.err != nil:
		return nil, c.err
	case c.shapes > 1:
		return nil, errors.New("mongotest: a deployment has one shape: Standalone, ReplicaSet, Sharded or LoadBalanced")
	case !known:
		return nil, fmt.Errorf("mongotest: no server version %q is known: two numbers name one, such as %q", c.Version, DefaultVersion)
	case version < wire.MinSupportedWireVersion:
		return nil, fmt.Errorf("mongotest: servers of version %s are too old, the oldest is %s", c.Version, wire.MinSupportedVersion)
	}
	c.Wire, c.Login.TLS = version, c.TLS != nil
	if c.Shape == server.LoadBalanced && !wire.LoadBalanced.In(version) {
		return nil, fmt.Errorf("mongotest: servers of version %s do not work behind a load balancer, only later ones from %s on",
			c.Version, wire.VersionFor(int32(wire.LoadBalanced)))
	}
	if c.Size < 1 || c.Size > 50 {
		return nil, fmt.Errorf("mongotest: a deployment has 1 to 50 nodes, not %d", c.Size)
	}
	return c, nil
}
