package mtest

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

const defaultVersion = mongotest.DefaultVersion

// T is a test with a client, a database and a collection. Client, DB and Coll are nil in the T that New returns, unless
// its options have ShareClient: the T of each subtest has its own.
type T struct {
	*testing.T

	Client *mongo.Client
	DB     *mongo.Database
	Coll   *mongo.Collection

	settings   settings
	script     *script               // of a mock
	deployment *mongotest.Deployment // nil until a client needs it
	events     *events
	created    []createdCollection
	failPoints []string
	capture    *ProxyCapture
}

// New returns a T with the given options, for a test that runs subtests with Run. Everything ends with the test.
func New(wrapped *testing.T, opts ...*Options) *T {
	t := newT(wrapped, settings{}, opts...)
	if t.settings.share {
		t.createClient()
	}
	return t
}

func newT(wrapped *testing.T, from settings, opts ...*Options) *T {
	wrapped.Helper()
	for _, o := range opts {
		for _, set := range o.set {
			set(&from)
		}
	}
	if why := from.explainUnfit(); why != "" {
		wrapped.Skip("skipping due to environmental constraints: " + why)
	}
	t := &T{T: wrapped, settings: from, script: &script{}, events: &events{}}
	if t.settings.dbName == "" {
		t.settings.dbName = TestDb
	}
	if t.settings.collName == "" {
		t.settings.collName = t.Name()
	}
	t.settings.collName = collectionName(t.settings.dbName, t.settings.collName)
	return t
}

// Run runs a subtest with a client and a collection of its own.
func (t *T) Run(name string, callback func(mt *T)) { t.RunOpts(name, NewOptions(), callback) }

// RunOpts works as Run does, with options for the subtest.
func (t *T) RunOpts(name string, opts *Options, callback func(mt *T)) {
	t.Helper()
	t.T.Run(name, func(wrapped *testing.T) {
		sub := newT(wrapped, t.settings.inherit(), opts)
		if sub.settings.share && t.Client != nil && sub.settings.clientType == t.settings.clientType {
			sub.Client, sub.script, sub.deployment, sub.events = t.Client, t.script, t.deployment, t.events
			defer sub.cleanUp()
		}
		sub.Setup()
		defer sub.failOnPanic()
		callback(sub)
	})
}

// failOnPanic turns a panic into the failure of one test, where all tests of a process share a deployment.
func (t *T) failOnPanic() {
	if environment.client == nil {
		return
	}
	if what := recover(); what != nil {
		t.Errorf("panic: %v\n%s", what, debug.Stack())
	}
}

// Setup makes the client and the collection of a T that New returned. Run and RunOpts call it.
func (t *T) Setup() {
	t.Helper()
	t.script.add(t.settings.responses...)
	if t.Client == nil && !t.settings.noClient {
		t.createClient()
	}
	if t.Client != nil {
		t.createCollection()
	}
	t.ClearEvents()
}

// cleanUp removes what a test has set and created in a deployment that others use too.
func (t *T) cleanUp() {
	t.Helper()
	if t.settings.clientType != Mock {
		t.ClearFailPoints()
		t.ClearCollections()
	}
}

// Close does nothing: everything ends with the test. Older versions of the official driver had it.
func (t *T) Close() {}

// AddMockResponses adds replies that the mock sends, one for each command.
func (t *T) AddMockResponses(responses ...bson.D) { t.script.add(responses...) }

// ClearMockResponses forgets the replies that have not been sent.
func (t *T) ClearMockResponses() { t.script.clear() }

// ResetClient closes the client and makes another one, with the given options or, if opts is nil, with the same.
func (t *T) ResetClient(opts *options.Client) {
	t.Helper()
	if opts != nil {
		t.settings.client = opts
	}
	closed := t.Client
	if closed != nil {
		closed.Close(context.Background())
	}
	t.script.clear()
	t.connect()
	for i, coll := range t.created {
		if db := coll.Database(); db.Client() == closed {
			t.created[i].Collection = t.Client.Database(db.Name()).Collection(coll.Name())
		}
	}
	t.DB = t.Client.Database(t.settings.dbName)
	t.Coll = t.DB.Collection(t.settings.collName, t.collectionOptions()...)
}

