package auth

import (
	"context"
	"sync"

	"github.com/xdg-go/scram"
)

// maxSCRAMKeys bounds how many keys are kept for a user. A user has one salt in a deployment; a server that makes up a
// new one for each connection must not fill the memory.
const maxSCRAMKeys = 8

// scramKeys lets conversations share the keys that the library derives and keeps. It is safe for concurrent use.
//
// The library derives keys in one call that cannot be interrupted. The call runs in a goroutine, and connections wait
// for it as long as their contexts last. One call at a time runs for a user, and none begins unless a connection waits
// for it. So after the last context has ended, at most one derivation goes on, of at most MaxIterations and a third of
// a second. Its result serves the next connection.
type scramKeys struct {
	library  *scram.Client
	turn     chan struct{}
	unusable error // why no key can be derived from the password

	mu          sync.Mutex
	derivations map[scram.KeyFactors]*derivation
}

// derivation is the work for one salt and iteration count.
type derivation struct {
	done chan struct{}
	err  error
}

func newSCRAMKeys(library *scram.Client, turn chan struct{}, unusable error) *scramKeys {
	return &scramKeys{library: library, turn: turn, unusable: unusable, derivations: map[scram.KeyFactors]*derivation{}}
}

// isFull reports whether later conversations need another scramKeys.
func (k *scramKeys) isFull() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.derivations) >= maxSCRAMKeys
}

// derive makes the library keep the keys for a salt and an iteration count.
func (k *scramKeys) derive(ctx context.Context, f scram.KeyFactors) error {
	d := k.derivation(f)
	for ctx.Err() == nil {
		select {
		case <-d.done:
			return d.err
		case k.turn <- struct{}{}:
			go k.run(d, f)
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

func (k *scramKeys) derivation(f scram.KeyFactors) *derivation {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.derivations[f]
	if d == nil {
		d = &derivation{done: make(chan struct{})}
		k.derivations[f] = d
	}
	return d
}

// run derives the keys unless another connection did in the meantime, and ends the turn.
func (k *scramKeys) run(d *derivation, f scram.KeyFactors) {
	defer func() { <-k.turn }()
	select {
	case <-d.done:
		return
	default:
	}
	_, d.err = k.library.GetStoredCredentialsWithError(f)
	close(d.done)
}
