package process

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
)

// Process is one mongod or mongos. Its methods are safe for concurrent use.
type Process struct {
	Index   int           // its number, counted from 0
	Latency atomic.Int64  // nanoseconds that every reply waits
	Skew    atomic.Int64  // nanoseconds that its clock is ahead
	Lagging atomic.Bool   // it may lack writes that others have
	address atomic.Value  // a string, set when the process first listens
	mu      sync.Mutex    // guards what follows
	down    bool          // it was killed
	id      bson.ObjectID // a new one for each start
	service bson.ObjectID // its serviceId behind a load balancer
	version int64         // the counter of the topologyVersion
	changed chan struct{} // closed when version grows

	cutUntil time.Time     // when the partition ends
	healing  *time.Timer   // ends it
	healed   chan struct{} // closed when the partition ends; nil while there is none
}

// New returns a process that runs and has no address yet.
func New(index int) *Process {
	return &Process{Index: index, id: bson.NewObjectID(), service: bson.NewObjectID(), changed: make(chan struct{})}
}

// Address returns where clients reach the process.
func (p *Process) Address() string {
	address, _ := p.address.Load().(string)
	return address
}

// SetAddress names the address. A process keeps the first one that it gets.
func (p *Process) SetAddress(address string) { p.address.CompareAndSwap(nil, address) }

// Up reports whether the process runs and the others reach it.
func (p *Process) Up() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.down && p.healed == nil
}

// Stopped reports whether the process was stopped.
func (p *Process) Stopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.down
}

// Stop ends the process.
func (p *Process) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = true
}

// Restart makes a stopped process run again under a new id.
func (p *Process) Restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down, p.id, p.version, p.service = false, bson.NewObjectID(), 0, bson.NewObjectID()
}

// TopologyVersion returns what hello replies and state change errors carry. The channel is closed once the version is old.
func (p *Process) TopologyVersion() (id bson.ObjectID, counter int64, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id, p.version, p.changed
}

// ServiceID names the router behind a load balancer.
func (p *Process) ServiceID() bson.ObjectID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.service
}

// Change increments the topologyVersion and so wakes the hellos that wait for it.
func (p *Process) Change() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version++
	close(p.changed)
	p.changed = make(chan struct{})
}