// CloneDatabase gives DB other options.
func (t *T) CloneDatabase(opts *options.Database) {
	t.DB = t.Client.Database(t.settings.dbName, opts)
}

// CloneCollection gives Coll other options.
func (t *T) CloneCollection(opts *options.Collection) { t.Coll = t.Coll.Clone(opts) }

// GetProxyCapture returns what a client of type Proxy sent, or nil for the other types.
func (t *T) GetProxyCapture() *ProxyCapture { return t.capture }

// NumberConnectionsCheckedOut counts the connections that operations of the client are using.
func (t *T) NumberConnectionsCheckedOut() int {
	inUse := 0
	for _, server := range t.Client.Stats().Topology.Servers {
		inUse += server.Pool.InUse
	}
	return inUse
}

// createClient connects to the deployment of Setup, or to one of the test's own. A mock always has its own.
func (t *T) createClient() {
	t.Helper()
	if environment.client == nil || t.settings.clientType == Mock {
		t.deployment = mongotest.Start(t.T, t.shape()...)
	}
	if t.settings.clientType == Mock {
		t.deployment.Intercept(takesReply, 0, func(c mongotest.Command) mongotest.Answer { return t.script.answer(c) })
	}
	t.connect()
	t.Cleanup(func() {
		if t.deployment == nil {
			t.cleanUp()
		}
		t.Client.Close(context.Background())
	})
}

// shape returns the deployment that the test asks for.
func (t *T) shape() []mongotest.Option {
	var shape []mongotest.Option
	topology := ReplicaSet
	if len(t.settings.topologies) > 0 {
		topology = t.settings.topologies[0]
	}
	switch topology {
	case Single:
	case Sharded, ShardedReplicaSet:
		shape = append(shape, mongotest.Sharded(1))
	case LoadBalanced:
		shape = append(shape, mongotest.LoadBalanced(1))
	default:
		shape = append(shape, mongotest.ReplicaSet(1))
	}
	if v := t.settings.minVersion; v != "" && CompareServerVersions(v, defaultVersion) > 0 {
		shape = append(shape, mongotest.Version(v))
	} else if v := t.settings.maxVersion; v != "" && CompareServerVersions(v, defaultVersion) < 0 {
		shape = append(shape, mongotest.Version(v))
	}
	return shape
}

func (t *T) connect() {
	t.Helper()
	opts := options.Client{WriteConcern: mongo.Majority(), ReadPreference: mongo.Primary()}
	if t.settings.client != nil {
		opts = *t.settings.client
	}
	connectionString := environment.uri
	switch {
	case t.deployment != nil:
		connectionString = t.deployment.URI()
	case t.settings.clientType == Pinned:
		connectionString = firstHost(environment.uri)
	case opts.ConnectionString != nil:
		connectionString = *opts.ConnectionString
	}
	opts.ConnectionString = nil
	opts.CommandMonitor = t.events.monitor(opts.CommandMonitor)
	if t.settings.clientType == Proxy {
		t.capture = &ProxyCapture{}
		opts.Dialer = proxy{capture: t.capture}
	}
	client, err := mongo.Connect(context.Background(), connectionString, &opts)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Client = client
}

// createCollection gives the test its database and collection.
func (t *T) createCollection() {
	t.Helper()
	t.DB = t.Client.Database(t.settings.dbName)
	t.Coll = t.CreateCollection(Collection{
		Name: t.settings.collName, CreateOpts: t.settings.create, Opts: t.settings.collection,
	}, !t.settings.noCollection)
}

func (t *T) collectionOptions() []*options.Collection {
	if t.settings.collection == nil {
		return nil
	}
	return []*options.Collection{t.settings.collection}
}
