package mongo

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// Database is a handle for a database. It is safe for concurrent use.
type Database struct {
	client *Client
	name   string
	scope  scope

	invalid error // what is wrong with the name; every operation returns it
}

// Name is the name of the database.
func (d *Database) Name() string {
	if d == nil {
		return ""
	}
	return d.name
}

// Client is the client that the database belongs to.
func (d *Database) Client() *Client {
	if d == nil {
		return nil
	}
	return d.client
}

// ReadConcern is the read concern of the database's operations. Its Level is empty where neither the database nor the
// client sets one.
func (d *Database) ReadConcern() *options.ReadConcern {
	if d == nil || d.scope.readConcern == nil {
		return &options.ReadConcern{}
	}
	return new(*d.scope.readConcern)
}

// ReadPreference is the read preference of the database's operations: Primary where neither the database nor the client
// sets one.
func (d *Database) ReadPreference() *options.ReadPreference {
	if d == nil || d.scope.readPreference == nil {
		return Primary()
	}
	return new(*d.scope.readPreference)
}

// WriteConcern is the write concern of the database's operations. It is nil where neither the database nor the client
// sets one, which leaves it to the server.
func (d *Database) WriteConcern() *options.WriteConcern {
	if d == nil || d.scope.writeConcern == nil {
		return nil
	}
	return new(*d.scope.writeConcern)
}

// Drop drops the database.
func (d *Database) Drop(ctx context.Context, opts ...*options.DropDatabase) error {
	if err := d.check(ctx); err != nil {
		return err
	}
	return d.runWithoutResult(ctx, &exec.Operation{
		Command: &command.DropDatabase{Options: mergeOptions(opts)}, DB: d.name, WriteConcern: d.scope.writeConcern,
	})
}

// run runs an operation on the database.
func (d *Database) run(ctx context.Context, op *exec.Operation) (*exec.Outcome, error) {
	if d.invalid != nil {
		return &exec.Outcome{}, d.invalid
	}
	op.DB, op.Timeout = d.name, d.scope.timeout
	if op.Marshal == nil {
		op.Marshal = d.scope.marshal
	}
	return d.client.run(ctx, op)
}

// runWithoutResult runs a write that has no result except its error.
func (d *Database) runWithoutResult(ctx context.Context, op *exec.Operation) error {
	return runErrorInSpan(ctx, d.client, op, func(ctx context.Context) error {
		out, err := d.run(ctx, op)
		if err != nil {
			return err
		}
		return writeConcernError(out)
	})
}

// String names the database.
func (d *Database) String() string {
	if d == nil {
		return "<nil>"
	}
	return fmt.Sprintf("database %s", d.name)
}

// Database returns a handle for a database; nothing is sent. If the name is invalid, every operation returns an error.
func (c *Client) Database(name string, opts ...*options.Database) *Database {
	d := &Database{client: c, name: name, invalid: checkDatabaseName(name)}
	if c != nil {
		d.scope = c.scope
	}
	return d.narrow(opts)
}

// Clone returns the same database with other settings. Collection handles that already exist keep the old settings.
func (d *Database) Clone(opts ...*options.Database) *Database {
	if d == nil {
		return nil
	}
	clone := *d
	return clone.narrow(opts)
}

// narrow gives the database the settings of options.
func (d *Database) narrow(opts []*options.Database) *Database {
	if o := mergeOptions(opts); o != nil {
		d.scope = d.scope.narrow(options.Collection(*o))
	}
	return d
}

func (d *Database) check(ctx context.Context) error {
	if d == nil {
		return errNilDatabase
	}
	return d.client.check(ctx)
}
