package bulk

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// Group is a part of a bulk write that one command can carry, if it is not too large for one message.
type Group struct {
	Cmd  exec.Batch
	Kind encode.Kind
	IDs  []any // of the documents that are inserted

	positions []int // the places of the writes in the caller's list; nil if they follow one another from first on
	first     int
}

// Position is the index of write i of the group in the caller's list.
func (g *Group) Position(i int) int {
	if g.positions != nil {
		return g.positions[i]
	}
	return g.first + i
}

// Splitter splits a bulk write on a collection into groups.
type Splitter struct {
	Collection string
	Options    *options.BulkWrite
	Marshal    *bson.MarshalOptions
	Unmarshal  *bson.UnmarshalOptions

	enc  encode.Encoder
	docs []bson.Raw // docs and ids have room for every insert, and the groups share them
	ids  []any
}

// Split checks the models and splits them by command. If their order counts, a group holds only neighbours; otherwise all of
// one command.
func (s *Splitter) Split(models []options.WriteModel, ordered bool) ([]Group, error) {
	kinds := make([]encode.Kind, len(models))
	var count [encode.Kinds]int
	for i, model := range models {
		kind, err := s.enc.CheckModel(s.Marshal, model)
		if err != nil {
			return nil, encode.At(err, "model %d", i)
		}
		kinds[i] = kind
		count[kind]++
	}
	s.docs, s.ids = make([]bson.Raw, 0, count[encode.Inserts]), make([]any, 0, count[encode.Inserts])
	if ordered {
		return s.groupNeighbours(models, kinds)
	}
	return s.groupByKind(models, kinds, count)
}

func (s *Splitter) groupNeighbours(models []options.WriteModel, kinds []encode.Kind) ([]Group, error) {
	var groups []Group
	for first := 0; first < len(models); {
		end := first + 1
		for end < len(models) && kinds[end] == kinds[first] {
			end++
		}
		group, err := s.group(kinds[first], models[first:end], Group{first: first})
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
		first = end
	}
	return groups, nil
}

func (s *Splitter) groupByKind(models []options.WriteModel, kinds []encode.Kind, count [encode.Kinds]int) ([]Group, error) {
	groups := make([]Group, 0, encode.Kinds)
	for kind, n := range count {
		if n == 0 {
			continue
		}
		list, positions := make([]options.WriteModel, 0, n), make([]int, 0, n)
		for i, model := range models {
			if kinds[i] == encode.Kind(kind) {
				list, positions = append(list, model), append(positions, i)
			}
		}
		group, err := s.group(encode.Kind(kind), list, Group{positions: positions})
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// group returns the group with its command.
func (s *Splitter) group(kind encode.Kind, models []options.WriteModel, g Group) (Group, error) {
	g.Kind = kind
	switch kind {
	case encode.Updates:
		g.Cmd = newStatements(&command.BulkUpdate{Collection: s.Collection, Models: models, Options: s.Options})
		return g, nil
	case encode.Deletes:
		g.Cmd = newStatements(&command.BulkDelete{Collection: s.Collection, Models: models, Options: s.Options})
		return g, nil
	}
	from := len(s.docs)
	for i, model := range models {
		s.enc.MakeRoom()
		doc, id, err := s.enc.Insert(s.Marshal, s.Unmarshal, model.(*options.InsertOneModel).Document)
		if err != nil {
			return g, encode.At(err, "model %d", g.Position(i))
		}
		s.docs, s.ids = append(s.docs, doc), append(s.ids, id)
	}
	g.IDs = s.ids[from:]
	g.Cmd = &command.BulkInsert{Collection: s.Collection, Documents: s.docs[from:], Options: s.Options}
	return g, nil
}

// statements is a command that its own statements may exclude from retries. Retryable Writes, "Supported Write
// Operations": a command with a statement that changes several documents is not retried.
type statements struct {
	statementBatch
	once bool // Meta is asked for each message, so this is not counted then
}

// statementBatch is a batch that knows which of its statements change one document at most.
type statementBatch interface {
	exec.Batch
	Retryable(i int) bool
}

func newStatements(b statementBatch) *statements {
	return &statements{b, !AreRetryable(b, 0, b.Items())}
}

// Meta describes the operation.
func (s *statements) Meta() command.Meta {
	meta := s.statementBatch.Meta()
	if s.once {
		meta.Retry = command.RetryNone
	}
	return meta
}

// RetryableItems reports whether a message with the n statements that begin at from may be retried.
func (s *statements) RetryableItems(from, n int) bool { return AreRetryable(s, from, n) }

// AreRetryable reports whether each of the n writes that begin at from may be retried.
func AreRetryable(writes interface{ Retryable(i int) bool }, from, n int) bool {
	for i := from; i < from+n; i++ {
		if !writes.Retryable(i) {
			return false
		}
	}
	return true
}
