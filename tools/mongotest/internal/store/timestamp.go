package store

import (
	"time"

	"github.com/specdrivers/onion/bson"
)

// Timestamp is a position in the oplog: seconds in the upper half, an ordinal in the lower.
type Timestamp uint64

// MakeTimestamp combines seconds and ordinal.
func MakeTimestamp(t, i uint32) Timestamp { return Timestamp(t)<<32 | Timestamp(i) }

// T returns the seconds.
func (ts Timestamp) T() uint32 { return uint32(ts >> 32) }

// I returns the ordinal within the second.
func (ts Timestamp) I() uint32 { return uint32(ts) }

// BSON returns the timestamp as a BSON value.
func (ts Timestamp) BSON() bson.Timestamp { return bson.Timestamp{T: ts.T(), I: ts.I()} }

// next returns the next timestamp. The wall clock may stand still or go back.
func (ts Timestamp) next(now time.Time) Timestamp {
	if seconds := uint32(now.Unix()); seconds > ts.T() {
		return MakeTimestamp(seconds, 1)
	}
	return ts + 1
}
