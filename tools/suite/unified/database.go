package unified

import (
	"context"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Database is a database entity.
type Database struct {
	run     *Run
	client  *Client
	db      *mongo.Database
	options []*options.Database
	session *Session
	within  time.Duration
}

// With returns the database with a session, for the next call.
func (d *Database) With(s *Session) *Database {
	other := *d
	other.session = s
	return &other
}

// Within returns the database with a time limit for the next call.
func (d *Database) Within(limit time.Duration) *Database {
	other := *d
	other.within = limit
	return &other
}

// Under returns the database with concerns of its own, for the next call.
func (d *Database) Under(own *options.Database) *Database {
	other := *d
	other.db = d.client.client.Database(d.db.Name(), append(slices.Clone(d.options), own)...)
	return &other
}

// Collection makes a collection entity.
func (d *Database) Collection(name string, opts ...*options.Collection) *Collection {
	return &Collection{run: d.run, database: d, c: d.db.Collection(name, opts...), options: opts}
}

func (d *Database) do(name string, fn func(ctx context.Context) (actual, error)) *Result {
	return d.run.do(name, d.session, d.within, fn)
}

// Aggregate runs a pipeline that needs no collection.
func (d *Database) Aggregate(pipeline any, opts ...*options.Aggregate) *Result {
	return d.do("aggregate", func(ctx context.Context) (actual, error) {
		cursor, err := d.db.Aggregate(ctx, pipeline, opts...)
		return readAll(ctx, cursor, err)
	})
}

// ListCollections lists collections.
func (d *Database) ListCollections(filter any, opts ...*options.ListCollections) *Result {
	return d.do("listCollections", func(ctx context.Context) (actual, error) {
		cursor, err := d.db.ListCollections(ctx, documentOrEmpty(filter), opts...)
		return readAll(ctx, cursor, err)
	})
}

// ListCollectionObjects is ListCollections: the driver has no objects to list.
func (d *Database) ListCollectionObjects(filter any, opts ...*options.ListCollections) *Result {
	return d.ListCollections(filter, opts...)
}

// ListCollectionNames lists the names of collections.
func (d *Database) ListCollectionNames(filter any, opts ...*options.ListCollections) *Result {
	return d.do("listCollectionNames", func(ctx context.Context) (actual, error) {
		return values(d.db.ListCollectionNames(ctx, documentOrEmpty(filter), opts...))
	})
}

// CreateCollection creates a collection.
func (d *Database) CreateCollection(name string, opts ...*options.CreateCollection) *Result {
	x := d.do("createCollection", func(ctx context.Context) (actual, error) {
		return actual{}, d.db.CreateCollection(ctx, name, opts...)
	})
	x.made = d.Collection(name)
	return x
}

// DropCollection drops a collection.
func (d *Database) DropCollection(name string, opts ...*options.DropCollection) *Result {
	return d.do("dropCollection", func(ctx context.Context) (actual, error) {
		return actual{}, d.db.Collection(name).Drop(ctx, opts...)
	})
}

// DropDatabase drops the database.
func (d *Database) DropDatabase(opts ...*options.DropDatabase) *Result {
	return d.do("dropDatabase", func(ctx context.Context) (actual, error) { return actual{}, d.db.Drop(ctx, opts...) })
}

// ModifyCollection changes a collection.
func (d *Database) ModifyCollection(name string, opts ...*options.ModifyCollection) *Result {
	return d.do("modifyCollection", func(ctx context.Context) (actual, error) {
		return actual{}, d.db.ModifyCollection(ctx, name, opts...)
	})
}

// CreateChangeStream opens a change stream.
func (d *Database) CreateChangeStream(pipeline any, opts ...*options.ChangeStream) *Result {
	return d.run.open(d.session, d.within, "createChangeStream", func(ctx context.Context) (iterator, error) {
		return asStreamIterator(d.db.Watch(ctx, pipelineOrEmpty(pipeline), opts...))
	})
}

// RunCommand runs a command.
func (d *Database) RunCommand(command any, opts ...*options.RunCommand) *Result {
	return d.do("runCommand", func(ctx context.Context) (actual, error) {
		return readSingle(d.db.RunCommand(ctx, command, opts...))
	})
}

// RunCursorCommand runs a command that opens a cursor, and reads that.
func (d *Database) RunCursorCommand(command any, opts ...*options.RunCursorCommand) *Result {
	return d.do("runCursorCommand", func(ctx context.Context) (actual, error) {
		cursor, err := d.db.RunCursorCommand(ctx, command, opts...)
		return readAll(ctx, cursor, err)
	})
}

// CreateCommandCursor runs a command that opens a cursor.
func (d *Database) CreateCommandCursor(command any, opts ...*options.RunCursorCommand) *Result {
	return d.run.open(d.session, d.within, "createCommandCursor", func(ctx context.Context) (iterator, error) {
		return asIterator(d.db.RunCursorCommand(ctx, command, opts...))
	})
}
