package store

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// These limit the states that are kept for reads in the past, by their number and by the bytes written since. A few states
// are kept whatever their size, until much of their data has been removed.
const (
	historyMax   = 4096
	historyBytes = 64 << 20
	historyMin   = 16
	historyFreed = 8 << 20
)

// Config is what a Store needs from outside.
type Config struct {
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
}

// Store holds the data of one replica set or standalone server. It is safe for concurrent use.
type Store struct {
	now    func() time.Time
	oplog  *Oplog
	latest atomic.Pointer[Snapshot]
	heard  atomic.Uint64 // the newest time that was passed to Observe
	term   atomic.Int64  // of the writing primary

	provided, bare *provided

	mu      turn // held by the single writer
	history []*Snapshot
	written int64 // approximate number of bytes written since the oldest kept state
	freed   int64 // number of bytes that were removed since, so only kept states hold them
	past    func() bool
	claims  map[claim]*Txn
	epoch   int // grows when writes are truncated

	released atomic.Pointer[chan struct{}] // closed when an open transaction ends
}

// New makes an empty store.
func New(c Config) *Store {
	s := &Store{
		now: c.Now, oplog: newOplog(), claims: map[claim]*Txn{}, provided: &provided{}, bare: &provided{bare: true}, mu: make(turn, 1),
	}
	s.term.Store(1)
	if s.now == nil {
		s.now = time.Now
	}
	s.released.Store(new(make(chan struct{})))
	s.publish(&Snapshot{time: Timestamp(0).next(s.now()), provided: s.provided})
	return s
}

// publish makes snap the latest state.
func (s *Store) publish(snap *Snapshot) {
	s.history = append(s.history, snap)
	extra := len(s.history) - historyMax
	if s.freed > historyFreed && (s.past == nil || !s.past()) {
		extra, s.written, s.freed = len(s.history)-1, 0, 0
	} else if s.written > historyBytes {
		extra, s.written = max(extra, len(s.history)-historyMin), 0
	} else if extra <= historyMax/4 {
		extra = 0
	}
	if extra > 0 {
		s.history = slices.Clone(s.history[extra:])
	}
	s.latest.Store(snap)
}

// SetKeepsPast sets the function that reports whether somebody may need earlier states: to read them, or to go back to them. The function
// must not block. Without it, the store assumes that nobody does.
func (s *Store) SetKeepsPast(past func() bool) { s.past = past }

// DisableLog makes the store keep no log of its writes. A server without a replica set has no oplog.
func (s *Store) DisableLog() { s.oplog.none = true }

// Oplog returns the list of writes.
func (s *Store) Oplog() *Oplog { return s.oplog }

// SetTerm sets the term of the primary that writes from now on.
func (s *Store) SetTerm(term int64) { s.term.Store(term) }

// Released returns a channel that is closed when an open transaction of several commands ends. Take it before a write
// that may conflict with one.
func (s *Store) Released() <-chan struct{} { return *s.released.Load() }

// Latest returns the newest state.
func (s *Store) Latest() *Snapshot { return s.latest.Load() }

// Observe ensures that the times of future writes are later than ts.
func (s *Store) Observe(ts Timestamp) {
	for {
		old := s.heard.Load()
		if uint64(ts) <= old || s.heard.CompareAndSwap(old, uint64(ts)) {
			return
		}
	}
}

// LatestHeard returns the newest time that was passed to Observe, or 0.
func (s *Store) LatestHeard() Timestamp { return Timestamp(s.heard.Load()) }

// SnapshotBehind returns the state before the last n writes, or the oldest kept state. Writes published together count as one.
// Entries without effect do not count.
func (s *Store) SnapshotBehind(n int64) *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.afterWrites(s.latest.Load().writes - n)
}

// Written returns the state after the first n writes, or the oldest kept state. Writes published together count as one.
func (s *Store) Written(n int64) *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.afterWrites(n)
}

// afterWrites implements Written. The caller holds s.mu.
func (s *Store) afterWrites(want int64) *Snapshot {
	i, _ := slices.BinarySearchFunc(s.history, want+1, func(snap *Snapshot, writes int64) int { return cmp.Compare(snap.writes, writes) })
	return s.history[max(i-1, 0)]
}

// Oldest returns the oldest kept state.
func (s *Store) Oldest() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history[0]
}

// At returns the state at a time, which may lie between two writes. A time before the oldest kept state fails with
// SnapshotTooOld. A time after the newest state returns the newest.
func (s *Store) At(ts Timestamp) (*Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at(ts)
}

// at implements At. The caller holds s.mu.
func (s *Store) at(ts Timestamp) (*Snapshot, error) {
	i := s.positionAt(ts)
	if i < 0 {
		return nil, status.Errorf(errcode.SnapshotTooOld,
			"Read timestamp Timestamp(%d, %d) is older than the oldest available timestamp.", ts.T(), ts.I())
	}
	return s.history[i], nil
}

// positionAt returns the position of the last state that is not later than ts, or -1.
func (s *Store) positionAt(ts Timestamp) int {
	i, found := slices.BinarySearchFunc(s.history, ts, func(snap *Snapshot, ts Timestamp) int { return cmp.Compare(snap.time, ts) })
	if found {
		return i
	}
	return i - 1
}

// Truncate drops every write after ts, or after the oldest kept state if that is later. A failover does this to writes
// that no majority has. Later writes do not reuse the times of the dropped ones, and open transactions fail to commit.
// Truncate calls forget, if it is not nil, with the time of the new latest state before anyone can write again.
func (s *Store) Truncate(ts Timestamp, forget func(Timestamp)) Timestamp {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := max(s.positionAt(ts), 0)
	s.Observe(s.latest.Load().time)
	s.history = slices.Clone(s.history[:i+1])
	s.latest.Store(s.history[i])
	s.epoch++
	s.oplog.truncate(s.history[i].time)
	if forget != nil {
		forget(s.history[i].time)
	}
	return s.history[i].time
}

// Txn is a set of writes that become visible at once. It reads its own writes. Only one goroutine may use it.
type Txn struct {
	// Origin is recorded in the oplog entries that follow.
	Origin Origin
	// Unlogged keeps the writes out of the oplog. A server does so for collections that it keeps for itself.
	Unlogged bool
	// NewUUID is the UUID of the next collection that Create makes; zero is a random one.
	NewUUID bson.UUID

	store     *Store
	base      *Snapshot
	snap      Snapshot
	edit      *tree.Edit
	entries   []*Entry
	committed []func()
	dropped   int64  // the size of the collections that were dropped
	multi     *multi // nil in a transaction of one command

	// These save memory in a command that writes many documents.
	current *Collection // the last one written
	scratch []change
	blank   []Entry // allocated but unused entries
	keys    []byte  // the buffer for the next document keys
}

// Provide adds a collection. Call it before the store is used. Collections of that name can be neither written nor
// dropped.
func (s *Store) Provide(p Provided) {
	s.provided.list = append(s.provided.list, &p)
	s.bare.list = s.provided.list
}

// ProvideOplog shows the oplog as a collection. document turns the entries of one time into a document.
func (s *Store) ProvideOplog(db, name string, options Options, document func([]*Entry) bson.Raw) {
	s.Provide(Provided{DB: db, Name: name, Options: options, log: &logView{oplog: s.oplog, document: document}})
}

// Derive sets the function that returns what to derive from a collection, or nil for nothing. Call it before the store
// is used.
func (s *Store) Derive(of func(*Collection) *Derived) {
	s.provided.derive, s.bare.derive = of, of
	s.provided.derived = map[string]derivation{}
}
