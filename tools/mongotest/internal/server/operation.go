package server

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
)

// operation is what a connection is doing now. currentOp lists it and killOp ends it. It is also the context of the
// request: it ends when somebody kills it or the connection ends. Its Done channel is created only when something waits. If
// nothing has waited, the connection uses the same operation for its next request.
type operation struct {
	context.Context // the connection's

	mu      sync.Mutex
	request *request // nil between requests
	id      int64
	began   time.Time
	killed  bool
	done    chan struct{} // nil until something waits
	forget  func() bool
	session bson.Raw // the lsid of the request, once it is checked
	writing bool     // the write needs a lock on the primary, so a step-down ends it
	cause   errcode.Code
}

// Done is closed when the operation is killed or the connection ends.
func (o *operation) Done() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done == nil {
		o.done = make(chan struct{})
		if o.killed {
			close(o.done)
		} else {
			o.forget = context.AfterFunc(o.Context, func() { o.kill(0) })
		}
	}
	return o.done
}

// Err returns an error when the operation has to end.
func (o *operation) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.killed {
		return context.Canceled
	}
	return o.Context.Err()
}

// kill ends the operation with the given number. 0 ends any operation.
func (o *operation) kill(id int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.request == nil || id != 0 && o.id != id {
		return
	}
	o.end()
}

// killSession ends the operation if it uses a session.
func (o *operation) killSession(lsid bson.Raw) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.request != nil && bytes.Equal(o.session, lsid) {
		o.end()
	}
}

// endWrite ends the operation if it is a write that has not taken effect, as a primary does when it steps down.
func (o *operation) endWrite() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.request != nil && o.writing && !o.killed {
		o.cause = errcode.InterruptedDueToReplStateChange
		o.end()
	}
}

// write records that the request begins to write, or that its write has taken effect.
func (o *operation) write(begins bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing = begins
}

// locks returns the locks that a server would show; o.mu is held.
func (o *operation) locks() bson.D {
	if o.writing {
		return bson.Doc("Global", "w")
	}
	return bson.D{}
}

// Value returns the reason why the operation ended.
func (o *operation) Value(key any) any {
	o.mu.Lock()
	defer o.mu.Unlock()
	if key != (interrupt.Cause{}) {
		return o.Context.Value(key)
	}
	return o.cause
}

// setSession records the session of the request.
func (o *operation) setSession(lsid bson.Raw) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.session = lsid
}

// isWatched reports whether something has waited for the operation to end. Contexts made from it may still look at it.
func (o *operation) isWatched() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done != nil
}

// end kills the operation; o.mu is held.
func (o *operation) end() {
	if !o.killed && o.done != nil {
		close(o.done)
	}
	o.killed = true
}
