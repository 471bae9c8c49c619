package store

import (
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
)

// Op is the kind of an oplog entry.
type Op byte

// The kinds.
const (
	Insert Op = 'i'
	Update Op = 'u'
	Delete Op = 'd'
	DDL    Op = 'c'
	Noop   Op = 'n'
)

// Entry is one write.
type Entry struct {
	Time     Timestamp
	Wall     time.Time
	Op       Op
	DB, Name string
	UUID     bson.UUID
	Key      bson.Raw // the document key, {_id: ...}; nil for DDL
	Before   bson.Raw // the document before an update or a delete
	After    bson.Raw // the document after an insert or an update
	Replace  bool     // the update replaced the whole document
	Command  bson.Raw // the command of a DDL entry, without $db
	Origin   Origin

	made *Collection // what a create made, for a replay
}

// Origin is the session that wrote, as retryable writes and transactions need to find it again.
type Origin struct {
	LSID      bson.Raw
	TxnNumber int64
	Statement int32
	InTxn     bool
}

// oplogMax bounds the entries that are kept.
const oplogMax = 1 << 16

// Oplog is the list of writes. It is safe for concurrent use.
type Oplog struct {
	mu      sync.RWMutex
	entries []*Entry
	changed chan struct{}
}

func newOplog() *Oplog {
	return &Oplog{changed: make(chan struct{})}
}

func (o *Oplog) append(entries []*Entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries = append(o.entries, entries...)
	if extra := len(o.entries) - oplogMax; extra > oplogMax/4 {
		o.entries = slices.Clone(o.entries[extra:])
	}
	close(o.changed)
	o.changed = make(chan struct{})
}

// truncate drops what is later than ts.
func (o *Oplog) truncate(ts Timestamp) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries = slices.Clone(o.entries[:o.after(ts)])
	close(o.changed)
	o.changed = make(chan struct{})
}

// after is the position of the first entry later than ts.
func (o *Oplog) after(ts Timestamp) int {
	i, found := slices.BinarySearchFunc(o.entries, ts, func(e *Entry, ts Timestamp) int {
		switch {
		case e.Time < ts:
			return -1
		case e.Time > ts:
			return 1
		}
		return 0
	})
	if found {
		i++
	}
	return i
}

// Changed is closed at the next write. Take it before reading, or a write between the two is missed.
func (o *Oplog) Changed() <-chan struct{} {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.changed
}

// After walks the entries later than ts that exist now.
func (o *Oplog) After(ts Timestamp) iter.Seq[*Entry] {
	o.mu.RLock()
	entries := o.entries[o.after(ts):]
	o.mu.RUnlock()
	return slices.Values(entries)
}

// First is the time of the oldest entry, zero when there is none.
func (o *Oplog) First() Timestamp {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if len(o.entries) == 0 {
		return 0
	}
	return o.entries[0].Time
}
