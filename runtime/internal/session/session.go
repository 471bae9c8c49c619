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
	cleanup  *Cleanup            // the latest cleanup, which may still be running; nil without one
	limit    timeout.SessionTime // set while a withTransaction with timeoutMS runs
	deadline time.Time           // when that withTransaction has to end; zero when it has no limit
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

// Cleanup is a command of a session that may outlive the call that sent it: killCursors, or the abort of a transaction.
// It works on a copy of the session, so the program can use the session meanwhile. The next command of the session
// waits until the cleanup ends, and so does the return of the server session to the pool.
type Cleanup struct {
	of   *Client
	copy *Client
	prev *Cleanup // the session's previous cleanup; nil if that had ended

	mu    sync.Mutex
	ended bool
	then  []func()
	done  chan struct{}
}
