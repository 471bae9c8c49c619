package command

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
)

// appendMillis appends a span of time in milliseconds. It rounds a fraction up, because 0 would mean that there is no
// limit.
func appendMillis(dst []byte, key string, d time.Duration) ([]byte, error) {
	if d < 0 {
		return dst, fmt.Errorf("%w: %s is %v", ErrNegativeTimeout, key, d)
	}
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	}
	return bson.AppendInt64Element(dst, key, int64(ms)), nil
}
