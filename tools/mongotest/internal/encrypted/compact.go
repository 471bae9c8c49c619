package encrypted

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Token opens the entries of a field in the compaction collection: an ECOCToken.
type Token = sealed.Token

// Stats are the counts of a compaction or cleanup.
type Stats struct{ ECOCRead, ECOCDeleted, ESCRead, ESCInserted, ESCUpdated, ESCDeleted int64 }

// Compact replaces the documents of each value with one anchor and empties the compaction collection. tokens decrypt
// the entries of each field.
func (s *Schema) Compact(tokens map[string]Token, state Writer) (Stats, error) {
	return s.eachValue(tokens, state, func(stats *Stats, c counter) error {
		p := c.position()
		if p.count == 0 {
			return nil
		}
		if err := state.Insert(s.DB, s.ESC, c.newAnchor(c.tag.Anchor(p.anchor+1), 0, p.count)); err != nil {
			return err
		}
		stats.ESCInserted++
		return s.forget(stats, state, p.count, c.tag.Position)
	})
}

// Cleanup replaces the documents and anchors of each value with its null anchor and empties the compaction collection.
func (s *Schema) Cleanup(tokens map[string]Token, state Writer) (Stats, error) {
	return s.eachValue(tokens, state, func(stats *Stats, c counter) error {
		p := c.position()
		if p.count == 0 {
			return nil
		}
		null := c.tag.Anchor(0)
		if _, ok := c.find(null); ok {
			if err := state.Delete(s.DB, s.ESC, value.Binary(bsontype.BinaryGeneric, null[:])); err != nil {
				return err
			}
			stats.ESCUpdated++
		} else {
			stats.ESCInserted++
		}
		if err := state.Insert(s.DB, s.ESC, c.newAnchor(null, p.anchor, p.count)); err != nil {
			return err
		}
		if err := s.forget(stats, state, p.count, c.tag.Position); err != nil {
			return err
		}
		return s.forget(stats, state, p.anchor, c.tag.Anchor)
	})
}

// forget removes the documents or anchors of a value, from the last one down to the first that exists.
func (s *Schema) forget(stats *Stats, state Writer, last uint64, id func(uint64) sealed.Token) error {
	for n := last; n > 0; n-- {
		at := id(n)
		v := value.Binary(bsontype.BinaryGeneric, at[:])
		stats.ESCRead++
		if _, ok := state.Find(s.DB, s.ESC, v); !ok {
			return nil
		}
		if err := state.Delete(s.DB, s.ESC, v); err != nil {
			return err
		}
		stats.ESCDeleted++
	}
	return nil
}

// eachValue decrypts and removes the entries of the compaction collection, and calls f once for each value.
func (s *Schema) eachValue(tokens map[string]Token, state Writer, f func(*Stats, counter) error) (Stats, error) {
	var stats Stats
	seen := map[sealed.Token]bool{}
	for _, doc := range state.All(s.DB, s.ECOC) {
		stats.ECOCRead++
		field := value.Text(doc.Lookup("fieldName"))
		token, ok := tokens[field]
		if !ok {
			return stats, status.Errorf(7293800, "Missing compact token for '%s'", field)
		}
		_, data, _ := doc.Lookup("value").BinaryOK()
		plain, err := token.Open(data)
		if err != nil || len(plain) < len(sealed.Token{}) {
			return stats, status.Errorf(errcode.BadValue, "an entry of %s.%s cannot be opened", s.DB, s.ECOC)
		}
		esc := sealed.Token(plain[:len(sealed.Token{})])
		if err := state.Delete(s.DB, s.ECOC, doc.Lookup("_id")); err != nil {
			return stats, err
		}
		stats.ECOCDeleted++
		if seen[esc] {
			continue
		}
		seen[esc] = true
		if err := f(&stats, s.counter(state, esc)); err != nil {
			return stats, err
		}
	}
	return stats, nil
}

// Tokens reads the tokens of a compaction or cleanup, one for each field.
func Tokens(d bson.Raw) (map[string]Token, error) {
	out := map[string]Token{}
	for path, v := range d.All() {
		if inner, ok := v.DocumentOK(); ok { // range or text: there is a token for padding, too
			v = inner.Lookup("ecoc")
		}
		_, data, ok := v.BinaryOK()
		if !ok || len(data) != len(sealed.Token{}) {
			return nil, status.Errorf(6346801,
				"Field '%s' of compaction tokens must be of type Object or BinData(0), found '%s'", path, v.Type)
		}
		out[path] = sealed.Token(data)
	}
	return out, nil
}
