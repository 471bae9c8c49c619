package exec

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// maxEncryptedBatch limits the bytes of documents in one encrypted command, because encryption makes documents larger.
//
// Client Side Encryption, "Size limits for Write Commands".
const maxEncryptedBatch = 2 << 20

// form says how the document sequences of a command are written: into sections of kind 1, or into arrays if the command
// is to be encrypted.
type form uint8

const (
	inSections form = iota
	inArrays
)

// begin opens a document sequence.
func (as form) begin(dst []byte, name string) (out []byte, start int) {
	if as == inArrays {
		return bson.AppendArrayElementStart(dst, name)
	}
	return conn.BeginSequence(dst, name)
}

// end closes the document sequence that begin opened at start.
func (as form) end(dst []byte, start int) []byte {
	if as == inArrays {
		return bson.AppendDocumentEnd(dst, start)
	}
	return conn.EndSequence(dst, start)
}

// appendItems writes as many items as the server accepts in one message. A single document of an encrypted command may
// be larger than several documents may be together.
func (e *execution) appendItems(dst []byte, as form, env *emitted.Env) ([]byte, error) {
	batch, items := e.op.Batch, e.op.Batch.Items()
	most := min(items-e.op.From, int(e.try.limits.MaxWriteBatchSize))
	itemLimit, messageLimit := e.itemLimit(), int(e.try.limits.MaxMessageSizeBytes)
	start := len(dst)
	sent, total := 0, 0
	e.try.sent = 0
	for i := e.op.From; sent < most; i++ {
		before := len(dst)
		if as == inArrays {
			dst = appendIndex(dst, sent)
		}
		head := len(dst)
		var err error
		if dst, err = batch.AppendItem(dst, i, env); err != nil {
			return nil, err
		}
		size := len(dst) - head
		total += size
		if size > itemLimit || as == inSections && len(dst) > messageLimit || as == inArrays && total > maxEncryptedBatch {
			if sent > 0 { // send the earlier items first
				return dst[:before], nil
			}
			if size > itemLimit {
				return nil, fault.DocumentTooLargeError{Index: i, Size: size, Limit: itemLimit}
			}
		}
		sent++
		e.try.sent = sent
		if as == inSections {
			dst = growBatch(dst, len(dst)-start, sent, items-i-1, messageLimit)
		}
	}
	return dst, nil
}

// appendIndex starts an element in an array of documents.
func appendIndex(dst []byte, i int) []byte {
	return append(strconv.AppendInt(append(dst, byte(bsontype.EmbeddedDocument)), int64(i), 10), 0)
}

// growBatch makes room for the remaining items, whose size it guesses from the earlier ones. Growing in the usual steps
// of a quarter would copy the start of a message of 48 MB twenty times. A wrong guess costs at most three times the
// memory.
func growBatch(msg []byte, size, sent, remain, limit int) []byte {
	average := size/sent + 1
	if remain == 0 || cap(msg)-len(msg) >= average {
		return msg
	}
	return slices.Grow(msg, min(average*remain, 3*len(msg), max(limit-len(msg), 0)+average))
}

// itemLimit is the maximum size of an item. A document to insert may be as large as any document. A statement may also
// have the bytes that it adds to the document inside it.
func (e *execution) itemLimit() int {
	return int(e.try.limits.MaxBSONObjectSize) + e.meta.ItemOverhead
}

// encodeError adds to an error which operation could not be encoded.
func (e *execution) encodeError(err error) error {
	return fmt.Errorf("mongo: %s: %w", e.meta.Operation, err)
}
