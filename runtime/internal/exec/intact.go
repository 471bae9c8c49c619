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

// intact reports whether the elements of a reply, and of the documents inside it, exactly fill their space. A walk or a
// look-up silently stops at a malformed element. Without this check, the fields after it, such as write errors, would
// seem to be absent.
//
// intact skips the documents of a cursor's batch: reading the batch and decoding the documents detects errors. It also
// skips texts: invalid UTF-8 is no reason to reject a reply.
func intact(doc bson.Raw, depth int) bool {
	if len(doc) < 5 || int(binary.LittleEndian.Uint32(doc)) != len(doc) || doc[len(doc)-1] != 0 || depth == 0 {
		return false
	}
	size := 4 + 1
	for key, value := range doc.All() {
		size += 1 + len(key) + 1 + len(value.Value)
		switch value.Type {
		case bsontype.EmbeddedDocument:
			if !intact(value.Value, depth-1) {
				return false
			}
		case bsontype.Array:
			if key != wire.FieldFirstBatch && key != wire.FieldNextBatch && !intact(value.Value, depth-1) {
				return false
			}
		}
	}
	return size == len(doc)
}

var errMalformed = errors.New("an element is malformed")

// malformed is the error for a reply that cannot be read. Like any other violation of the protocol, it means that the
// connection, and probably the server, is not reliable.
func (e *execution) malformed(err error) error {
	return fault.NetworkError{
		Address: e.try.server.Address(), Doing: "reading a reply from", Kind: fault.NetworkProtocol,
		Err: fmt.Errorf("the reply is not a document: %w", err),
	}
}
