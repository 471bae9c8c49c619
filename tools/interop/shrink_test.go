package interop

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// shrinkLimit is how many smaller forms of a failing sequence are tried.
const shrinkLimit = 300

// shrink looks for a smaller form of a step that no row excuses: fewer commands before it, fewer documents, and a smaller
// command. It returns the text of the smallest form that still differs.
func (p *pair) shrink(t *testing.T, failing *Step) string {
	t.Helper()
	s := &shrinker{t: t, pair: &pair{theirs: p.theirs, ours: p.ours, collection: p.collection, seen: map[string]int{}}, origin: failing, tries: shrinkLimit}
	smallest := sequence{docs: p.start, commands: slices.Clone(p.since), last: failing.Command}
	if writes(failing.Command) && len(smallest.commands) > 0 {
		smallest.commands = smallest.commands[:len(smallest.commands)-1]
	}
	step := s.fails(smallest)
	if step == nil {
		return fmt.Sprintf("after commands that do not bring it about alone:\n%s", failing)
	}
	// The documents just before the command often suffice, without the commands that made them.
	if direct := (sequence{docs: failing.Before, last: failing.Command}); s.fails(direct) != nil {
		smallest = direct
	}
	for {
		smaller, ok := s.reduce(smallest)
		if !ok {
			break
		}
		smallest = smaller
	}
	step = s.fails(smallest)
	if step == nil {
		return failing.String()
	}
	var out strings.Builder
	fmt.Fprintf(&out, "  found as %s\n", shellText(failing.Command))
	for _, doc := range smallest.docs {
		fmt.Fprintf(&out, "  document %s\n", shellText(doc))
	}
	for _, command := range smallest.commands {
		fmt.Fprintf(&out, "  command  %s\n", shellText(command))
	}
	return out.String() + step.String()
}

// sequence is some documents, commands on them, and a last command whose answers differ.
type sequence struct {
	docs     []bson.Raw
	commands []bson.D
	last     bson.D
}

type shrinker struct {
	t      *testing.T
	pair   *pair
	origin *Step
	tries  int
}

// fails runs a sequence. It returns the last step if no row excuses it and the codes are those of the step that is being
// shrunk: a smaller command with another mistake does not help.
func (s *shrinker) fails(q sequence) *Step {
	if s.tries--; s.tries < 0 {
		return nil
	}
	s.pair.reset(s.t, q.docs)
	for _, command := range q.commands {
		if s.pair.compare(s.t, command) != nil {
			return nil
		}
	}
	step := s.pair.compare(s.t, q.last)
	if step == nil || step.Ferret.Code != s.origin.Ferret.Code || step.Mongotest.Code != s.origin.Mongotest.Code || s.pair.excuse(step) >= 0 {
		return nil
	}
	return step
}

// reduce finds a sequence that lacks one part and still fails.
func (s *shrinker) reduce(q sequence) (sequence, bool) {
	for i := range q.commands {
		smaller := q
		smaller.commands = slices.Delete(slices.Clone(q.commands), i, i+1)
		if s.fails(smaller) != nil {
			return smaller, true
		}
	}
	for size := len(q.docs); size > 0; size /= 2 {
		for i := 0; i+size <= len(q.docs); i += size {
			smaller := q
			smaller.docs = slices.Delete(slices.Clone(q.docs), i, i+size)
			if s.fails(smaller) != nil {
				return smaller, true
			}
		}
	}
	for _, last := range smallerDocuments(q.last, 1) {
		if q.last[0].Key == "listCollections" {
			break // without its filter the command would show what other sequences left
		}
		smaller := q
		smaller.last = last
		if s.fails(smaller) != nil {
			return smaller, true
		}
	}
	for i, doc := range q.docs {
		var d bson.D
		if err := bson.Unmarshal(doc, &d); err != nil {
			continue
		}
		for _, less := range smallerDocuments(d, 1) {
			raw, err := bson.Marshal(less)
			if err != nil {
				continue
			}
			smaller := q
			smaller.docs = slices.Clone(q.docs)
			smaller.docs[i] = raw
			if s.fails(smaller) != nil {
				return smaller, true
			}
		}
	}
	return q, false
}

// smallerDocuments returns the documents with one element less, at the top level after the first one, or in a value.
func smallerDocuments(d bson.D, keep int) []bson.D {
	var out []bson.D
	for i := keep; i < len(d); i++ {
		out = append(out, slices.Delete(slices.Clone(d), i, i+1))
	}
	for i, e := range d {
		for _, v := range smallerValues(e.Value) {
			less := slices.Clone(d)
			less[i].Value = v
			out = append(out, less)
		}
	}
	return out
}

func smallerValues(v any) []any {
	var out []any
	switch v := v.(type) {
	case bson.D:
		for _, d := range smallerDocuments(v, 0) {
			out = append(out, d)
		}
	case bson.A:
		for i := range v {
			out = append(out, slices.Delete(slices.Clone(v), i, i+1))
		}
		for i, element := range v {
			for _, less := range smallerValues(element) {
				smaller := slices.Clone(v)
				smaller[i] = less
				out = append(out, smaller)
			}
		}
	}
	return out
}
