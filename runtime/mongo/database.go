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
}

// Name is the name of the database.
func (d *Database) Name() string { return d.name }

// Client is the client that the database belongs to.
func (d *Database) Client() *Client { return d.client }

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

// String names the database.
func (d *Database) String() string { return fmt.Sprintf("database %s", d.name) }

// Database is a handle for a database; nothing is sent.
func (c *Client) Database(name string, opts ...*options.Database) *Database {
	d := &Database{client: c, name: name, scope: c.scope}
	if o := merged(opts); o != nil {
		d.scope = c.scope.narrow(options.Collection(*o))
	}
	return d
}
