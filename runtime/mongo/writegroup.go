package mongo

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// writeGroup is a part of a bulk write that one command can carry, if it is not too large for one message.
type writeGroup struct {
	cmd       exec.Batch
	kind      writeKind
	positions []int // the places of the writes in the caller's list; nil if they follow one another from first on
	first     int
	ids       []any // of the documents that are inserted
}

// position is the index of write i of the group in the caller's list.
func (g *writeGroup) position(i int) int {
	if g.positions != nil {
		return g.positions[i]
	}
	return g.first + i
}

// grouper splits a bulk write into groups. docs and ids have room for every insert, and the groups share them.
type grouper struct {
	c    *Collection
	o    *options.BulkWrite
	enc  *encoder
	docs []bson.Raw
	ids  []any
}

func (p *grouper) groupNeighbours(models []WriteModel, kinds []writeKind) ([]writeGroup, error) {
	var groups []writeGroup
	for first := 0; first < len(models); {
		end := first + 1
		for end < len(models) && kinds[end] == kinds[first] {
			end++
		}
		group, err := p.group(kinds[first], models[first:end], writeGroup{first: first})
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
		first = end
	}
	return groups, nil
}

func (p *grouper) groupByKind(models []WriteModel, kinds []writeKind, count [writeKinds]int) ([]writeGroup, error) {
	groups := make([]writeGroup, 0, writeKinds)
	for kind, n := range count {
		if n == 0 {
			continue
		}
		list, positions := make([]WriteModel, 0, n), make([]int, 0, n)
		for i, model := range models {
			if kinds[i] == writeKind(kind) {
				list, positions = append(list, model), append(positions, i)
			}
		}
		group, err := p.group(writeKind(kind), list, writeGroup{positions: positions})
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// group returns the group with its command.
func (p *grouper) group(kind writeKind, models []WriteModel, g writeGroup) (writeGroup, error) {
	g.kind = kind
	switch kind {
	case updates:
		cmd := &command.BulkUpdate{Collection: p.c.name, Models: models, Options: p.o}
		g.cmd = &statements{Batch: cmd, once: !allRetryable(cmd)}
		return g, nil
	case deletes:
		cmd := &command.BulkDelete{Collection: p.c.name, Models: models, Options: p.o}
		g.cmd = &statements{Batch: cmd, once: !allRetryable(cmd)}
		return g, nil
	}
	from := len(p.docs)
	for i, model := range models {
		p.enc.makeRoom()
		doc, id, err := p.enc.insert(p.c.scope, model.(*InsertOneModel).Document)
		if err != nil {
			return g, wrapOnce(err, "model %d", g.position(i))
		}
		p.docs, p.ids = append(p.docs, doc), append(p.ids, id)
	}
	g.ids = p.ids[from:]
	g.cmd = &command.BulkInsert{Collection: p.c.name, Documents: p.docs[from:], Options: p.o}
	return g, nil
}

// statements is a command that its own statements may exclude from retries. Retryable Writes, "Supported Write
// Operations": a command with a statement that changes several documents is not retried.
type statements struct {
	exec.Batch
	once bool
}

// Meta describes the operation.
func (s *statements) Meta() command.Meta {
	meta := s.Batch.Meta()
	if s.once {
		meta.Retry = command.RetryNone
	}
	return meta
}

// RetryableItems reports whether a message with the n statements that begin at from may be retried.
func (s *statements) RetryableItems(from, n int) bool {
	cmd, ok := s.Batch.(interface{ Retryable(i int) bool })
	for i := from; ok && i < from+n; i++ {
		ok = cmd.Retryable(i)
	}
	return ok
}

func allRetryable(cmd interface {
	Items() int
	Retryable(i int) bool
}) bool {
	for i := range cmd.Items() {
		if !cmd.Retryable(i) {
			return false
		}
	}
	return true
}
