package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// Collection is a handle for a collection. It is safe for concurrent use.
type Collection struct {
	db    *Database
	name  string
	scope scope

	memory *[]byte // holds the replies of a GridFS stream; see exec.Operation

	invalid error // what is wrong with the name or with the database's; every operation returns it
}

// Name is the name of the collection.
func (c *Collection) Name() string {
	if c == nil {
		return ""
	}
	return c.name
}

// Database is the database that the collection belongs to.
func (c *Collection) Database() *Database {
	if c == nil {
		return nil
	}
	return c.db
}

// Clone returns the same collection with other settings.
func (c *Collection) Clone(opts ...*options.Collection) *Collection {
	if c == nil {
		return nil
	}
	clone := *c
	if o := mergeOptions(opts); o != nil {
		clone.scope = c.scope.narrow(*o)
	}
	return &clone
}

// dropOperation is the operation that drops the collection.
func (c *Collection) dropOperation(o *options.DropCollection) *exec.Operation {
	op := new(exec.Operation)
	c.prepareWrite(op, &command.DropCollection{Collection: c.name, Options: o})
	return op
}

func (c *Collection) drop(ctx context.Context, op *exec.Operation) error {
	out, err := c.run(ctx, op)
	if IsNamespaceNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return writeConcernError(out)
}

// run runs an operation on the collection's database.
func (c *Collection) run(ctx context.Context, op *exec.Operation) (*exec.Outcome, error) {
	if c.invalid != nil {
		return &exec.Outcome{}, c.invalid
	}
	op.DB, op.Timeout = c.db.name, c.scope.timeout
	if op.Marshal == nil {
		op.Marshal = c.scope.marshal
	}
	return c.db.client.run(ctx, op)
}

// prepareRead makes op a read, with the concerns of the collection.
func (c *Collection) prepareRead(op *exec.Operation, cmd exec.Command) {
	op.Command, op.ReadConcern, op.ReadPreference = cmd, c.scope.readConcern, c.scope.readPreference
	op.DB, op.Memory = c.db.name, c.memory
}

// prepareWrite makes op a write, with the concern of the collection.
func (c *Collection) prepareWrite(op *exec.Operation, cmd exec.Command) {
	op.Command, op.WriteConcern, op.DB = cmd, c.scope.writeConcern, c.db.name
}

// writeOneReply is the reply to a write with a single statement. raw is nil if the write is unacknowledged.
type writeOneReply struct {
	command.WriteReply
	raw bson.Raw
}

// writeOne runs a write with a single statement. A write that fails in the server, or whose write concern is not
// satisfied, is a WriteException.
func (c *Collection) writeOne(ctx context.Context, op *exec.Operation, cmd exec.Batch) (writeOneReply, error) {
	op.Batch = cmd
	out, err := c.run(ctx, op)
	if err != nil || out.Reply == nil {
		return writeOneReply{}, err
	}
	reply, err := command.ParseWriteReply(out.Reply)
	if err == nil && (reply.WriteErrors != nil || reply.WriteConcernError != nil) {
		err = out.AsTimeout(writeException(out))
	}
	return writeOneReply{reply, out.Reply}, err
}

// Collection returns a handle for a collection; nothing is sent. If the name is invalid, every operation returns an
// error.
func (d *Database) Collection(name string, opts ...*options.Collection) *Collection {
	if d == nil {
		return &Collection{name: name} // each operation says that the database is nil
	}
	c := &Collection{db: d, name: name, scope: d.scope, invalid: d.invalid}
	if c.invalid == nil {
		c.invalid = checkCollectionName(name)
	}
	if o := mergeOptions(opts); o != nil {
		c.scope = d.scope.narrow(*o)
	}
	return c
}

func (c *Collection) check(ctx context.Context) error {
	if c == nil {
		return errNilCollection
	}
	return c.db.check(ctx)
}
