package session

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// Client is a session in use. An implicit one lasts for one operation and the cursor that the operation made. An
// explicit one belongs to the program. Only one goroutine uses it at a time.
type Client struct {
	server       *Server
	kind         operation.SessionKind
	ended        atomic.Bool
	snapshotTime bson.Timestamp

	clock         Clock
	operationTime bson.Timestamp

	// Span is the span of the transaction. It is nil without one.
	Span options.Span

	txn      Transaction
	borrowed bool                // the pin of txn belongs to another Client
	cleanup  *Cleanup            // the last one, which may not have ended; nil without one
	limit    timeout.SessionTime // of the withTransaction that is running with timeoutMS
	deadline time.Time           // of that withTransaction; zero when it has no limit
}

// Server is a server session: the id under which a server keeps the state of a client, and the number of the last
// transaction or retryable write. Only one goroutine uses it at a time.
type Server struct {
	lsid      bson.Raw
	lastUse   time.Time
	txnNumber int64
	dirty     atomic.Bool
	pooled    poison.Mark
	operation Client // the implicit session that uses it
}

// Cleanup is a command in a session that may go on behind the call that sent it: killCursors, or the abort of a transaction. It
// has a copy of the session, so that the program can go on with its own. The next command of the session waits until it ends,
// and the server session is not pooled before.
type Cleanup struct {
	of   *Client
	copy *Client
	prev *Cleanup // of the same session; nil when it had ended

	mu    sync.Mutex
	ended bool
	then  []func()
	done  chan struct{}
}
