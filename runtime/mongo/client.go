package mongo

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/observe"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// Client is a connection to a MongoDB deployment: its monitors, its pools of connections, and the settings that its
// databases and collections inherit. A program makes one and shares it. It is safe for concurrent use.
type Client struct {
	*shared
	scope scope
}

// shared is what a client and its clones have in common.
type shared struct {
	exec     *exec.Executor
	topology *topology.Topology
	sessions *session.Pool
	metadata *conn.Metadata
	dialer   *conn.Dialer
	log      *observe.Logger
	explicit atomic.Int64 // sessions that the program has started and not ended
	cursors  atomic.Int64 // cursors that are open on a server
	streams  atomic.Int64 // change streams that are open
	closed   atomic.Bool
	calls    calls

	encryption encryptionState // nil without AutoEncryption
}

// encryptionState is the state of automatic encryption. It is an interface so that programs without AutoEncryption do
// not link the encryption code.
type encryptionState interface {
	fieldsOf(namespace string) bson.Raw
	close(ctx context.Context) error
}

// Clone returns the same client with other defaults for its databases and sessions. The two share connections, monitors
// and counts, and closing one closes both.
func (c *Client) Clone(opts ...*options.Database) *Client {
	if c == nil {
		return nil
	}
	clone := *c
	if o := mergeOptions(opts); o != nil {
		clone.scope = c.scope.narrow(options.Collection(*o))
	}
	return &clone
}

// Timeout is the default Timeout of the client's operations, which an operation, a collection or a database may
// override. It is nil if the client sets none, and 0 means no limit.
func (c *Client) Timeout() *time.Duration {
	if c == nil || c.scope.timeout == nil {
		return nil
	}
	return new(*c.scope.timeout)
}

// AppendMetadata adds the name of a library that wraps the driver to the metadata that new connections send to the
// server.
func (c *Client) AppendMetadata(info options.DriverInfo) error {
	if err := c.check(context.Background()); err != nil {
		return err
	}
	return c.metadata.Append(conn.DriverInfo(info))
}

// killTimeout bounds cleanups without a timeoutMS: the killCursors of a closed cursor and the abort of an abandoned
// transaction.
const killTimeout = 2 * time.Second

func (c *Client) check(ctx context.Context) error {
	if c == nil || c.shared == nil {
		return errNilClient
	}
	return checkContext(ctx)
}
