package command

import (
	"time"

	"github.com/specdrivers/onion/bson"
)

// Env is what an encoder needs to know besides the command.
type Env struct {
	WireVersion    int32 // of the server that the command goes to
	Unacknowledged bool  // the write concern asks for no acknowledgement
	Timeout        bool  // a timeout bounds the operation, so the options' maxTimeMS is not sent
	MaxTimeSent    bool  // set by the encoder: the command has a maxTimeMS of its own
	Marshal        *bson.MarshalOptions
}

// Command is a command that can be sent to a server. Append opens a document at the end of dst and leaves it open, so
// that the caller can add the fields that every command takes and close it with bson.AppendDocumentEnd and the length
// that dst had.
type Command interface {
	Append(dst []byte, env *Env) ([]byte, error)
	Meta() Meta
	Timeout() *time.Duration // timeoutMS of the operation's options, nil when it is unset
}

// Batch is a command with a section of kind 1. AppendItem writes one whole document of the section.
type Batch interface {
	Command
	Items() int
	AppendItem(dst []byte, i int, env *Env) ([]byte, error)
}

// Access says whether an operation reads or writes.
type Access uint8

// The kinds of access.
const (
	Read Access = iota + 1
	Write
)

// Retry says whether an operation may be retried, and which rules apply.
type Retry uint8

// The rules of retries.
const (
	RetryNone Retry = iota
	RetryRead
	RetryWrite
)

// Meta describes an operation.
type Meta struct {
	Command          string // name of the command
	Operation        string // name of the operation, for traces and errors
	Sequence         string // identifier of the section of kind 1, or empty
	Access           Access
	Retry            Retry
	ReadConcern      bool // the command takes the field
	WriteConcern     bool
	ReadPreference   bool // the operation may go to a secondary
	Cursor           bool // the reply holds a cursor
	ItemOverhead     int  // how much larger than a document an item of the section may be
	AfterClusterTime bool // a write that takes readConcern.afterClusterTime in a causally consistent session
}
