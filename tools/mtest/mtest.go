package mtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestDb is the database of a test that names no other.
const TestDb = "test"

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
	created    []*mongo.Collection
	failPoints []string
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
	for _, o := range opts {
		for _, set := range o.set {
			set(&from)
		}
	}
	t := &T{T: wrapped, settings: from, script: &script{}, events: &events{}}
	if t.settings.dbName == "" {
		t.settings.dbName = TestDb
	}
	if t.settings.collName == "" {
		t.settings.collName = strings.ReplaceAll(t.Name(), "$", "%")
	}
	return t
}

// Run runs a subtest with a client and a collection of its own.
func (t *T) Run(name string, callback func(mt *T)) { t.RunOpts(name, NewOptions(), callback) }

// RunOpts works as Run does, with options for the subtest.
func (t *T) RunOpts(name string, opts *Options, callback func(mt *T)) {
	t.Helper()
	t.T.Run(name, func(wrapped *testing.T) {
		sub := newT(wrapped, t.settings.inherited(), opts)
		sub.script.add(sub.settings.responses...)
		switch {
		case sub.settings.share && t.Client != nil && sub.settings.clientType == t.settings.clientType:
			sub.Client, sub.script, sub.deployment, sub.events = t.Client, t.script, t.deployment, t.events
			sub.script.add(sub.settings.responses...)
			defer sub.leave()
		case !sub.settings.noClient:
			sub.createClient()
		}
		if sub.Client != nil {
			sub.createCollection()
		}
		sub.ClearEvents()
		callback(sub)
	})
}

// leave removes what a subtest has set and created in its parent's deployment.
func (t *T) leave() {
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
	t.Client.Close(context.Background())
	t.script.clear()
	t.connect()
	t.DB = t.Client.Database(t.settings.dbName)
	t.Coll = t.DB.Collection(t.settings.collName, t.collectionOptions()...)
}

// CloneDatabase gives DB other options.
func (t *T) CloneDatabase(opts *options.Database) {
	t.DB = t.Client.Database(t.settings.dbName, opts)
}

// CloneCollection gives Coll other options.
func (t *T) CloneCollection(opts *options.Collection) {
	t.Coll = t.DB.Collection(t.settings.collName, opts)
}

// NumberConnectionsCheckedOut counts the connections that operations of the client are using.
func (t *T) NumberConnectionsCheckedOut() int {
	inUse := 0
	for _, server := range t.Client.Stats().Topology.Servers {
		inUse += server.Pool.InUse
	}
	return inUse
}

// createClient starts a deployment and connects to it.
func (t *T) createClient() {
	t.Helper()
	t.deployment = mongotest.Start(t.T, t.shape()...)
	if t.settings.clientType == Mock {
		t.deployment.Intercept(scripted, 0, func(c mongotest.Command) mongotest.Answer { return t.script.answer(c) })
	}
	t.connect()
}

// shape is the deployment that the test asks for.
func (t *T) shape() []mongotest.Option {
	var shape []mongotest.Option
	switch t.settings.topology {
	case Single:
	case Sharded, ShardedReplicaSet:
		shape = append(shape, mongotest.Sharded(1))
	case LoadBalanced:
		shape = append(shape, mongotest.LoadBalanced(1))
	default:
		shape = append(shape, mongotest.ReplicaSet(1))
	}
	if t.settings.version != "" {
		shape = append(shape, mongotest.Version(t.settings.version))
	}
	return shape
}

func (t *T) connect() {
	t.Helper()
	opts := options.Client{WriteConcern: mongo.Majority(), ReadPreference: mongo.Primary()}
	if t.settings.client != nil {
		opts = *t.settings.client
	}
	opts.ConnectionString = nil
	opts.CommandMonitor = t.events.monitor(opts.CommandMonitor)
	client, err := mongo.Connect(t.Context(), t.deployment.URI(), &opts)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Client = client
	t.Cleanup(func() { client.Close(context.Background()) })
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

// CompareServerVersions compares two versions, such as "7.0" and "8.0.1", by the numbers that both have.
func CompareServerVersions(v1, v2 string) int {
	a, b := strings.Split(v1, "."), strings.Split(v2, ".")
	for i := range min(len(a), len(b)) {
		var x, y int
		fmt.Sscan(a[i], &x)
		fmt.Sscan(b[i], &y)
		if x != y {
			return x - y
		}
	}
	return 0
}
