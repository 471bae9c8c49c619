package engine

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// batchMax is the most statements of one command.
const batchMax = 100_000

// checkBatch refuses a batch that is empty or too long, and statement ids that do not fit the batch.
func (a *args) checkBatch(n int) error {
	if ids := a.get("stmtIds"); !ids.IsZero() {
		if a.has("stmtId") {
			return status.Errorf(errcode.InvalidOptions,
				"May not specify both stmtId and stmtIds in write command. Got %s and %s",
				status.TextOf(a.get("stmtId")), status.TextOf(ids))
		}
		if got := len(value.Elements(ids)); got != n {
			return status.Errorf(errcode.InvalidLength,
				"Number of statement ids must match the number of batch entries. Got %d statement ids but %d operations. "+
					"Statement ids: %s", got, n, status.TextOf(ids))
		}
	}
	if n < 1 || n > batchMax {
		return status.Errorf(errcode.InvalidLength, "Write batch sizes must be between 1 and %d. Got %d operations.", batchMax, n)
	}
	return nil
}

// errEndOfBatch stops an ordered batch. The writes before it stay.
var errEndOfBatch = errors.New("end of batch")

// messagesMax limits the bytes of all messages in writeErrors. The errors after that have an empty one.
const messagesMax = 1 << 20

// batch collects what the statements of insert, update and delete did.
type batch struct {
	ordered  bool
	failed   []byte // the elements of writeErrors
	errors   int
	messages int // their bytes
	retried  []int32
}

// fail records the error of a statement. A write conflict or an interruption ends the command instead.
func (b *batch) fail(r *Request, i int, err error) error {
	e := status.From(err)
	if e.Code == errcode.WriteConflict || interrupt.Is(e.Code) {
		return e
	}
	if r.Txn != nil {
		b.ordered = true // the layer above aborts the transaction
	}
	message := e.Message
	if b.messages += len(message); b.messages > messagesMax {
		message = ""
	}
	b.failed, b.errors = appendWriteError(b.failed, b.errors, i, e, message), b.errors+1
	if b.ordered {
		return errEndOfBatch
	}
	return nil
}

func appendWriteError(dst []byte, at, index int, e *status.Error, message string) []byte {
	dst, start := bson.AppendDocumentStart(bson.AppendArrayIndexHeader(dst, documentType, at))
	dst = bson.AppendInt32Element(dst, "index", int32(index))
	dst = bson.AppendInt32Element(dst, "code", int32(e.Code))
	dst = e.AppendInfo(dst)
	dst = bson.AppendStringElement(dst, "errmsg", message)
	return bson.AppendDocumentEnd(dst, start)
}

// append adds writeErrors and retriedStmtIds to the reply.
func (b *batch) append(r *Request, dst []byte) []byte {
	if b.errors > 0 {
		var start int
		dst, start = bson.AppendArrayElementStart(dst, "writeErrors")
		dst = bson.AppendDocumentEnd(append(dst, b.failed...), start)
	}
	return r.appendRetried(dst, b.retried)
}

// begin begins a statement that has not been executed.
func (r *Request) begin(tx *store.Txn, statement int32) error {
	tx.Origin.Statement = statement
	if r.BeforeStatement == nil {
		return nil
	}
	if r.stopped = r.BeforeStatement(); r.stopped != nil {
		return errEndOfBatch
	}
	return nil
}

// settle turns the end of an ordered batch into success, so the statements before it commit.
func settle(err error) error {
	if errors.Is(err, errEndOfBatch) {
		return nil
	}
	return err
}
