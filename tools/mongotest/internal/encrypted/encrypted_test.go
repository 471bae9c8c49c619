package encrypted

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func TestGreatest(t *testing.T) {
	for base := range uint64(3) {
		for last := base; last < 70; last++ {
			asked := 0
			got := findGreatest(base, func(n uint64) bool {
				asked++
				return n > base && n <= last
			})
			if got != last || asked > 14 {
				t.Errorf("the greatest from %d to %d is %d, after %d questions", base, last, got, asked)
			}
		}
	}
}

// memory is a state in a map.
type memory map[string]bson.Raw

func key(db, name string, id bson.RawValue) string { return db + name + string(id.Value) }

func (m memory) Find(db, name string, id bson.RawValue) (bson.Raw, bool) {
	d, ok := m[key(db, name, id)]
	return d, ok
}

func (m memory) Insert(db, name string, doc bson.Raw) error {
	m[key(db, name, doc.Lookup("_id"))] = doc
	return nil
}

func (m memory) Delete(db, name string, id bson.RawValue) error {
	delete(m, key(db, name, id))
	return nil
}

func (m memory) All(string, string) []bson.Raw { return nil }

// The count continues from anchors of both kinds.
func TestPositionsBehindAnchors(t *testing.T) {
	s, state := &Schema{DB: "db", ESC: "esc"}, memory{}
	c := s.counter(state, sealed.Token{7})
	put := func(doc bson.Raw) { _ = state.Insert("db", "esc", doc) }
	plain := func(n uint64) bson.Raw {
		id := c.tag.Position(n)
		dst, start := bson.AppendDocumentStart(nil)
		return bson.AppendDocumentEnd(bson.AppendBinaryElement(dst, "_id", 0, id[:]), start)
	}
	for _, step := range []struct {
		name string
		doc  bson.Raw
		want position
	}{
		{"the first document", plain(1), position{1, 0}},
		{"the second", plain(2), position{2, 0}},
		{"an anchor", c.newAnchor(c.tag.Anchor(1), 0, 2), position{2, 1}},
		{"one behind it", plain(3), position{3, 1}},
		{"another anchor", c.newAnchor(c.tag.Anchor(2), 0, 3), position{3, 2}},
		{"the null anchor", c.newAnchor(c.tag.Anchor(0), 2, 3), position{3, 2}},
		{"one behind that", plain(4), position{4, 2}},
		{"an anchor behind the null anchor", c.newAnchor(c.tag.Anchor(3), 0, 4), position{4, 3}},
	} {
		if put(step.doc); c.position() != step.want {
			t.Errorf("with %s the position is %+v, want %+v", step.name, c.position(), step.want)
		}
	}
}

// Storing any document ends, and what is stored is a valid document.
func FuzzInsert(f *testing.F) {
	p := encryption.InsertUpdate{Value: make([]byte, 40), Edges: []encryption.TokenSet{{}}}
	dst, start := bson.AppendDocumentStart(nil)
	f.Add([]byte(bson.AppendDocumentEnd(bson.AppendBinaryElement(dst, "a", 6, p.Append(nil)), start)))
	s := &Schema{DB: "db", Name: "c", ESC: "esc", ECOC: "ecoc", Fields: []Field{{Path: "a", Indexed: true}}}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if bson.Raw(doc).Validate() != nil {
			return
		}
		out, err := s.Insert(doc, memory{})
		if err == nil && out.Validate() != nil {
			t.Errorf("%x is stored as %x", doc, out)
		}
		finder := &Finder{Schemas: []*Schema{s}, State: memory{}}
		if v, err := finder.Rewrite(value.Document(doc)); err == nil && v.Validate() != nil {
			t.Errorf("%x becomes %v", doc, v)
		}
	})
}
