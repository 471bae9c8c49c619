package bson

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"
)

// objectIDSource is what the ObjectIDs of one process share. It is the package's only mutable state: the specification
// wants one random value and one counter per process.
type objectIDSource struct {
	once    sync.Once
	random  uint64 // 40 bits
	counter atomic.Uint32
}

var objectIDs objectIDSource

// NewObjectID returns an ObjectID that no other call in any process should return, as long as a process makes fewer
// than 16 million of them a second. It is safe for concurrent use.
func NewObjectID() ObjectID { return objectIDs.next(time.Now()) }

// NewObjectIDFromTimestamp is NewObjectID with the given time of creation, for range queries on _id and for imports.
func NewObjectIDFromTimestamp(t time.Time) ObjectID { return objectIDs.next(t) }

func (s *objectIDSource) next(t time.Time) ObjectID {
	// ObjectID, "Random Value" and "Counter": both random per process. A Go process cannot fork without exec, so a new
	// process gets its own at the first use.
	s.once.Do(s.seed)
	var id ObjectID
	// The top byte of the 32-bit counter is dropped, which is the reset after 16777215.
	n := s.counter.Add(1)
	// Two stores of the sizes in which the compiler copies an ObjectID: reading across two stores makes the processor wait.
	binary.BigEndian.PutUint64(id[:8], uint64(t.Unix())<<32|s.random>>8)
	binary.BigEndian.PutUint32(id[8:], uint32(s.random)<<24|n&0xFFFFFF)
	return id
}

func (s *objectIDSource) seed() {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand stops the program when the system has no entropy
	seed := binary.LittleEndian.Uint64(b[:])
	s.random = seed >> 24
	s.counter.Store(uint32(seed & 0xFFFFFF))
}
