package mongodebug

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// maxProblems is how many problems are remembered.
const maxProblems = 100

// problem is something that went wrong with a command.
type problem struct {
	rememberedCommand
	Kind   string
	Labels []string
	Text   string
	then   string
}

// describe fills in which command failed.
func (p *problem) describe(m rememberedCommand) {
	m.Outcome = p.Outcome
	p.rememberedCommand = m
}

// problems holds the most recent problems.
type problems struct {
	// slots hold the operations that may be retried, by their number modulo the length. Thanks to them,
	// all other commands take no lock. If two operations have the same slot, the later one is followed.
	slots [64]atomic.Int64
	mu    sync.Mutex
	list  []*problem // the oldest one first
	open  map[int64]*problem
}

// add remembers a problem of an operation that may be retried. The number 0 means that it will not be.
func (p *problems) add(operation int64, what problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.open[operation]; before != nil && before.then != "" {
		before.then += ", which failed too"
	}
	p.list = append(p.list, &what)
	if operation != 0 {
		if p.open == nil {
			p.open = map[int64]*problem{}
		}
		p.open[operation] = &what
		p.slots[uint64(operation)%uint64(len(p.slots))].Store(operation)
	}
	if len(p.list) > maxProblems {
		oldest := p.list[0]
		p.list = append(p.list[:0:0], p.list[1:]...)
		for id, open := range p.open {
			if open == oldest {
				delete(p.open, id)
			}
		}
	}
}

// follows reports whether an operation may be retried, without taking the lock.
func (p *problems) follows(operation int64) bool {
	return operation != 0 && p.slots[uint64(operation)%uint64(len(p.slots))].Load() == operation
}

// noteRetry notes that an operation sends a command again.
func (p *problems) noteRetry(operation int64, name, address string) {
	if !p.follows(operation) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if open := p.open[operation]; open != nil && open.Name == name {
		open.then = "sent again to " + address
	}
}

// noteSettled notes that a retry of the command has succeeded.
func (p *problems) noteSettled(operation int64, name string, took time.Duration) {
	if !p.follows(operation) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	open := p.open[operation]
	if open == nil || open.Name != name {
		return
	}
	if open.then != "" {
		open.then += fmt.Sprintf(", worked in %v", took.Round(10*time.Microsecond))
	}
	delete(p.open, operation)
	p.slots[uint64(operation)%uint64(len(p.slots))].Store(0)
}

// markGivenUp marks the operations that have ended without another try: all that no longer run.
func (p *problems) markGivenUp(running []mongo.RunningOperation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, open := range p.open {
		if slices.ContainsFunc(running, func(op mongo.RunningOperation) bool { return op.ID == id }) {
			continue
		}
		if delete(p.open, id); open.then == "" {
			open.then = reportedOutcome
		} else if !strings.Contains(open.then, ", ") {
			open.then += ", and no more"
		}
	}
}

const reportedOutcome = "reported to the caller"

// view returns the problems, the most recent first.
func (p *problems) view() []view.Problem {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]view.Problem, 0, len(p.list))
	for i := len(p.list) - 1; i >= 0; i-- {
		x := p.list[i]
		out = append(out, view.Problem{Operation: x.Operation, Kind: x.Kind, Labels: x.Labels, Text: x.Text, Then: x.then})
	}
	return out
}

func (p *problems) find(id int64) *rememberedCommand {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.list {
		if x.ID == id {
			return &x.rememberedCommand
		}
	}
	return nil
}

// problemOf describes an error. The server's text quotes values of documents, such as a duplicate key.
func problemOf(err error, values bool) problem {
	p := problem{Kind: "client", Text: err.Error()}
	p.Outcome = "error"
	if e, ok := errors.AsType[fault.CommandError](err); ok {
		p.Kind, p.Outcome, p.Labels = "server", codeName(e.Code, e.Name), e.Labels
	} else if _, ok := errors.AsType[fault.NetworkError](err); ok {
		p.Kind, p.Outcome = "network", "network error"
	}
	if fault.IsTimeout(err) {
		p.Kind, p.Outcome = "timeout", "timeout"
	} else if fault.IsCanceled(err) {
		p.Kind, p.Outcome = "canceled", "canceled"
	}
	if _, ok := errors.AsType[fault.ServerError](err); ok && !values {
		p.Text = ""
	}
	return p
}

// failedWrites describes the failed writes in a reply whose ok is 1, or returns nil if there are none.
func failedWrites(reply bson.Raw, values bool) *problem {
	if len(reply) == 0 {
		return nil
	}
	count := 0
	var first bson.Raw
	if list, ok := reply.Lookup(wire.FieldWriteErrors).ArrayOK(); ok {
		for _, v := range list.All() {
			if count++; count == 1 {
				first, _ = v.DocumentOK()
			}
		}
	}
	if n, _ := reply.Lookup(wire.FieldNErrors).AsInt64OK(); n > 0 && first == nil { // of bulkWrite
		count, first = int(n), failedResult(reply)
	}
	p := &problem{Kind: "write"}
	if first == nil {
		p.Kind = "write concern"
		if first, _ = reply.Lookup(wire.FieldWriteConcernError).DocumentOK(); first == nil {
			return nil
		}
	}
	code := fault.CodeOf(first.Lookup(wire.FieldCode))
	if code == errcode.DuplicateKey {
		p.Kind = "duplicate key"
	}
	if p.Outcome = codeName(code, ""); count > 1 {
		p.Outcome += fmt.Sprintf(" and %d more", count-1)
	}
	if values {
		p.Text, _ = first.Lookup(wire.FieldErrmsg).StringOK()
	}
	p.then = reportedOutcome
	return p
}

// failedResult returns the first result with an error in a bulkWrite's reply, or an empty document if none is in the first batch.
func failedResult(reply bson.Raw) bson.Raw {
	batch, _ := reply.Lookup(wire.FieldCursor, wire.FieldFirstBatch).ArrayOK()
	for _, v := range batch.All() {
		if result, ok := v.DocumentOK(); ok && fault.CodeOf(result.Lookup(wire.FieldCode)) != 0 {
			return result
		}
	}
	return bson.EmptyDocument()
}

func codeName(code errcode.Code, name string) string {
	switch {
	case name != "":
		return name
	case code != 0:
		return code.String()
	}
	return "error"
}
