package exec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
)

// emptyDocumentSize is the size of a document without fields.
const emptyDocumentSize = 5

// isIntact reports whether the elements of a reply, and of the documents inside it, exactly fill their space. A walk or
// a look-up silently stops at a malformed element. Without this check, the fields after it, such as write errors, would
// seem to be absent.
//
// isIntact skips the documents of a cursor's batch: reading the batch and decoding the documents detects errors. It
// also skips texts: invalid UTF-8 is no reason to reject a reply.
func isIntact(doc bson.Raw, depth int) bool {
	if !isFramed(doc) || depth == 0 {
		return false
	}
	size := emptyDocumentSize
	for key, value := range doc.All() {
		size += elementSize(key, value)
		if !isIntactInside(key, value, depth-1) {
			return false
		}
	}
	return size == len(doc)
}

// isFramed reports whether a document has the size that it says, and its last byte.
func isFramed(doc bson.Raw) bool {
	return len(doc) >= emptyDocumentSize && int(binary.LittleEndian.Uint32(doc)) == len(doc) && doc[len(doc)-1] == 0
}

func elementSize(key string, value bson.RawValue) int { return 1 + len(key) + 1 + len(value.Value) }

func isIntactInside(key string, value bson.RawValue, depth int) bool {
	switch value.Type {
	case bsontype.EmbeddedDocument:
		return isIntact(value.Value, depth)
	case bsontype.Array:
		return key == wire.FieldFirstBatch || key == wire.FieldNextBatch || isIntact(value.Value, depth)
	}
	return true
}

var errMalformed = errors.New("an element is malformed")

// malformedError returns the error for a reply that cannot be read. Like any other violation of the protocol, it means
// that the connection, and probably the server, is not reliable.
func (e *execution) malformedError(err error) error {
	return fault.NetworkError{
		Address: e.try.server.Address(), Doing: "reading a reply from", Kind: fault.NetworkProtocol,
		Err: fmt.Errorf("the reply is not a document: %w", err),
	}
}
