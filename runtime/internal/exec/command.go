package exec

import (
	"time"

	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
)

// Command is a command that can be sent to a server. Append opens a document at the end of dst and leaves it open, so
// the caller can add the fields that every command takes and close it with bson.AppendDocumentEnd and the length
// that dst had.
type Command interface {
	Append(dst []byte, env *emitted.Env) ([]byte, error)
	Meta() command.Meta
	Timeout() *time.Duration // timeoutMS of the operation's options, nil when it is unset
}

// Batch is a command with a section of kind 1. AppendItem writes one whole document of the section.
type Batch interface {
	Command
	Items() int
	AppendItem(dst []byte, i int, env *emitted.Env) ([]byte, error)
}
