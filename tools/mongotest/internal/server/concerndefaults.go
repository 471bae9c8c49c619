package server

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
)

// defaultConcerns are the defaults set by setDefaultRWConcern.
type defaultConcerns struct {
	mu      sync.Mutex
	read    string         // a level, or "" for the implicit default
	write   *concern.Write // nil for the implicit default
	changed time.Time
	at      bson.Timestamp
}

// readLevel returns the level of a read without a read concern.
func (d *defaultConcerns) readLevel() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.read
}

// writeConcern returns the default write concern, or nil for the implicit one.
func (d *defaultConcerns) writeConcern() *concern.Write {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.write
}
