package payload

import (
	"encoding/binary"
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/text"
)

// insertText makes a payload of a text that is searched for by its parts.
func (s *sealer) insertText() ([]byte, error) {
	spec, err := s.textSpec()
	if err != nil {
		return nil, err
	}
	index, err := text.NewIndex(spec)
	if err != nil {
		return nil, err
	}
	// A text is found by the tokens of its parts, not by tokens of the whole value.
	var top encryption.TokenSet
	if top.ECOC, err = s.sealCompaction(sealed.Token{}, 0, 0, 0); err != nil {
		return nil, err
	}
	s.Value = valueOf(spec.Value)
	p, err := s.newInsert(top)
	if err != nil {
		return nil, err
	}
	p.Text = &encryption.TextTokens{}
	total := binary.LittleEndian.AppendUint32(nil, uint32(index.Len()))
	if p.Text.Exact, err = s.deriveSet(s.exactRoots(), stringValue(index.Exact), total[:3]...); err != nil {
		return nil, err
	}
	for _, kind := range []struct {
		to    *[]encryption.TokenSet
		roots roots
		from  text.Entries
	}{
		{&p.Text.Substrings, s.substringRoots(), index.Substrings},
		{&p.Text.Suffixes, s.suffixRoots(), index.Suffixes},
		{&p.Text.Prefixes, s.prefixRoots(), index.Prefixes},
	} {
		if *kind.to, err = s.deriveTextSets(kind.roots, kind.from, index.Padding()); err != nil {
			return nil, err
		}
	}
	return p.Append(s.dst), nil
}

func (s *sealer) textSpec() (encryption.TextPlaceholder, error) {
	doc, ok := s.Value.DocumentOK()
	if !ok {
		return encryption.TextPlaceholder{}, errors.New("encrypt: a placeholder of a text does not hold a document")
	}
	return encryption.ParseTextPlaceholder(doc)
}

// deriveTextSets derives the tokens of some parts of a text. All padding has the same tokens, so one set serves for all of it.
func (s *sealer) deriveTextSets(r roots, entries text.Entries, padding string) ([]encryption.TokenSet, error) {
	out := make([]encryption.TokenSet, 0, entries.Len())
	for _, part := range entries.Parts {
		set, err := s.deriveSet(r, stringValue(part), 0, 0, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, set)
	}
	if entries.Padding == 0 {
		return out, nil
	}
	set, err := s.deriveSet(r, stringValue(padding), 0, 0, 0)
	for range entries.Padding {
		out = append(out, set)
	}
	return out, err
}

// findText makes a payload that searches for a text or for a part of one.
func (s *sealer) findText() ([]byte, error) {
	spec, err := s.textSpec()
	if err != nil {
		return nil, err
	}
	query, err := text.Query(spec)
	if err != nil {
		return nil, err
	}
	p := encryption.FindText{MaxContention: s.MaxContention, CaseFold: spec.CaseFold, DiacriticFold: spec.DiacriticFold,
		Substring: spec.Substring, Suffix: spec.Suffix, Prefix: spec.Prefix}
	value := stringValue(query)
	switch {
	case spec.Substring != nil:
		p.Tokens.Substring = new(s.substringRoots().findTokens(value))
	case spec.Suffix != nil:
		p.Tokens.Suffix = new(s.suffixRoots().findTokens(value))
	case spec.Prefix != nil:
		p.Tokens.Prefix = new(s.prefixRoots().findTokens(value))
	default:
		p.Tokens.Exact = new(s.exactRoots().findTokens(value))
	}
	return p.Append(s.dst), nil
}

// stringValue returns the value of a BSON string, whose bytes need not be UTF-8: padding is not.
func stringValue(s string) []byte {
	return bson.AppendStringElement(nil, "", s)[2:]
}

func (s *sealer) exactRoots() roots {
	return newRoots(
		encryption.EDCTextExactToken(s.edc), encryption.ESCTextExactToken(s.esc), encryption.ServerTextExactToken(s.server))
}

func (s *sealer) substringRoots() roots {
	return newRoots(
		encryption.EDCTextSubstringToken(s.edc), encryption.ESCTextSubstringToken(s.esc), encryption.ServerTextSubstringToken(s.server))
}

func (s *sealer) suffixRoots() roots {
	return newRoots(
		encryption.EDCTextSuffixToken(s.edc), encryption.ESCTextSuffixToken(s.esc), encryption.ServerTextSuffixToken(s.server))
}

func (s *sealer) prefixRoots() roots {
	return newRoots(
		encryption.EDCTextPrefixToken(s.edc), encryption.ESCTextPrefixToken(s.esc), encryption.ServerTextPrefixToken(s.server))
}
