package unified

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// ClientOptions say how a client entity is made.
type ClientOptions struct {
	URI                 bson.D // options of the connection string
	UseMultipleMongoses *bool
	Observe             []Kind
	Ignore              []string // commands whose events do not count
	ObserveSensitive    bool
	Logs                LogLevels
	Traces              *TraceOptions
	ServerAPI           *options.ServerAPI
	AutoEncryption      *options.AutoEncryption // its providers may hold placeholders
	AwaitMinPoolSize    time.Duration
	Store               []Store
}

// TraceOptions say what the spans of a client hold.
type TraceOptions struct {
	CommandPayload bool
}

// Client is a client entity.
type Client struct {
	run     *Run
	client  *mongo.Client
	session *Session
	within  time.Duration
	*clientState
}

// clientState is what copies of a client share.
type clientState struct {
	options    ClientOptions
	checkedOut atomic.Int64
	logs       *logCollector
	spans      *spanCollector
	failPoints []*failPoint

	mu       sync.Mutex
	events   []Event
	deaf     bool // events come too early to count
	minReady map[string]int
}

// Client makes a client entity.
func (r *Run) Client(o ClientOptions) *Client {
	r.t.Helper()
	c := &Client{run: r, clientState: &clientState{options: o, minReady: map[string]int{}}}
	c.deaf = o.AwaitMinPoolSize > 0
	set := r.deployment.options()
	if o.Traces != nil {
		c.spans = &spanCollector{}
		set.Tracing = &options.Tracing{Tracer: c.spans, Enabled: new(true), QueryTextMaxLength: new(0)}
		if o.Traces.CommandPayload {
			set.Tracing.QueryTextMaxLength = new(1 << 20)
		}
	}
	c.monitor(set)
	set.ServerAPI = o.ServerAPI
	r.setAutoEncryption(set, o.AutoEncryption)
	r.setAWSCredential(set, o.URI)
	if o.Logs != (LogLevels{}) {
		c.logs = &logCollector{client: c.clientState}
		set.Logger = slog.New(c.logs)
		set.LogLevels = o.Logs.levels()
		set.MaxLogDocumentLength = new(10000)
	} else {
		set.LogLevels = &options.LogLevels{}
		set.Logger = slog.New(slog.DiscardHandler)
	}
	if _, there := lookupFold(o.URI, "heartbeatFrequencyMS"); !there {
		// Unified Test Format, "Executing a Test": recovery after a fail point need not take as long as in production.
		set.HeartbeatFrequency = new(500 * time.Millisecond)
	}
	uri := r.addOptions(r.deployment.uri(o.UseMultipleMongoses), o.URI)
	if many := o.UseMultipleMongoses; r.deployment.kind.Topology == "sharded" && many != nil && *many && !strings.Contains(uri, ",") {
		r.failf("the client must know several routers, and the connection string names one")
	}
	var err error
	c.client, err = mongo.Connect(r.ctx, uri, set)
	r.must(err, "make a client")
	r.mu.Lock()
	r.clients = append(r.clients, c)
	r.mu.Unlock()
	c.awaitMinPoolSize()
	return c
}

func lookupFold(d bson.D, key string) (any, bool) {
	i := slices.IndexFunc(d, func(e bson.E) bool { return strings.EqualFold(e.Key, key) })
	if i < 0 {
		return nil, false
	}
	return d[i].Value, true
}

// With returns the client with a session, for the next call.
func (c *Client) With(s *Session) *Client {
	other := *c
	other.session = s
	return &other
}

// Within returns the client with a time limit for the next call.
func (c *Client) Within(d time.Duration) *Client {
	other := *c
	other.within = d
	return &other
}

// Database makes a database entity.
func (c *Client) Database(name string, opts ...*options.Database) *Database {
	return &Database{run: c.run, client: c, db: c.client.Database(name, opts...), options: opts}
}

// do runs an operation.
func (c *Client) do(name string, fn func(ctx context.Context) (actual, error)) *Result {
	return c.run.do(name, c.session, c.within, fn)
}

// Close closes the client.
func (c *Client) Close() *Result {
	return c.do("close", func(ctx context.Context) (actual, error) { return actual{}, c.client.Close(ctx) })
}

// AppendMetadata adds to what the client tells servers about itself.
func (c *Client) AppendMetadata(info *options.DriverInfo) *Result {
	return c.do("appendMetadata", func(context.Context) (actual, error) { return actual{}, c.client.AppendMetadata(*info) })
}

// ListDatabases lists databases.
func (c *Client) ListDatabases(filter any, opts ...*options.ListDatabases) *Result {
	return c.do("listDatabases", func(ctx context.Context) (actual, error) {
		list, err := c.client.ListDatabases(ctx, documentOrEmpty(filter), opts...)
		for _, o := range opts {
			if o.NameOnly != nil && *o.NameOnly {
				return documents(onlyNames(list), err)
			}
		}
		return documents(list, err)
	})
}

// onlyNames are databases that the server told only the names of.
func onlyNames(list []mongo.DatabaseSpecification) []bson.D {
	var out []bson.D
	for _, d := range list {
		out = append(out, bson.Doc("name", d.Name))
	}
	return out
}

// ListDatabaseObjects is ListDatabases: the driver has no objects to list.
func (c *Client) ListDatabaseObjects(filter any, opts ...*options.ListDatabases) *Result {
	return c.ListDatabases(filter, opts...)
}

// ListDatabaseNames lists the names of databases.
func (c *Client) ListDatabaseNames(filter any, opts ...*options.ListDatabases) *Result {
	return c.do("listDatabaseNames", func(ctx context.Context) (actual, error) {
		return values(c.client.ListDatabaseNames(ctx, documentOrEmpty(filter), opts...))
	})
}

// DropDatabase drops a database.
func (c *Client) DropDatabase(name string, opts ...*options.DropDatabase) *Result {
	return c.do("dropDatabase", func(ctx context.Context) (actual, error) {
		return actual{}, c.client.Database(name).Drop(ctx, opts...)
	})
}

// ClientBulkWrite writes to several collections.
func (c *Client) ClientBulkWrite(writes []Write, opts ...*options.ClientBulkWrite) *Result {
	return c.do("clientBulkWrite", func(ctx context.Context) (actual, error) {
		r, err := c.client.BulkWrite(ctx, writes, opts...)
		if e, ok := errors.AsType[mongo.ClientBulkWriteException](err); ok && r == nil {
			r = e.PartialResult
		}
		return clientBulkResult(r), err
	})
}

// Write is one write of a bulk write on a client.
type Write = mongo.ClientBulkWrite

// CreateChangeStream opens a change stream.
func (c *Client) CreateChangeStream(pipeline any, opts ...*options.ChangeStream) *Result {
	return c.run.open(c.session, c.within, "createChangeStream", func(ctx context.Context) (iterator, error) {
		return asStreamIterator(c.client.Watch(ctx, pipelineOrEmpty(pipeline), opts...))
	})
}

// documentOrEmpty returns the filter, or an empty document if it is left out.
func documentOrEmpty(filter any) any {
	if filter == nil {
		return bson.D{}
	}
	return filter
}
