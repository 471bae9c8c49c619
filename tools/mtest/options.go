package mtest

import (
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
)

// TopologyKind names the shape of a deployment.
type TopologyKind string

// The shapes of deployments.
const (
	ReplicaSet        TopologyKind = "replicaset"
	Sharded           TopologyKind = "sharded"
	Single            TopologyKind = "single"
	LoadBalanced      TopologyKind = "load-balanced"
	ShardedReplicaSet TopologyKind = "sharded-replicaset"
)

// Options say what a test gets. Subtests inherit the type of the client, its options, those of the collection, and
// ShareClient.
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
	topology     TopologyKind
	version      string
	responses    []bson.D
}

// inherited are the settings of a subtest before its own options.
func (s settings) inherited() settings {
	return settings{
		clientType: s.clientType, client: s.client, collection: s.collection, share: s.share, topology: s.topology,
		version: s.version,
	}
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

// Topologies names the shapes that the test accepts. It runs on the first one and is never skipped.
func (o *Options) Topologies(kinds ...TopologyKind) *Options {
	return o.add(func(s *settings) {
		if len(kinds) > 0 {
			s.topology = kinds[0]
		}
	})
}

// MinServerVersion names the oldest version of the server that the test runs on. It has no effect if the default
// version of mongotest is newer.
func (o *Options) MinServerVersion(version string) *Options {
	return o.add(func(s *settings) {
		if s.version == "" && CompareServerVersions(version, defaultVersion) > 0 {
			s.version = version
		}
	})
}

// MaxServerVersion names the newest version of the server that the test runs on. The deployment answers as this version
// if the default version of mongotest is newer.
func (o *Options) MaxServerVersion(version string) *Options {
	return o.add(func(s *settings) {
		if CompareServerVersions(version, defaultVersion) < 0 {
			s.version = version
		}
	})
}
