package encrypted

import (
	"bytes"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// contentionMax bounds the number of contention factors that a search tries.
const contentionMax = 1 << 16

// Finder turns search payloads into searches for tags.
type Finder struct {
	Schemas []*Schema
	State   Reader
	Stop    func() error // returns an error when the command must stop; may be nil
}

// isSearch reports whether a value is a search payload.
func isSearch(v bson.RawValue) bool {
	switch kind, _ := parsePayload(v); kind {
	case encryption.FLE2FindEqualityPayloadV2, encryption.FLE2FindRangePayloadV2, encryption.FLE2FindTextPayload:
		return true
	}
	return false
}

// search is what a payload searches for. The second half of a range matches everything: the first half has the whole
// range.
type search struct {
	tokens     []encryption.FindTokens
	contention int64
	everything bool
}

func readSearch(v bson.RawValue) (s search, err error) {
	switch kind, data := parsePayload(v); kind {
	case encryption.FLE2FindEqualityPayloadV2:
		p, err := encryption.ParseFindEquality(data)
		return search{[]encryption.FindTokens{{EDC: p.EDC, ESC: p.ESC, Server: p.Server}}, p.MaxContention, false}, err
	case encryption.FLE2FindRangePayloadV2:
		p, err := encryption.ParseFindRange(data)
		if err != nil || p.Tokens == nil {
			return search{everything: true}, err
		}
		return search{p.Tokens.Edges, p.Tokens.MaxContention, false}, nil
	case encryption.FLE2FindTextPayload:
		p, err := encryption.ParseFindText(data)
		for _, t := range []*encryption.FindTokens{p.Tokens.Exact, p.Tokens.Substring, p.Tokens.Suffix, p.Tokens.Prefix} {
			if t != nil {
				s.tokens = append(s.tokens, *t)
			}
		}
		s.contention = p.MaxContention
		return s, err
	}
	return s, status.Errorf(errcode.BadValue, "a value among payloads of searches is none")
}

// findTags returns the tags of all documents that match some payloads, in order. everything says that all documents match.
func (f *Finder) findTags(payloads ...bson.RawValue) (tags []bson.RawValue, everything bool, err error) {
	for _, v := range payloads {
		s, err := readSearch(v)
		if err != nil {
			return nil, false, status.Errorf(errcode.BadValue, "the payload of a search cannot be read: %v", err)
		}
		switch {
		case s.everything:
			return nil, true, nil
		case s.contention < 0 || s.contention > contentionMax:
			return nil, false, status.Errorf(errcode.BadValue, "mongotest does not search under %d contention factors", s.contention)
		}
		for _, t := range s.tokens {
			if tags, err = f.appendTags(tags, t, s.contention); err != nil {
				return nil, false, err
			}
		}
	}
	slices.SortFunc(tags, func(a, b bson.RawValue) int { return bytes.Compare(a.Value, b.Value) })
	return tags, false, nil
}

// appendTags appends the tags of one edge or text under every contention factor, in every collection of the command.
func (f *Finder) appendTags(tags []bson.RawValue, t encryption.FindTokens, contention int64) ([]bson.RawValue, error) {
	for factor := int64(0); factor <= contention; factor++ {
		if f.Stop != nil {
			if err := f.Stop(); err != nil {
				return nil, err
			}
		}
		edc := encryption.EDCTwiceDerivedToken(encryption.EDCDerivedFromDataTokenAndContentionFactor(t.EDC, factor))
		esc := encryption.ESCDerivedFromDataTokenAndContentionFactor(t.ESC, factor)
		for _, s := range f.Schemas {
			for n := s.counter(f.State, esc).position().count; n > 0; n-- {
				tag := edc.Tag(n)
				tags = append(tags, value.Binary(bsontype.BinaryGeneric, tag[:]))
			}
		}
	}
	return tags, nil
}
