package link

import (
	"io"
	"os"
	"sync"
	"time"
)

// parcel is some bytes on their way, or the end of the stream.
type parcel struct {
	at   time.Time // when it arrives, unless the path is blocked
	data []byte
	err  error
}

// lane is one direction of a connection.
type lane struct {
	mu       sync.Mutex
	parcels  []parcel
	last     time.Time // when the latest parcel arrives
	deadline time.Time
	closed   error         // what every further take returns
	changed  chan struct{} // closed and replaced at each change
	held     func()        // called when what has arrived has to wait
}

func newLane(held func()) *lane { return &lane{changed: make(chan struct{}), held: held} }

// change wakes every waiting take; l.mu is held.
func (l *lane) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// send puts bytes on their way. They never overtake what was sent before.
func (l *lane) send(travel time.Duration, data []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := time.Now().Add(travel)
	if at.Before(l.last) {
		at = l.last
	}
	l.last = at
	l.parcels = append(l.parcels, parcel{at: at, data: data, err: err})
	l.change()
}

// stall delays everything that is sent from now on, after everything sent before.
func (l *lane) stall(by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.last.Before(now) {
		l.last = now
	}
	l.last = l.last.Add(by)
}

// close ends the lane at once, whatever is on its way.
func (l *lane) close(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed == nil {
		l.closed = err
		l.parcels = nil
		l.change()
	}
}

func (l *lane) setDeadline(t time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = t
	l.change()
}

// take copies what has arrived into p. holds says whether the path is blocked.
func (l *lane) take(p []byte, holds func() <-chan struct{}) (int, error) {
	for {
		n, wait, changed, err := l.next(p, holds)
		if n > 0 || err != nil {
			return n, err
		}
		if wait.heal != nil {
			l.held()
		}
		wait.sleep(changed)
	}
}

// pause is what a take waits for.
type pause struct {
	until time.Time // zero for no time
	heal  <-chan struct{}
}

func (w pause) sleep(changed <-chan struct{}) {
	var timer <-chan time.Time
	if !w.until.IsZero() {
		t := time.NewTimer(time.Until(w.until))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-changed:
	case <-timer:
	case <-w.heal:
	}
}

func (l *lane) next(p []byte, holds func() <-chan struct{}) (n int, wait pause, changed <-chan struct{}, err error) {
	heal := holds()
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch {
	case l.closed != nil:
		return 0, wait, nil, l.closed
	case !l.deadline.IsZero() && !now.Before(l.deadline):
		return 0, wait, nil, os.ErrDeadlineExceeded
	case len(l.parcels) > 0 && heal == nil && !now.Before(l.parcels[0].at):
		first := &l.parcels[0]
		if first.err != nil {
			return 0, wait, nil, first.err
		}
		n = copy(p, first.data)
		if first.data = first.data[n:]; len(first.data) == 0 {
			l.parcels = l.parcels[1:]
		}
		return n, wait, nil, nil
	}
	wait.until = l.deadline
	if len(l.parcels) > 0 {
		if at := l.parcels[0].at; now.Before(at) {
			if wait.until.IsZero() || at.Before(wait.until) {
				wait.until = at
			}
		} else {
			wait.heal = heal
		}
	}
	return 0, wait, l.changed, nil
}

// isEnd reports whether a stream ended in order.
func isEnd(err error) bool { return err == io.EOF }
