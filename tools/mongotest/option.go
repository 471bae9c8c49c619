package mongotest

import (
	"crypto/tls"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// DefaultVersion is the server version that a deployment answers as when the test does not choose one.
const DefaultVersion = "8.0"

// kind is the shape of a deployment.
type kind uint8

const (
	standalone kind = iota
	replicaSet
	sharded
	loadBalanced
)

// Option says how a deployment differs from the default: one standalone server of [DefaultVersion], open to everyone.
type Option func(*config)

type config struct {
	kind          kind
	nodes         int
	version       string
	wireVersion   int32
	host          string
	port          int
	setName       string
	users         []User
	requireAuth   bool
	tls           *tls.Config
	parameters    map[string]any
	electionDelay time.Duration
	loseWrites    bool
	modes         map[string]map[string]int // write concerns by name: values needed of each tag
	tokens        []Token
	providers     []IdentityProvider
	awsKeys       []AWSKey
	now           func() time.Time
	unrecorded    bool
}

// Standalone is one server that is a member of nothing.
func Standalone() Option { return func(c *config) { c.kind, c.nodes = standalone, 1 } }

// ReplicaSet is a replica set of n members; the first one starts as the primary.
func ReplicaSet(n int) Option { return func(c *config) { c.kind, c.nodes = replicaSet, n } }

// Sharded is a sharded cluster behind n mongos routers.
func Sharded(n int) Option { return func(c *config) { c.kind, c.nodes = sharded, n } }

// LoadBalanced is a sharded cluster whose n mongos routers stand behind one load balancer. Each new connection goes to
// the next router.
func LoadBalanced(n int) Option { return func(c *config) { c.kind, c.nodes = loadBalanced, n } }

// Version is the server version to answer as, from "4.2" to "9.0": two numbers, without that of a patch.
func Version(version string) Option { return func(c *config) { c.version = version } }

// Listen is the host to listen on and the port of the first node; the others take the ports behind it. Port 0 gives
// each node a free port. The default is a free port of 127.0.0.1.
func Listen(host string, port int) Option { return func(c *config) { c.host, c.port = host, port } }

// SetName is the name of the replica set; the default is "rs0".
func SetName(name string) Option { return func(c *config) { c.setName = name } }

// Auth makes the deployment ask for authentication and adds a user of the admin database with every privilege.
func Auth(username, password string) Option {
	return func(c *config) {
		c.requireAuth = true
		c.users = append(c.users, User{Name: username, DB: "admin", Password: password})
	}
}

// WithUser adds a user. It does not by itself make the deployment ask for authentication; see [RequireAuth].
func WithUser(u User) Option { return func(c *config) { c.users = append(c.users, u) } }

// RequireAuth makes the deployment refuse commands on connections that have not authenticated.
func RequireAuth() Option { return func(c *config) { c.requireAuth = true } }

// TLS makes the deployment speak TLS. The configuration holds the server's certificate and says which client
// certificates are asked for.
func TLS(settings *tls.Config) Option { return func(c *config) { c.tls = settings } }

// Parameter sets a server parameter, as getParameter shows it. requireApiVersion, acceptApiVersion2, enableTestCommands,
// and, each an int, cursorTimeoutMillis, localLogicalSessionTimeoutMinutes and transactionLifetimeLimitSeconds have their
// effects.
func Parameter(name string, value any) Option {
	return func(c *config) { c.parameters[name] = value }
}

// ElectionDelay is how long a replica set is without a primary after it lost one; the default is 20 ms.
func ElectionDelay(d time.Duration) Option { return func(c *config) { c.electionDelay = d } }

// LoseUnreplicatedWrites makes a failover that [Deployment.Kill] or [Deployment.Partition] forces drop the writes that
// no majority had acknowledged, with what sessions remember of them. What a read has seen that asked for more than its
// member's own state is not lost either.
func LoseUnreplicatedWrites() Option { return func(c *config) { c.loseWrites = true } }

// Clock replaces the clock that TTL indexes, dates, sessions and idle cursors go by.
func Clock(now func() time.Time) Option { return func(c *config) { c.now = now } }

// NoCommands makes the deployment remember nothing of what it receives: [Deployment.Commands] is empty.
func NoCommands() Option { return func(c *config) { c.unrecorded = true } }

// User is somebody who can authenticate.
type User struct {
	Name     string
	DB       string // "admin" when empty; "$external" for X.509, PLAIN, AWS and OIDC
	Password string
	// Mechanisms limits the SCRAM mechanisms; nil means both.
	Mechanisms []string
	Roles      []bson.Raw
}

// Token is an access token that MONGODB-OIDC accepts, and the principal that it stands for.
type Token struct {
	JWT       string
	Principal string
}

// WithToken makes MONGODB-OIDC accept a token.
func WithToken(t Token) Option { return func(c *config) { c.tokens = append(c.tokens, t) } }

// IdentityProvider is where MONGODB-OIDC tells people to get tokens.
type IdentityProvider struct {
	Issuer   string
	ClientID string // empty for a provider that serves machines alone
	Domain   string // the principals that it serves end with it; empty serves everybody
}

// WithIdentityProvider adds an identity provider; without one there is one that serves everybody. With several a client
// has to name the principal first.
func WithIdentityProvider(p IdentityProvider) Option {
	return func(c *config) { c.providers = append(c.providers, p) }
}

// AWSKey is a key that MONGODB-AWS accepts.
type AWSKey struct {
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string
	ARN             string
}

// WithAWSKey makes MONGODB-AWS accept a key.
func WithAWSKey(k AWSKey) Option { return func(c *config) { c.awsKeys = append(c.awsKeys, k) } }

// enabled reports whether a server parameter is on.
func (c *config) enabled(parameter string) bool {
	on, _ := c.parameters[parameter].(bool)
	return on
}

func newConfig(options []Option) (*config, error) {
	c := &config{
		nodes: 1, version: DefaultVersion, host: "127.0.0.1", setName: "rs0",
		electionDelay: 20 * time.Millisecond, now: time.Now,
		parameters: map[string]any{"enableTestCommands": true, "requireApiVersion": false},
	}
	for _, option := range options {
		option(c)
	}
	wireVersion, ok := wire.WireVersionOf(c.version)
	if !ok {
		return nil, fmt.Errorf("mongotest: no server version %q is known: two numbers name one, such as %q", c.version, DefaultVersion)
	}
	c.wireVersion = wireVersion
	if c.kind == loadBalanced && !wire.LoadBalanced.In(wireVersion) {
		return nil, fmt.Errorf("mongotest: servers of version %s do not stand behind a load balancer, those from %s on do", c.version, wire.LoadBalanced.Version())
	}
	if c.nodes < 1 || c.nodes > 50 {
		return nil, fmt.Errorf("mongotest: a deployment has 1 to 50 nodes, not %d", c.nodes)
	}
	return c, nil
}
