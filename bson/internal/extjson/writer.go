package extjson

import (
	"unicode/utf8"

	"github.com/specdrivers/onion/bson/internal/wire"
)

// ErrStopped says that the limit is reached. It never changes and never leaves the package.
var ErrStopped = &failure{}

// writer is what stays the same while one document is written. Its methods take and return the output, which then
// lives in registers.
type writer struct {
	root      []byte // what error offsets count from
	canonical bool

	limited bool
	room    int // no text needs to be longer
	stop    int // the length of the output at which to stop
}

// locate returns the results of a document or array whose element key has failed with err. Text that reached the limit
// is kept.
func (w *writer) locate(dst []byte, key string, err *failure) ([]byte, *failure) {
	if err == ErrStopped {
		return dst, err
	}
	return nil, err.prefixPath(key)
}

// fail returns err as a failure at the offset of part.
func (w *writer) fail(part []byte, err error) *failure {
	return failureAt(err, wire.OffsetIn(w.root, part))
}

func (w *writer) enter(b []byte, depth int) (end int, failed *failure) {
	if depth <= 0 {
		return 0, w.fail(b, wire.ErrMaxDepth)
	}
	end, err := wire.Body(b)
	if err != nil {
		return 0, w.fail(b, err)
	}
	return end, nil
}

func (w *writer) appendText(dst, text []byte) ([]byte, *failure) {
	if w.limited && len(text) > w.room+utf8.UTFMax {
		end := w.room + utf8.UTFMax
		for end > w.room && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	dst, ok := AppendString(dst, text)
	if !ok {
		return nil, w.fail(text, wire.ErrText)
	}
	return dst, nil
}
