package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// Collection is a handle for a collection. It is safe for concurrent use.
type Collection struct {
	db    *Database
	name  string
	scope scope
}

// Name is the name of the collection.
func (c *Collection) Name() string { return c.name }

// Database is the database that the collection belongs to.
func (c *Collection) Database() *Database { return c.db }

// Clone is the same collection with other settings.
func (c *Collection) Clone(opts ...*options.Collection) *Collection {
	clone := *c
	if o := merged(opts); o != nil {
		clone.scope = c.scope.narrow(*o)
	}
	return &clone
}

// Drop removes the collection. A collection that does not exist is no error. The collections beside one with encrypted
// fields are removed, too: those of the EncryptedFields in the options, or as a client that encrypts on its own knows them.
func (c *Collection) Drop(ctx context.Context, opts ...*options.DropCollection) error {
	o := merged(opts)
	fields, err := c.encryptedFields(ctx, o)
	if err != nil {
		return err
	}
	if fields != nil {
		if err := c.dropEncrypted(ctx, o, fields); err != nil {
			return err
		}
	}
	return c.drop(ctx, o)
}

func (c *Collection) drop(ctx context.Context, o *options.DropCollection) error {
	out, err := c.run(ctx, &exec.Operation{Command: &command.DropCollection{Collection: c.name, Options: o},
		WriteConcern: c.scope.writeConcern})
	if IsNamespaceNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return writeConcernError(out)
}

// run carries an operation out against the collection's database.
func (c *Collection) run(ctx context.Context, op *exec.Operation) (exec.Outcome, error) {
	op.DB, op.Timeout = c.db.name, c.scope.timeout
	return c.db.client.run(ctx, op)
}

// read carries a read out.
func (c *Collection) read(ctx context.Context, cmd command.Command) (exec.Outcome, error) {
	op := new(exec.Operation)
	c.reading(op, cmd)
	return c.run(ctx, op)
}

// reading makes op a read, with the concerns of the collection.
func (c *Collection) reading(op *exec.Operation, cmd command.Command) {
	op.Command, op.ReadConcern, op.ReadPreference = cmd, c.scope.readConcern, c.scope.readPreference
}

// writeOne carries out a write of a single statement. A write that fails in the server, or whose write concern is not
// satisfied, is a WriteException.
func (c *Collection) writeOne(ctx context.Context, op *exec.Operation, cmd command.Batch) (command.WriteReply, bool, error) {
	op.Command, op.Batch, op.WriteConcern = cmd, cmd, c.scope.writeConcern
	out, err := c.run(ctx, op)
	if err != nil || out.Reply == nil {
		return command.WriteReply{}, false, err
	}
	reply, err := command.ParseWriteReply(out.Reply)
	if err != nil || reply.WriteErrors == nil && reply.WriteConcernError == nil {
		return reply, err == nil, err
	}
	return reply, true, writeException(out)
}

// writeException reads the failures out of a reply.
func writeException(out exec.Outcome) fault.WriteException {
	failed := fault.WriteException{
		WriteConcernError: fault.NewWriteConcernError(out.Reply), Address: out.Server.Address(), Raw: out.Reply,
		Labels: out.Labels,
	}
	if failed.Labels == nil {
		failed.Labels = fault.LabelsOf(out.Reply)
	}
	failed.WriteErrors = fault.NewWriteErrors(out.Reply, 0)
	for i := range failed.WriteErrors {
		failed.WriteErrors[i].Index = 0 // there is one statement, whatever the server counts
	}
	return failed
}

// writeConcernError is the error of a command that was carried out and whose write concern was not satisfied.
func writeConcernError(out exec.Outcome) error {
	if out.Reply == nil {
		return nil
	}
	if out.Reply.Lookup("writeConcernError").IsZero() {
		return nil
	}
	return writeException(out)
}
