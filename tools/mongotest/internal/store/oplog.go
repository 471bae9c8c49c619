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

// Entry is one write. All writes of a transaction of several commands have the same time, and so have all writes of a
// group of inserts.
type Entry struct {
	Time     Timestamp
	Term     int64 // of the primary that wrote it
	Index    int32 // the number of the write among the writes of its time
	Wall     time.Time
	Op       Op
	DB, Name string
	UUID     bson.UUID
	Key      bson.Raw // the document key, {_id: ...}; nil for DDL
	Before   bson.Raw // the document before an update or a delete
	After    bson.Raw // the document after an insert or an update
	Replace  bool     // the update replaced the whole document
	Diff     bson.Raw // what the update changed, in the format of package diff; nil for a replacement
	Images   bool     // the collection keeps the states before and after a change for change streams
	View     bool     // a DDL entry that concerns a view
	Silent   bool     // change streams do not report it
	Command  bson.Raw // the command of a DDL entry, without $db
	Old      bson.Raw // the state before a DDL entry, which is the o2 of an oplog entry
	Origin   Origin

	made  *Collection // the collection that a create made, for a replay
	index *Index      // the index that a createIndexes made
}

// Origin identifies the session that wrote an entry. Retryable writes and transactions find their entries by it.
type Origin struct {
	LSID      bson.Raw
	TxnNumber int64
	Statement int32
	InTxn     bool
}

// These limit the kept entries in number and in bytes.
const (
	oplogMax   = 1 << 16
	oplogBytes = 64 << 20
)

// Oplog is the list of writes. It is safe for concurrent use.
type Oplog struct {
	mu      sync.RWMutex
	entries []*Entry
	bytes   int64
	none    bool      // keep nothing but the last write
	trimmed Timestamp // the last entry that was dropped for its age
	epoch   int       // grows when entries are truncated
	changed chan struct{}
}

func newOplog() *Oplog {
	return &Oplog{changed: make(chan struct{})}
}

func (o *Oplog) append(entries []*Entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries = append(o.entries, entries...)
	for _, e := range entries {
		o.bytes += e.size()
	}
	o.trim()
	close(o.changed)
	o.changed = make(chan struct{})
}

func (e *Entry) size() int64 { return int64(len(e.Before) + len(e.After)) }

// trim drops the oldest entries, many at a time.
func (o *Oplog) trim() {
	extra := 0
	if n := len(o.entries) - oplogMax; n > oplogMax/4 {
		extra = n
	}
	if o.bytes > oplogBytes+oplogBytes/4 {
		for kept := o.bytes; kept > oplogBytes && extra < len(o.entries)-1; extra++ {
			kept -= o.entries[extra].size()
		}
	}
	if o.none {
		extra = len(o.entries) - 1
	}
	for extra > 0 && extra < len(o.entries) && o.entries[extra].Index > 0 {
		extra++ // keep or drop a transaction as a whole
	}
	if extra == 0 {
		return
	}
	o.trimmed = o.entries[extra-1].Time
	for _, e := range o.entries[:extra] {
		o.bytes -= e.size()
	}
	o.entries = slices.Clone(o.entries[extra:])
}

// truncate drops the entries later than ts.
func (o *Oplog) truncate(ts Timestamp) {
	o.mu.Lock()
	defer o.mu.Unlock()
	from := o.positionAfter(ts)
	for _, e := range o.entries[from:] {
		o.bytes -= e.size()
	}
	o.entries = slices.Clone(o.entries[:from])
	o.epoch++
	close(o.changed)
	o.changed = make(chan struct{})
}

// positionAfter returns the position of the first entry later than ts.
func (o *Oplog) positionAfter(ts Timestamp) int {
	i, _ := slices.BinarySearchFunc(o.entries, ts, func(e *Entry, ts Timestamp) int {
		if e.Time <= ts {
			return -1
		}
		return 1
	})
	return i
}

// Changed returns a channel that is closed at the next write. Take it before reading, or you may miss a write in
// between.
func (o *Oplog) Changed() <-chan struct{} {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.changed
}

// After iterates over the entries later than ts that exist now.
func (o *Oplog) After(ts Timestamp) iter.Seq[*Entry] {
	o.mu.RLock()
	entries := o.entries[o.positionAfter(ts):]
	o.mu.RUnlock()
	return slices.Values(entries)
}

// Holds reports whether every entry later than ts is still there.
func (o *Oplog) Holds(ts Timestamp) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.trimmed <= ts
}

func (o *Oplog) epochs() int {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.epoch
}

// Size returns how many bytes of documents the entries hold.
func (o *Oplog) Size() int64 {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.bytes
}

// First returns the time of the oldest entry, or zero if there is none.
func (o *Oplog) First() Timestamp {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if len(o.entries) == 0 {
		return 0
	}
	return o.entries[0].Time
}
