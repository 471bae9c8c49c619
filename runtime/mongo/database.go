package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// Database is a handle for a database. It is safe for concurrent use.
type Database struct {
	client *Client
	name   string
	scope  scope
}

// Name is the name of the database.
func (d *Database) Name() string { return d.name }

// Client is the client that the database belongs to.
func (d *Database) Client() *Client { return d.client }

// Collection is a handle for a collection; nothing is sent.
func (d *Database) Collection(name string, opts ...*options.Collection) *Collection {
	c := &Collection{db: d, name: name, scope: d.scope}
	if o := merged(opts); o != nil {
		c.scope = d.scope.narrow(*o)
	}
	return c
}

// RunCommand sends a command as it is and returns the server's reply. The server is selected by the read preference of
// the options, primary without one: that of the client, and the read and write concerns, do not apply. The command is
// not changed, and not retried. Its first field must be the command's name: pass a bson.D, a bson.Raw or a struct.
//
// A maxTimeMS of your own in the command goes to the server as it is; the deadline of ctx does not become one.
func (d *Database) RunCommand(ctx context.Context, runCommand any, opts ...*options.RunCommand) *SingleResult {
	var o options.RunCommand
	if given := merged(opts); given != nil {
		o = *given
	}
	op, err := d.rawOperation(runCommand, o.ReadPreference, o.Timeout)
	if err != nil {
		return &SingleResult{err: err}
	}
	out, err := d.run(ctx, op)
	if err != nil {
		return &SingleResult{err: err}
	}
	return &SingleResult{doc: out.Reply, unmarshal: d.scope.unmarshal}
}

// RunCursorCommand sends a command whose reply opens a cursor, and returns the cursor.
func (d *Database) RunCursorCommand(ctx context.Context, runCommand any, opts ...*options.RunCursorCommand) (*Cursor, error) {
	var o options.RunCursorCommand
	if given := merged(opts); given != nil {
		o = *given
	}
	timeout, err := newCursorTimeout(o.Timeout, d.scope.timeout, o.TimeoutMode, o.CursorType, o.MaxAwaitTime)
	if err != nil {
		return nil, err
	}
	op, err := d.rawOperation(runCommand, o.ReadPreference, o.Timeout)
	if err != nil {
		return nil, err
	}
	op.Cursor = true
	timeout.opening(op)
	out, err := d.run(ctx, op)
	if err != nil {
		return nil, err
	}
	settings := cursorSettings{
		comment: o.Comment, tailable: tailable(o.CursorType), batchSize: option.Or(o.BatchSize, 0),
		maxAwaitTime: option.Or(o.MaxAwaitTime, 0), timeout: timeout,
	}
	return newCursor(d.client, d.name, d.scope.unmarshal, out, settings)
}

func (d *Database) rawOperation(runCommand any, rp *options.ReadPreference, timeout *time.Duration) (*exec.Operation, error) {
	if err := ordered("command", `bson.Doc("collStats", "users", "scale", 1024)`, runCommand); err != nil {
		return nil, err
	}
	raw, err := d.scope.document("command", runCommand)
	if err != nil {
		return nil, err
	}
	name := firstKey(raw)
	if name == "" {
		return nil, errors.New("mongo: the command is empty")
	}
	for key := range raw.All() {
		if key == "$db" || key == "lsid" {
			return nil, fmt.Errorf("mongo: the command %s has the field %s, which the driver adds: leave it out", name, key)
		}
	}
	return &exec.Operation{
		Command: &rawCommand{name: name, body: raw, timeout: timeout}, ReadPreference: rp,
	}, nil
}

// rawCommand is a command that a program wrote itself.
type rawCommand struct {
	name    string
	body    bson.Raw
	timeout *time.Duration
}

// Append writes the command and leaves its document open.
func (c *rawCommand) Append(dst []byte, _ *command.Env) ([]byte, error) {
	return append(dst, c.body[:len(c.body)-1]...), nil
}

// Timeout is that of the options.
func (c *rawCommand) Timeout() *time.Duration { return c.timeout }

