package mtest

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// ClientType says what a test's client talks to.
type ClientType int

// The types of clients. Pinned is the same as Default here.
const (
	// Default is a deployment that executes commands.
	Default ClientType = iota
	Pinned
	// Mock is a deployment that sends the replies of AddMockResponses and executes nothing.
	Mock
	// Proxy is like Default, but GetProxyCapture shows what the client sends.
	Proxy
)

// Options say what a test gets. Subtests inherit the type of the client, its options, the options of the collection,
// and ShareClient.
type Options struct {
	set []func(*settings)
}

// settings are the options of one test.
type settings struct {
	clientType   ClientType
	client       *options.Client
	collection   *options.Collection
	share        bool
	noClient     bool
	noCollection bool
	create       *options.CreateCollection
	dbName       string
	collName     string
	topologies   []TopologyKind
	minVersion   string
	maxVersion   string
	responses    []bson.D
	// The other fields only count with Setup.
	runOn                    []RunOnBlock
	auth, ssl                *bool
	enterprise, apiVersion   bool
	allowFailPointsOnSharded bool
}

// inherit returns the settings of a subtest before its own options.
func (s settings) inherit() settings {
	return settings{
		clientType: s.clientType, client: s.client, collection: s.collection, share: s.share, topologies: s.topologies,
		minVersion: s.minVersion, maxVersion: s.maxVersion, allowFailPointsOnSharded: s.allowFailPointsOnSharded,
	}
}

// explainUnfit returns why the deployment of Setup does not fit the test. Without Setup each test has the deployment that it wants.
func (s *settings) explainUnfit() string {
	if environment.client == nil {
		return ""
	}
	own := RunOnBlock{MinServerVersion: s.minVersion, MaxServerVersion: s.maxVersion, Topology: s.topologies, Auth: s.auth}
	if why := own.explainUnfit(); why != "" {
		return why
	}
	if s.ssl != nil && *s.ssl != SSLEnabled() {
		return "the deployment has no TLS"
	}
	if s.enterprise {
		return "the deployment is no Enterprise server"
	}
	if s.apiVersion {
		return "the tests do not ask for an API version"
	}
	var reasons []string
	for _, block := range s.runOn {
		why := block.explainUnfit()
		if why == "" {
			return ""
		}
		reasons = append(reasons, why)
	}
	return strings.Join(reasons, "; ")
}

// NewOptions returns options that set nothing.
func NewOptions() *Options { return &Options{} }

func (o *Options) add(fn func(*settings)) *Options {
	o.set = append(o.set, fn)
	return o
}

// ClientType sets what the client talks to.
func (o *Options) ClientType(ct ClientType) *Options {
	return o.add(func(s *settings) { s.clientType = ct })
}

// ClientOptions sets the options of the client. A connection string among them is ignored.
func (o *Options) ClientOptions(opts *options.Client) *Options {
	return o.add(func(s *settings) { s.client = opts })
}

// CollectionOptions sets the options of the collection.
func (o *Options) CollectionOptions(opts *options.Collection) *Options {
	return o.add(func(s *settings) { s.collection = opts })
}

// CollectionCreateOptions sets the options with which the server creates the collection.
func (o *Options) CollectionCreateOptions(opts *options.CreateCollection) *Options {
	return o.add(func(s *settings) { s.create = opts })
}

// CreateClient says whether a subtest gets a client. The default is true.
func (o *Options) CreateClient(create bool) *Options {
	return o.add(func(s *settings) { s.noClient = !create })
}

// CreateCollection says whether the server creates the collection before the test. The default is true.
func (o *Options) CreateCollection(create bool) *Options {
	return o.add(func(s *settings) { s.noCollection = !create })
}

// ShareClient says whether subtests use their parent's client.
func (o *Options) ShareClient(share bool) *Options {
	return o.add(func(s *settings) { s.share = share })
}

// DatabaseName names the database. The default is TestDb.
func (o *Options) DatabaseName(name string) *Options {
	return o.add(func(s *settings) { s.dbName = name })
}

// CollectionName names the collection. The default is the test's name.
func (o *Options) CollectionName(name string) *Options {
	return o.add(func(s *settings) { s.collName = name })
}

// MockResponses adds replies that a subtest starts with.
func (o *Options) MockResponses(responses ...bson.D) *Options {
	return o.add(func(s *settings) { s.responses = append(s.responses, responses...) })
}

// Topologies names the shapes that the test accepts. Without Setup it runs on the first one.
func (o *Options) Topologies(kinds ...TopologyKind) *Options {
	return o.add(func(s *settings) { s.topologies = kinds })
}

// MinServerVersion names the oldest version of the server that the test runs on. Without Setup it has no effect if the
// default version of mongotest is newer.
func (o *Options) MinServerVersion(version string) *Options {
	return o.add(func(s *settings) { s.minVersion = version })
}

// MaxServerVersion names the newest version of the server that the test runs on. Without Setup the deployment answers as
// this version if the default version of mongotest is newer.
func (o *Options) MaxServerVersion(version string) *Options {
	return o.add(func(s *settings) { s.maxVersion = version })
}

// RunOn describes deployments that the test accepts: those that fit one of the blocks. It only counts with Setup.
func (o *Options) RunOn(blocks ...RunOnBlock) *Options {
	return o.add(func(s *settings) { s.runOn = append(s.runOn, blocks...) })
}

// Auth says whether the deployment must ask for credentials. It only counts with Setup.
func (o *Options) Auth(auth bool) *Options { return o.add(func(s *settings) { s.auth = &auth }) }

// SSL says whether the deployment must ask for TLS. It only counts with Setup.
func (o *Options) SSL(ssl bool) *Options { return o.add(func(s *settings) { s.ssl = &ssl }) }

// Enterprise says whether the deployment must be an Enterprise server. It only counts with Setup.
func (o *Options) Enterprise(enterprise bool) *Options {
	return o.add(func(s *settings) { s.enterprise = enterprise })
}

// RequireAPIVersion says whether the tests must ask for an API version. It only counts with Setup.
func (o *Options) RequireAPIVersion(require bool) *Options {
	return o.add(func(s *settings) { s.apiVersion = require })
}

// AllowFailPointsOnSharded says that the test's fail points do not depend on the router that has them.
func (o *Options) AllowFailPointsOnSharded() *Options {
	return o.add(func(s *settings) { s.allowFailPointsOnSharded = true })
}

// MinLibmongocryptVersion has no effect: client-side encryption needs no library here.
func (o *Options) MinLibmongocryptVersion(string) *Options { return o }

// MaxLibmongocryptVersion has no effect: client-side encryption needs no library here.
func (o *Options) MaxLibmongocryptVersion(string) *Options { return o }
