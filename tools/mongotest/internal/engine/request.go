package engine

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/encrypted"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Request is one command and its surroundings.
type Request struct {
	Name        string // the command's name as in Command.Name
	DB          string
	Body        bson.Raw
	Sequences   map[string][]bson.Raw // kind 1 sections by identifier
	WireVersion int32

	Snapshot  *store.Snapshot // the state to read; nil means that every read takes the latest
	ReadLevel string          // the command's read concern level
	ReadTime  store.Timestamp // atClusterTime in the replies; 0 for none
	Arrived   store.Timestamp // the server's last write when the command arrived; 0 for none
	Txn       *store.Txn      // the open transaction, or nil
	User      UserDigest      // the user who sent the command
	Caller    any             // who sent the command, for the hook Roles
	LSID      bson.Raw        // owner of the cursors that the command opens, or nil
	Retry     *Retry          // executed statements of a retryable write, or nil
	TxnNumber int64
	Orphans   bool             // a plan shows that its shard leaves out what it does not own
	Interrupt *interrupt.Check // stops the command; if nil, only waits can stop
	// BeforeStatement is called before each statement of a retryable write; nil allows them all. After an error no further
	// statement runs, and the command fails although its earlier writes stay.
	BeforeStatement func() error
	// Limit bounds the time of a getMore by what the command before it left; nil is context.WithTimeout.
	Limit    func(context.Context, time.Duration) (context.Context, context.CancelFunc)
	MayWrite func() error // called before a write, while no other write runs; nil allows it

	// Observed asks for Outcomes: what each statement of an update or a delete did.
	Observed bool
	Outcomes []Outcome

	ignoring   bool                // unknown arguments are no error
	stopped    error               // what BeforeStatement returned
	newUUID    bson.UUID           // of the collection that a create makes; zero for a random one
	encryption []*encrypted.Schema // of the command's collections with encrypted fields

	done    map[int32]outcome // statements that count as executed once the write commits
	written store.Timestamp   // when the last of them committed, or the value before it

	// Applied is set by a command that wrote: the time of its last write. Executed is how many statements of a retryable
	// write took effect. A statement that an earlier try executed does not count.
	Applied  store.Timestamp
	Executed int
}

// Outcome is what one statement did.
type Outcome struct {
	Matched, Modified int64 // a delete counts what it removed as matched
	Upserted          bool
	Err               error
}

// observe notes the outcome of a statement.
func (r *Request) observe(o outcome, err error) {
	if r.Observed {
		r.Outcomes = append(r.Outcomes, Outcome{o.matched, o.modified, !o.upserted.IsZero(), err})
	}
}

// endedError turns the end of the context into the server's error.
func endedError(ctx context.Context) error { return interrupt.Err(ctx) }

// id returns the document's _id.
func id(doc bson.Raw) bson.RawValue { return path.Field(doc, "_id") }
