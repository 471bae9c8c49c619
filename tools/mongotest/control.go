package mongotest

import (
	"maps"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
)

// Answer is what an intercepted request is answered with.
type Answer struct {
	// Reply is sent as it is; nil with Drop unset means that the server answers as if nobody had intercepted.
	Reply bson.Raw
	// Drop closes the connection without an answer.
	Drop bool
}

// Control intercepts the next request of the command, whichever node it reaches: fn sees it and says what is answered.
// Several interceptions of one command are used up first in, first out, one request each. Each answer of an exhaust stream
// counts as a request, and one in the server's stead ends the stream. fn runs on the goroutine of the connection and may
// wait.
func (d *Deployment) Control(name string, fn func(Command) Answer) {
	d.controls.mu.Lock()
	defer d.controls.mu.Unlock()
	d.controls.waiting = append(d.controls.waiting, control{name, fn})
}

type control struct {
	name string
	fn   func(Command) Answer
}

type controls struct {
	mu      sync.Mutex
	waiting []control
}

// intercept answers the request in the test's stead, if a test asked to.
func (c *controls) intercept(r *request) (bson.Raw, bool, error) {
	fn := c.take(r.name)
	if fn == nil {
		return nil, false, nil
	}
	answer := fn(r.command())
	switch {
	case answer.Drop:
		return nil, true, errDrop
	case answer.Reply != nil:
		return answer.Reply, true, nil
	}
	return nil, false, nil
}

func (c *controls) take(name string) func(Command) Answer {
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

func (r *request) command() Command {
	body := r.body
	if logmsg.Sensitive(r.name, true) && (logmsg.Sensitive(r.name, false) || !body.Lookup("speculativeAuthenticate").IsZero()) {
		body = withoutSecrets(body)
	}
	return Command{
		Node: r.node.index, Name: r.name, DB: r.db, Body: body, Sequences: maps.Clone(r.sequences),
		ConnectionID: r.conn.id, AppName: r.conn.application(),
	}
}

// withoutSecrets leaves out the fields that hold credentials.
func withoutSecrets(body bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for key, value := range body.All() {
		switch key {
		case "payload", "pwd", "key", "nonce":
		case "speculativeAuthenticate":
			if inner, ok := value.DocumentOK(); ok {
				dst = bson.AppendDocumentElement(dst, key, withoutSecrets(inner))
			}
		default:
			dst = bson.AppendRawValueElement(dst, key, value)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}
