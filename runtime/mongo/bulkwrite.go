package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// BulkWrite carries out many writes: inserts, updates, replacements and deletes in one list. It sends as few messages as
// the order of the writes and the server's limits allow. In order, which is the default, the first failure ends it;
// otherwise all writes are tried, and inserts, updates and deletes may change places.
//
// The result tells what was written, also beside an error. A BulkWriteException says which writes failed and which were
// never tried. A message that holds an UpdateManyModel or a DeleteManyModel is not retried.
func (c *Collection) BulkWrite(ctx context.Context, models []WriteModel, opts ...*options.BulkWrite) (*BulkWriteResult, error) {
	o := merged(opts)
	if o == nil {
		o = &options.BulkWrite{}
	}
	b := bulkWrite{c: c, ordered: o.Ordered == nil || *o.Ordered, list: modelList(models)}
	groups, err := b.groups(models, o)
	if err != nil {
		return nil, err
	}
	err = b.run(ctx, groups)
	return &b.result, err
}

// modelList is the caller's list, for the errors that name one.
type modelList []WriteModel

func (l modelList) request(i int) options.WriteModel { return l[i] }

// writeGroup is a part of a bulk write that one command can carry, if it is not too large for one message.
type writeGroup struct {
	cmd       command.Batch
	kind      writeKind
	positions []int // of the writes in the caller's list; nil when they follow first
	first     int
	ids       []any // of the documents that are inserted
}

// position is where write i of the group stands in the caller's list.
func (g *writeGroup) position(i int) int {
	if g.positions != nil {
		return g.positions[i]
	}
	return g.first + i
}

// groups splits the models by their commands: neighbours of the same command when their order counts, else all.
func (b *bulkWrite) groups(models []WriteModel, o *options.BulkWrite) ([]writeGroup, error) {
	if len(models) == 0 {
		return nil, fault.Misuse(fault.ErrEmptySlice, "there are no models to write")
	}
	kinds := make([]writeKind, len(models))
	var enc encoder
	var count [writeKinds]int
	for i, model := range models {
		kind, err := enc.checkModel(b.c.scope, model)
		if err != nil {
			return nil, inside(err, "model %d", i)
		}
		kinds[i] = kind
		count[kind]++
	}
	p := grouping{c: b.c, o: o, enc: &enc, docs: make([]bson.Raw, 0, count[inserts]), ids: make([]any, 0, count[inserts])}
	if count[inserts] > 0 {
		b.result.InsertedIDs = make(map[int]any, count[inserts])
	}
	if b.ordered {
		return p.neighbours(models, kinds)
	}
	return p.byKind(models, kinds, count)
}

// grouping makes groups. docs and ids have room for every insert, so that groups share them.
type grouping struct {
	c    *Collection
	o    *options.BulkWrite
	enc  *encoder
	docs []bson.Raw
	ids  []any
}

func (p *grouping) neighbours(models []WriteModel, kinds []writeKind) ([]writeGroup, error) {
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

func (p *grouping) byKind(models []WriteModel, kinds []writeKind, count [writeKinds]int) ([]writeGroup, error) {
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

// group completes a group with its command.
func (p *grouping) group(kind writeKind, models []WriteModel, g writeGroup) (writeGroup, error) {
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
			return g, inside(err, "model %d", g.position(i))
		}
		p.docs, p.ids = append(p.docs, doc), append(p.ids, id)
	}
	g.ids = p.ids[from:]
	g.cmd = &command.BulkInsert{Collection: p.c.name, Documents: p.docs[from:], Options: p.o}
	return g, nil
}

// statements is a command whose statements may forbid a retry. Retryable Writes, "Supported Write Operations": a command
// with a statement that changes several documents is not retried.
type statements struct {
	command.Batch
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
