package engine

import (
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Retry remembers the executed statements of one (lsid, txnNumber), so a retried command executes none of them
// twice. It is safe for concurrent use.
type Retry struct {
	mu   sync.Mutex
	done map[int32]outcome
}

// outcome is what a statement did.
type outcome struct {
	at       store.Timestamp
	matched  int64
	modified int64
	upserted bson.RawValue
	reply    []byte // the elements of a findAndModify reply
}

// NewRetry returns an empty Retry for a new txnNumber.
func NewRetry() *Retry { return &Retry{done: map[int32]outcome{}} }

// Forget drops the statements after a time, when a failover rolls them back.
func (t *Retry) Forget(after store.Timestamp) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, o := range t.done {
		if o.at > after {
			delete(t.done, id)
		}
	}
}