// Meta leaves Access open, since the driver does not look into the command. A server is selected as for a read.
func (c *rawCommand) Meta() command.Meta {
	return command.Meta{Command: c.name, Operation: "runCommand", ReadPreference: true}
}

// CreateCollection creates a collection, or a view. For one with EncryptedFields it creates the collections and the index
// beside it, too, which Queryable Encryption needs.
func (d *Database) CreateCollection(ctx context.Context, name string, opts ...*options.CreateCollection) error {
	o := merged(opts)
	fields, err := d.encryptedFields(o, name)
	if err != nil {
		return err
	}
	if fields != nil {
		if o == nil {
			o = &options.CreateCollection{}
		}
		return d.createEncrypted(ctx, name, *o, fields)
	}
	return d.write(ctx, &command.CreateCollection{Collection: name, Options: o})
}

// Drop removes the database.
func (d *Database) Drop(ctx context.Context, opts ...*options.DropDatabase) error {
	o := merged(opts)
	return d.write(ctx, &command.DropDatabase{Options: o})
}

// run carries an operation out against the database.
func (d *Database) run(ctx context.Context, op *exec.Operation) (exec.Outcome, error) {
	op.DB, op.Timeout = d.name, d.scope.timeout
	return d.client.run(ctx, op)
}

// write sends a command that changes something and has no result but its success.
func (d *Database) write(ctx context.Context, c command.Command) error {
	out, err := d.run(ctx, &exec.Operation{Command: c, WriteConcern: d.scope.writeConcern})
	if err != nil {
		return err
	}
	return writeConcernError(out)
}

// ListCollections lists the collections that match a filter.
func (d *Database) ListCollections(ctx context.Context, filter any, opts ...*options.ListCollections) (*Cursor, error) {
	return d.listCollections(ctx, filter, false, opts)
}

// ListCollectionNames lists the names of the collections that match a filter.
func (d *Database) ListCollectionNames(ctx context.Context, filter any, opts ...*options.ListCollections) ([]string, error) {
	cursor, err := d.listCollections(ctx, filter, true, opts)
	if err != nil {
		return nil, err
	}
	var names []string
	for doc, err := range Each[bson.Raw](ctx, cursor) {
		if err != nil {
			return nil, err
		}
		name, _ := doc.Lookup("name").StringOK()
		names = append(names, name)
	}
	return names, nil
}

func (d *Database) listCollections(ctx context.Context, filter any, nameOnly bool, opts []*options.ListCollections) (*Cursor, error) {
	var o options.ListCollections
	if given := merged(opts); given != nil {
		o = *given
	}
	raw, err := d.scope.document("filter", filter)
	if err != nil {
		return nil, err
	}
	if nameOnly {
		o.NameOnly = new(onlyNames(raw))
	}
	if len(raw) <= len(wire.EmptyDocument()) {
		raw = nil
	}
	timeout, err := newCursorTimeout(o.Timeout, d.scope.timeout, o.TimeoutMode, nil, nil)
	if err != nil {
		return nil, err
	}
	op := &exec.Operation{Command: &command.ListCollections{Filter: raw, Options: &o}, Cursor: true}
	timeout.opening(op)
	out, err := d.run(ctx, op)
	if err != nil {
		return nil, err
	}
	settings := cursorSettings{batchSize: option.Or(o.BatchSize, 0), comment: o.Comment, timeout: timeout}
	return newCursor(d.client, d.name, d.scope.unmarshal, out, settings)
}

// onlyNames: a server that is asked for names alone can filter by nothing else. Enumerating collections, "nameOnly".
func onlyNames(filter bson.Raw) bool {
	for key := range filter.All() {
		if key != "name" {
			return false
		}
	}
	return true
}

// Aggregate runs a pipeline that needs no collection, such as one that begins with $documents or $currentOp.
func (d *Database) Aggregate(ctx context.Context, pipeline any, opts ...*options.Aggregate) (*Cursor, error) {
	return aggregate(ctx, d.client, d.name, "", d.scope, pipeline, merged(opts))
}

func tailable(t *options.CursorType) bool {
	return t != nil && *t != options.NonTailable
}

// String names the database.
func (d *Database) String() string { return fmt.Sprintf("database %s", d.name) }
