package mongotest

import (
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// Answer says how to answer an intercepted request.
type Answer struct {
	// Reply is sent as it is. If it is nil and Drop is false, the server answers as if nothing had intercepted the
	// request.
	Reply bson.Raw
	// Drop closes the connection without an answer.
	Drop bool
}

// Control intercepts the next request of the command on any node: fn sees the request and decides the answer. Several
// interceptions of one command apply in the order in which they were set, one request each. Each answer of an exhaust
// stream counts as a request, and an answer from fn ends the stream. fn runs on the goroutine of the connection and may
// block.
func (d *Deployment) Control(name string, fn func(Command) Answer) {
	d.controls.add(&control{name: name, times: 1, fn: fn})
}

// Intercept works as Control does, for the requests that a filter matches. It acts the given number of times, or, if
// times is 0, until the test calls the returned function.
func (d *Deployment) Intercept(when Filter, times int, fn func(Command) Answer) (end func()) {
	c := &control{when: when, times: times, fn: fn}
	d.controls.add(c)
	return func() { d.controls.remove(c) }
}

type control struct {
	name  string // or when
	when  Filter
	times int // how many more times it acts; 0 for always
	fn    func(Command) Answer
}

// controls holds the interceptions that wait for a request.
type controls struct {
	mu      sync.Mutex
	waiting []*control
}

func (c *controls) add(one *control) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting[:len(c.waiting):len(c.waiting)], one)
}

func (c *controls) remove(one *control) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var left []*control
	for _, waiting := range c.waiting {
		if waiting != one {
			left = append(left, waiting)
		}
	}
	c.waiting = left
}

func (c *controls) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = nil
}

// take returns the first interception of a command and counts it, or returns nil. received is the command.
func (c *controls) take(name string, received func() server.Command) func(server.Command) server.Answer {
	c.mu.Lock()
	waiting := c.waiting
	c.mu.Unlock()
	for _, one := range waiting {
		// The filter belongs to the test and may use the deployment, so take calls it without the lock.
		if one.when == nil && one.name != name || one.when != nil && !one.when(Command(received())) || !c.count(one) {
			continue
		}
		return func(cmd server.Command) server.Answer { return server.Answer(one.fn(Command(cmd))) }
	}
	return nil
}

// count records that an interception acts. It reports false if the interception has ended or has acted as often as it
// may.
func (c *controls) count(one *control) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, waiting := range c.waiting {
		if waiting != one {
			continue
		}
		if one.times == 1 {
			c.waiting = append(c.waiting[:i:i], c.waiting[i+1:]...)
		} else if one.times > 1 {
			one.times--
		}
		return true
	}
	return false
}
