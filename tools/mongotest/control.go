package mongotest

import (
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// Answer is what an intercepted request is answered with.
type Answer struct {
	// Reply is sent as it is. When it is nil and Drop is unset, the server answers as if there were no interception.
	Reply bson.Raw
	// Drop closes the connection without an answer.
	Drop bool
}

// Control intercepts the next request of the command, whichever node it reaches: fn sees it and decides the answer. Several
// interceptions of one command are used in the order in which they were set, one request each. Each answer of an exhaust
// stream counts as a request, and an answer from fn ends the stream. fn runs on the goroutine of the connection and may wait.
func (d *Deployment) Control(name string, fn func(Command) Answer) {
	d.controls.mu.Lock()
	defer d.controls.mu.Unlock()
	d.controls.waiting = append(d.controls.waiting, control{name, func(c server.Command) server.Answer {
		return server.Answer(fn(Command(c)))
	}})
}

type control struct {
	name string
	fn   func(server.Command) server.Answer
}

// controls are the interceptions that wait for their request.
type controls struct {
	mu      sync.Mutex
	waiting []control
}

// take removes and returns the first interception of a command, or returns nil.
func (c *controls) take(name string) func(server.Command) server.Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, waiting := range c.waiting {
		if waiting.name == name {
			c.waiting = append(c.waiting[:i:i], c.waiting[i+1:]...)
			return waiting.fn
		}
	}
	return nil
}
