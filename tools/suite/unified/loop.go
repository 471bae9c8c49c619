package unified

import (
	"fmt"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
)

// Loop names what a loop stores. Each is nil when the loop does not store it. The format had loops until version 1.23 of
// its schema: Unified Test Format, "Changelog".
type Loop struct {
	Errors, Failures      *Value // arrays of documents
	Successes, Iterations *Value // numbers of steps and of rounds
}

// Store is where a client stores events of some kinds, whether they are observed or not. The format had it until version
// 1.23 of its schema.
type Store struct {
	Into  *Value // an array of documents
	Kinds []Kind
}

// seconds returns the time since 1970.
func seconds() float64 { return float64(time.Now().UnixMilli()) / 1000 }

// rounds is how many times a loop runs. A loop goes on until somebody asks it to end, and here a case must end.
const rounds = 10

// Number returns an entity for a number, at first zero.
func (r *Run) Number() *Value { return &Value{run: r, value: raw(int64(0))} }

// List returns an entity for an array, at first empty.
func (r *Run) List() *Value { return &Value{run: r, value: raw(bson.A{})} }

// Loop repeats steps. When a step fails, the next round begins, if the failure can be stored. A loop that
// stores only errors or only failures stores both there.
func (r *Run) Loop(l Loop, steps ...func()) {
	r.t.Helper()
	for range rounds {
		l.Iterations.add(1)
		for _, step := range steps {
			said, unexpected := r.attempt(step)
			if said == "" {
				l.Successes.add(1)
				continue
			}
			store := l.Failures
			if store == nil || unexpected && l.Errors != nil {
				store = l.Errors
			}
			if store == nil {
				r.failf("%s", said)
			}
			store.append(bson.Doc("error", said, "time", seconds()))
			break
		}
	}
}

// attempt runs a step. It returns the message if the step fails, and whether the failure is an error of an operation and not a failed
// assertion.
func (r *Run) attempt(step func()) (said string, unexpected bool) {
	c := &catch{}
	r.catches.set(c)
	done := make(chan struct{})
	go func() { // a failure ends the goroutine
		defer close(done)
		step()
	}()
	<-done
	r.catches.set(nil)
	return c.said, c.unexpected
}

// catch keeps the first failure of a step of a loop.
type catch struct {
	said       string
	unexpected bool
}

// catches holds the catch of the step that is being taken in a loop.
type catches struct {
	mu  sync.Mutex
	now *catch
}

func (c *catches) set(now *catch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// keep stores a failure for the loop, and reports whether the loop handles failures.
func (c *catches) keep(text string, unexpected bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && c.now.said == "" {
		c.now.said, c.now.unexpected = text, unexpected
	}
	return c.now != nil
}

// get returns the value, which a client may be storing events in.
func (v *Value) get() bson.RawValue {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.value
}

func (v *Value) add(n int64) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	was, _ := v.value.Int64OK()
	v.value = raw(was + n)
}

func (v *Value) append(document bson.D) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var list bson.A
	if err := v.value.Unmarshal(&list); err != nil {
		panic(fmt.Sprintf("unified: the list is %v: %v", v.value, err)) // only lists are appended to
	}
	v.value = raw(append(list, document))
}
