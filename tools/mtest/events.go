package mtest

import (
	"context"
	"slices"
	"sync"

	"github.com/specdrivers/onion/generated/event"
)

// events are the command events of a test's client.
type events struct {
	mu        sync.Mutex
	started   []*event.CommandStarted
	succeeded []*event.CommandSucceeded
	failed    []*event.CommandFailed
}

// monitor records the events for the test, and calls the monitor that the test has set, whose functions it may set later.
func (e *events) monitor(next *event.CommandMonitor) *event.CommandMonitor {
	if next == nil {
		next = &event.CommandMonitor{}
	}
	return &event.CommandMonitor{
		Started:   record(&e.mu, &e.started, &next.Started),
		Succeeded: record(&e.mu, &e.succeeded, &next.Succeeded),
		Failed:    record(&e.mu, &e.failed, &next.Failed),
	}
}

func record[E any](mu *sync.Mutex, into *[]*E, next *func(context.Context, *E)) func(context.Context, *E) {
	return func(ctx context.Context, one *E) {
		if *next != nil {
			(*next)(ctx, one)
		}
		mu.Lock()
		defer mu.Unlock()
		*into = append(*into, one)
	}
}

// takeFirst removes and returns the oldest event, or nil if there is none.
func takeFirst[E any](mu *sync.Mutex, from *[]*E) *E {
	mu.Lock()
	defer mu.Unlock()
	if len(*from) == 0 {
		return nil
	}
	one := (*from)[0]
	*from = (*from)[1:]
	return one
}

func takeAll[E any](mu *sync.Mutex, from *[]*E) []*E {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(*from)
}

func keep[E any](mu *sync.Mutex, from *[]*E, filter func(*E) bool) {
	mu.Lock()
	defer mu.Unlock()
	*from = slices.DeleteFunc(slices.Clone(*from), func(one *E) bool { return !filter(one) })
}

// GetStartedEvent returns the oldest event that no call has returned yet, or nil if there is none.
func (t *T) GetStartedEvent() *event.CommandStarted {
	return takeFirst(&t.events.mu, &t.events.started)
}

// GetSucceededEvent returns the oldest event that no call has returned yet, or nil if there is none.
func (t *T) GetSucceededEvent() *event.CommandSucceeded {
	return takeFirst(&t.events.mu, &t.events.succeeded)
}

// GetFailedEvent returns the oldest event that no call has returned yet, or nil if there is none.
func (t *T) GetFailedEvent() *event.CommandFailed { return takeFirst(&t.events.mu, &t.events.failed) }

// GetAllStartedEvents returns the events so far, without those that GetStartedEvent has returned.
func (t *T) GetAllStartedEvents() []*event.CommandStarted {
	return takeAll(&t.events.mu, &t.events.started)
}

// GetAllSucceededEvents returns the events so far, without those that GetSucceededEvent has returned.
func (t *T) GetAllSucceededEvents() []*event.CommandSucceeded {
	return takeAll(&t.events.mu, &t.events.succeeded)
}

// GetAllFailedEvents returns the events so far, without those that GetFailedEvent has returned.
func (t *T) GetAllFailedEvents() []*event.CommandFailed {
	return takeAll(&t.events.mu, &t.events.failed)
}

// FilterStartedEvents forgets the events for which filter returns false.
func (t *T) FilterStartedEvents(filter func(*event.CommandStarted) bool) {
	keep(&t.events.mu, &t.events.started, filter)
}

// FilterSucceededEvents forgets the events for which filter returns false.
func (t *T) FilterSucceededEvents(filter func(*event.CommandSucceeded) bool) {
	keep(&t.events.mu, &t.events.succeeded, filter)
}

// FilterFailedEvents forgets the events for which filter returns false.
func (t *T) FilterFailedEvents(filter func(*event.CommandFailed) bool) {
	keep(&t.events.mu, &t.events.failed, filter)
}

// ClearEvents forgets the events so far.
func (t *T) ClearEvents() {
	t.events.mu.Lock()
	defer t.events.mu.Unlock()
	t.events.started, t.events.succeeded, t.events.failed = nil, nil, nil
}
