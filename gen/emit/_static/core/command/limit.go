package command

import (
	"math"

	"github.com/specdrivers/onion/bson"
)

// appendLimits appends the numbers that say how many documents a find returns. A negative number asks for a single batch
// and no cursor. A batch that is as large as the limit is raised by one, because it would leave a cursor open.
// Zero leaves a number to the server, as no number does.
//
// Specification: find, getMore and killCursors commands, "Mapping OP_QUERY behavior to the find command limit and
// batchSize fields"; CRUD, "Setting limit and batchSize options for find commands".
func appendLimits(dst []byte, limit *int64, batchSize *int32) []byte {
	var most int64
	if limit != nil {
		most = *limit
	}
	var size int64
	if batchSize != nil {
		size = int64(*batchSize)
	}
	single := most < 0 || size < 0
	most, size = max(most, -most), max(size, -size)
	switch {
	case single && most != 0:
		size = most
	case !single && most != 0 && size == most:
		size++
	}
	if size != 0 {
		dst = bson.AppendInt32Element(dst, "batchSize", int32(min(size, math.MaxInt32)))
	}
	if single {
		dst = bson.AppendBooleanElement(dst, "singleBatch", true)
	}
	if most != 0 {
		dst = bson.AppendInt64Element(dst, "limit", most)
	}
	return dst
}
