package exec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/fault"
)

// intact reports whether the elements of a reply, and of the documents inside it, fill exactly the space that they have.
// Walking and looking up stop in silence at an element that is malformed, so that without this check what stands behind
// it, such as write errors, would be taken for absent.
//
// The documents of a cursor's batch are not looked at: reading the batch and decoding them finds out. Nor are texts: one
// that is not UTF-8 is no reason to refuse a reply.
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
			if key != "firstBatch" && key != "nextBatch" && !intact(value.Value, depth-1) {
				return false
			}
		}
	}
	return size == len(doc)
}

var errMalformed = errors.New("an element is malformed")

// malformed is the error for a reply that cannot be read. Like any other breach of the protocol it says that the
// connection, and probably the server, is not to be relied upon.
func (t *try) malformed(err error) error {
	return fault.NetworkError{
		Address: t.server.Address(), Doing: "reading a reply from", Err: fmt.Errorf("the reply is not a document: %w", err),
	}
}
