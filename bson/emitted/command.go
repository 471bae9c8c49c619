package emitted

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Env is what an encoder needs to know apart from the command.
type Env struct {
	WireVersion    int32 // of the server that the command goes to
	Unacknowledged bool  // the write concern asks for no acknowledgement
	Timeout        bool  // a timeout bounds the operation, so the options' maxTimeMS is not sent
	MaxTimeSent    bool  // set by the encoder: the command has a maxTimeMS of its own
	Marshal        *bson.MarshalOptions
}

// Limits returns the numbers that say how many documents a find returns. A negative number asks for a single batch and no
// cursor. A batch that is as large as the limit is raised by one, because it would leave a cursor open. Zero leaves a
// number to the server, as no number does.
//
// Specification: find, getMore and killCursors commands, "Mapping OP_QUERY behavior to the find command limit and
// batchSize fields"; CRUD, "Setting limit and batchSize options for find commands".
func Limits(limit *int64, batchSize *int32) (size int32, single bool, most int64) {
	if limit != nil {
		most = *limit
	}
	var batch int64
	if batchSize != nil {
		batch = int64(*batchSize)
	}
	single = most < 0 || batch < 0
	most, batch = max(most, -most), max(batch, -batch)
	switch {
	case single && most != 0:
		batch = most
	case !single && most != 0 && batch == most:
		batch++
	}
	return int32(min(batch, math.MaxInt32)), single, most
}

// AppendMillis appends a span of time in milliseconds. It rounds a fraction up, because 0 would mean that there is no
// limit.
func AppendMillis(dst []byte, key string, d time.Duration) ([]byte, error) {
	if d < 0 {
		return dst, fmt.Errorf("%w: %s is %v", ErrNegativeTimeout, key, d)
	}
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	}
	return bson.AppendInt64Element(dst, key, int64(ms)), nil
}

// AppendArray appends an array of values.
func AppendArray(dst []byte, key string, values []any, env *Env) ([]byte, error) {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		var err error
		if dst, err = bson.AppendValueElement(dst, strconv.Itoa(i), v, env.Marshal); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// AppendDocuments appends an array of documents.
func AppendDocuments(dst []byte, key string, values []bson.Raw) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		dst = bson.AppendArrayIndexHeader(dst, bsontype.EmbeddedDocument, i)
		dst = append(dst, v...)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// AppendInt64s appends an array of numbers.
func AppendInt64s(dst []byte, key string, values []int64) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		dst = bson.AppendArrayIndexHeader(dst, bsontype.Int64, i)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
	}
	return bson.AppendDocumentEnd(dst, start)
}
