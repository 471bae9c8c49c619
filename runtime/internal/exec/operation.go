package exec

import (
	"errors"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// Operation is one operation of a program. Only one goroutine runs it at a time.
type Operation struct {
	Command Command
	DB      string

	// ID is the number of the operation in events. 0 takes the next number. If an operation needs several commands,
	// they share the number.
	ID int64

	// Batch is Command if it has a section of kind 1. From is the first item to send. One message holds as many items
	// as fit.
	Batch Batch
	From  int

	// Timeout is the inherited timeoutMS. The command's own takes precedence. Part is the role of the operation in its
	// call; the zero value is a call with one operation. Span is what one timeout covers if the operation opens a
	// cursor.
	Timeout *time.Duration
	Part    timeout.Part
	Span    timeout.Span

	timing      timeout.State   // the state of the rules about timeoutMS
	timeVerdict timeout.Verdict // their verdict when the operation began

	Marshal *bson.MarshalOptions // how to encode values; nil means the client's options

	ReadPreference *options.ReadPreference
	ReadConcern    *options.ReadConcern
	WriteConcern   *options.WriteConcern

	// Session is the session to use. If it is nil, Implicit says what the driver does instead.
	Session  *session.Client
	Implicit Implicit

	// MinWireVersion is the lowest wire version that the operation accepts. TooOld is the error for a server with a
	// lower one. 0 accepts any server.
	MinWireVersion int32
	TooOld         error

	// Server is the server that must be used because it holds the cursor. If it is nil, the driver selects one. Conn is
	// the connection that must be used because it leads to the cursor's router.
	Server *topology.Server
	Conn   *topology.Pooled

	// Answer is what the server answers with.
	Answer Answer

	// Memory holds a large reply, and its memory is reused: the Outcome is good until the next operation with the same
	// Memory. With nil, each reply is allocated.
	Memory *[]byte

	// The fields for a run are part of the operation, because it is on the heap anyway.
	execution execution
	env       emitted.Env // for the try in progress
}

// Implicit is the use of implicit sessions.
type Implicit uint8

// What the driver does for an operation without a session of the program.
const (
	MakeSession Implicit = iota // makes one for this operation
	KeepSession                 // makes one and keeps it for the next commands of the same call, until Release
	NoSession                   // sends none
)

// Answer is the kind of the server's answer.
type Answer uint8

// What the server may answer with.
const (
	OneReply     Answer = iota
	OpenCursor          // a cursor. The outcome keeps what it needs: the implicit session, and behind a load balancer the connection
	BatchStream         // a batch, or a stream of batches if the server chooses to
	AwaitedBatch        // the next batch of a stream, which arrives on Conn without a request. An error ends the stream
)

// execution is a whole operation: what lasts for all its tries, and the try in progress.
type execution struct {
	x          *Executor
	op         *Operation
	meta       command.Meta
	id         int64  // the number of the operation in events
	collection string // the command's collection, empty if it has none
	slot       *slot  // where Stats finds the operation, nil if no slot was free

	explains bool // the log wants explanations

	course  decide.Operation  // the state of the state machine
	verdict operation.Verdict // its last verdict
	pacer   decide.Pacer
	reached bool        // a message was sent, at least in part
	carried int         // the most items that such a message carried
	partial bool        // a reply may hold writes that failed
	end     timeout.End // whether time has run out, where no context says so
	began   time.Time   // when the latest message was begun; sessions use this reading of the clock, too
	try     try

	session     *session.Client // the operation's own, or an implicit one
	ownsSession bool            // this execution made the session
	txnNumber   int64           // the number of a retryable write, 0 before it has one
	avoid       []string        // addresses of servers that a retry should avoid

	out Outcome // the result so far: from the reply, or with the failure that describes the operation best
	err error   // that failure

	baseBackoff time.Duration // the base of the pause that the server asks for
}

// collectionCommand is a command that names a collection.
type collectionCommand interface{ Target() string }

// try is one attempt at an operation: a server, a connection, a message and its reply.
type try struct {
	selecting      time.Time // when selection started; zero without timeoutMS
	searchEnds     time.Time // when the time for a server and a connection is over; zero without timeoutMS
	server         *topology.Server
	chosen         *description.Server     // the server as it was selected; nil when a cursor or a transaction has chosen it
	minRTT         time.Duration           // the server's smallest round trip time when it was selected
	serverType     description.ServerType  // what the server is, or was before it became Unknown
	known          operation.Event         // what the state machine has to know about the server and the connection
	readPreference *options.ReadPreference // the one that selected the server
	pooled         *topology.Pooled
	wire           *conn.Conn
	limits         *conn.Hello // what the server accepts
	owned          bool        // the connection goes back to the pool after the try

	msg    []byte    // the message, in the connection's buffer
	sent   int       // the number of items that the message carries
	sentAt time.Time // when the message went to the connection; zero if nobody listens to events
	reply  bson.Raw
	more   bool // another reply will follow
}

var errPanicked = errors.New("mongo: the operation panicked")

// retryableItems is a command with items that may forbid a retry. Its Meta allows a retry only if all items do.
type retryableItems interface {
	RetryableItems(from, n int) bool
}
