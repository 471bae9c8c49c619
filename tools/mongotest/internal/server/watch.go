package server

import (
	"sync"
	"time"
)

// watchAfter is how long a command runs before the server checks whether its client is still connected.
const watchAfter = 20 * time.Millisecond

// watch notices when a client closes its connection while one of its commands runs, and ends that command. It reads
// ahead, so the connection must not read before wait returns.
type watch struct {
	conn *conn

	mu      sync.Mutex
	timer   *time.Timer
	running bool          // a command is running
	reading chan struct{} // closed once the read has ended; nil without one
}

// begin watches a command.
func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = true
	if w.timer == nil {
		w.timer = time.AfterFunc(watchAfter, w.look)
	} else {
		w.timer.Reset(watchAfter)
	}
}

// end stops watching.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	w.timer.Stop()
}

// look reads ahead until the client sends something or disconnects.
func (w *watch) look() {
	w.mu.Lock()
	if !w.running || w.reading != nil {
		w.mu.Unlock()
		return
	}
	reading := make(chan struct{})
	w.reading = reading
	w.mu.Unlock()
	defer close(reading)
	if _, err := w.conn.reader.Peek(1); err != nil {
		w.conn.cancel()
	}
}

// wait returns once the read-ahead is over: the next message has arrived, or the connection has ended.
func (w *watch) wait() {
	w.mu.Lock()
	reading := w.reading
	w.mu.Unlock()
	if reading == nil {
		return
	}
	<-reading
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reading = nil
}
