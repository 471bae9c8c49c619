package mongo

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/observe"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// Client is a connection to a MongoDB deployment: its monitors, its pools of connections, and the settings that its
// databases and collections inherit. A program makes one and shares it. It is safe for concurrent use.
type Client struct {
	exec     *exec.Executor
	topology *topology.Topology
	sessions *session.Pool
	metadata *conn.Metadata
	log      *observe.Logger
	scope    scope
	explicit atomic.Int64 // sessions that the program has started and not ended
	cursors  atomic.Int64 // cursors that are open on a server
	streams  atomic.Int64 // change streams that are open
	closed   atomic.Bool
	calls    calls

	encryption encryption // nil for a client that does not encrypt on its own
}

// encryption is what a client that encrypts on its own has besides. It is an interface so that others do not link it.
type encryption interface {
	fieldsOf(namespace string) bson.Raw
	close(ctx context.Context) error
}

// Database is a handle for a database; nothing is sent.
func (c *Client) Database(name string, opts ...*options.Database) *Database {
	d := &Database{client: c, name: name, scope: c.scope}
	if o := merged(opts); o != nil {
		d.scope = c.scope.narrow(options.Collection(*o))
	}
	return d
}

// Ping waits until the deployment has a server that the read preference allows and has answered: rp is that of the
// client when it is nil.
func (c *Client) Ping(ctx context.Context, rp *options.ReadPreference) error {
	if rp == nil {
		rp = c.scope.readPreference
	}
	call := c.calls.ping.get()
	defer c.calls.ping.put(call)
	call.op = exec.Operation{Command: &call.cmd, DB: "admin", ReadPreference: rp, Timeout: c.scope.timeout}
	_, err := c.run(ctx, &call.op)
	return err
}

// AppendMetadata adds the name of a library that wraps the driver to what new connections tell the server.
func (c *Client) AppendMetadata(info options.DriverInfo) error {
	return c.metadata.Append(conn.DriverInfo(info))
}

// Close waits until the operations in flight have ended, or ctx has; then it ends the sessions on the server, closes every
// connection and stops every goroutine of the client. New operations fail with ErrClientClosed from the beginning, those
// still in flight after ctx has ended fail with it then. Closing twice is harmless.
func (c *Client) Close(ctx context.Context) error {
	if c.closed.Swap(true) {
		return nil
	}
	c.exec.Wait(ctx)
	ending, cancel := context.WithTimeout(ctx, endSessionsTimeout)
	c.endSessions(ending)
	cancel()
	err := c.topology.Close(ctx)
	if c.encryption != nil {
		err = errors.Join(err, c.encryption.close(ctx))
	}
	if logErr := c.log.Close(); err == nil {
		err = logErr
	}
	return err
}

// endSessionsTimeout bounds a courtesy to the server: a client whose connections are all in use closes all the same.
const endSessionsTimeout = 2 * time.Second

// endSessions tells a server that the pooled sessions are of no more use. It is a courtesy: the server forgets them in
// the end, so that errors do not matter.
func (c *Client) endSessions(ctx context.Context) {
	ids := c.sessions.Drain()
	if len(ids) == 0 || !c.topology.HasReachableServer() {
		return
	}
	rp := &options.ReadPreference{Mode: options.PrimaryPreferred}
	for len(ids) > 0 {
		n := min(len(ids), txn.EndSessionsBatch)
		op := &exec.Operation{Command: &command.EndSessions{Sessions: ids[:n]}, DB: "admin", ReadPreference: rp, NoSession: true}
		if _, err := c.exec.Run(ctx, op); err != nil {
			return
		}
		ids = ids[n:]
	}
}

// run carries an operation out.
func (c *Client) run(ctx context.Context, op *exec.Operation) (exec.Outcome, error) {
	if c.closed.Load() {
		return exec.Outcome{}, fault.ErrClientClosed
	}
	if err := c.joinSession(ctx, op); err != nil {
		return exec.Outcome{}, err
	}
	out, err := c.exec.Run(ctx, op)
	if err != nil && c.closed.Load() {
		err = cutOff(err)
	}
	return out, err
}

// cutOff says that Close ended an operation. What a server replied is still true, and so is the end of a context.
func cutOff(err error) error {
	if errors.Is(err, fault.ErrClientClosed) || !fault.IsNetworkError(err) {
		return err
	}
	return fmt.Errorf("%w while the operation was under way: %w", fault.ErrClientClosed, err)
}

// ListDatabases lists the databases that match a filter.
func (c *Client) ListDatabases(ctx context.Context, filter any, opts ...*options.ListDatabases) ([]DatabaseSpecification, error) {
	reply, err := c.listDatabases(ctx, filter, false, opts)
	if err != nil {
		return nil, err
	}
	var list []DatabaseSpecification
	for _, value := range reply.Databases.All() {
		var spec DatabaseSpecification
		if err := value.Unmarshal(&spec); err != nil {
			return nil, inside(err, "the reply of listDatabases")
		}
		list = append(list, spec)
	}
	return list, nil
}

// ListDatabaseNames lists the names of the databases that match a filter.
func (c *Client) ListDatabaseNames(ctx context.Context, filter any, opts ...*options.ListDatabases) ([]string, error) {
	reply, err := c.listDatabases(ctx, filter, true, opts)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, value := range reply.Databases.All() {
		doc, _ := value.DocumentOK()
		name, _ := doc.Lookup("name").StringOK()
		names = append(names, name)
	}
	return names, nil
}

// DatabaseSpecification describes a database.
type DatabaseSpecification struct {
	Name       string `bson:"name"`
	SizeOnDisk int64  `bson:"sizeOnDisk"`
	Empty      bool   `bson:"empty"`
}

func (c *Client) listDatabases(ctx context.Context, filter any, nameOnly bool,
	opts []*options.ListDatabases) (command.ListDatabasesReply, error) {
	given := merged(opts)
	var o options.ListDatabases
	if given != nil {
		o = *given
	}
	if nameOnly {
		o.NameOnly = new(true)
	}
	raw, err := c.scope.document("filter", filter)
	if err != nil {
		return command.ListDatabasesReply{}, err
	}
	if len(raw) <= len(wire.EmptyDocument()) {
		raw = nil
	}
	out, err := c.run(ctx, &exec.Operation{
		Command: &command.ListDatabases{Filter: raw, Options: &o}, DB: "admin", Timeout: c.scope.timeout,
	})
	if err != nil {
		return command.ListDatabasesReply{}, err
	}
	return command.ParseListDatabasesReply(out.Reply)
}
