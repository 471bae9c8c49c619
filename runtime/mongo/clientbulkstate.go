package mongo

import (
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// clientBulk carries out a bulk write on a client, message by message, and puts the results together.
type clientBulk struct {
	c       *Client
	o       *options.ClientBulkWrite
	cmd     *clientWrites
	concern *options.WriteConcern
	ordered bool

	result  ClientBulkWriteResult
	failed  fault.ClientBulkWriteException
	written bool // at least one write is known to have succeeded
	op      exec.Operation
	held    exec.Outcome
}
