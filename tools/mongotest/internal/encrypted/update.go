package encrypted

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Change returns the new version of a document in its stored form. It counts and tags new values, and removes the tags
// of values that are gone. before is nil for an upsert. whole says that the update replaced the document.
func (s *Schema) Change(before, after bson.Raw, whole bool, state Writer) (bson.Raw, error) {
	if before == nil {
		return s.Insert(after, state)
	}
	old, now := before.Lookup(SafeContent), after.Lookup(SafeContent)
	if whole && !now.IsZero() || !whole && !old.Equal(now) {
		return nil, errSafeContent()
	}
	in := &inserter{Schema: s, state: state}
	out, err := in.storeDocument(after, "")
	if err != nil {
		return nil, err
	}
	kept, had := map[sealed.Token]bool{}, map[sealed.Token]bool{}
	collect(out, kept)
	collect(before, had)
	var tags []bson.RawValue
	for _, v := range value.Elements(old) {
		tag := tagOf(v)
		if kept[tag] || !had[tag] && !whole {
			tags = append(tags, v)
		}
	}
	if tags = append(tags, in.tags...); len(tags) == 0 && now.IsZero() {
		return out, nil
	}
	return replaceTags(out, tags), nil
}

// tagOf returns the tag in a value. A value without one has the tag of zeros, which no real tag equals.
func tagOf(v bson.RawValue) sealed.Token {
	if _, data, ok := v.BinaryOK(); ok && len(data) == len(sealed.Token{}) {
		return sealed.Token(data)
	}
	return sealed.Token{}
}

// collect finds the tags of all stored values in a document.
func collect(doc bson.Raw, tags map[sealed.Token]bool) {
	for _, v := range doc.All() {
		if v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array {
			collect(bson.Raw(v.Value), tags)
			continue
		}
		if _, data := parsePayload(v); data != nil {
			if s, err := sealed.ParseStored[encryption.Payload](data); err == nil {
				for _, tag := range s.Tags() {
					tags[tag] = true
				}
			}
		}
	}
}
