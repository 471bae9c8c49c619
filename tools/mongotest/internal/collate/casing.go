package collate

import (
	"strings"
	"unicode"

	"github.com/specdrivers/onion/bson"
)

// casing says which case comes first when two letters differ only in case.
type casing uint8

const (
	uncased casing = iota // the default of the language
	upper
	lower
)

// casingOf reads caseFirst.
func casingOf(spec bson.Raw) casing {
	switch s, _ := spec.Lookup("caseFirst").StringOK(); s {
	case "upper":
		return upper
	case "lower":
		return lower
	}
	return uncased
}

// ignoresOnlySpaces reports whether alternate: shifted ignores white space only.
func ignoresOnlySpaces(spec bson.Raw) bool {
	alternate, _ := spec.Lookup("alternate").StringOK()
	variable, _ := spec.Lookup("maxVariable").StringOK()
	return alternate == "shifted" && variable == "space"
}

// append appends a key. If case has its own level, the key of the letters and then their cases come first.
func (s *state) append(dst []byte, text string) []byte {
	if s.spaces {
		text = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, text)
	}
	if s.letters != nil {
		s.buffer.Reset()
		dst = append(append(dst, s.letters.KeyFromString(&s.buffer, text)...), 0, 0)
		for _, r := range text {
			if !unicode.Is(unicode.Mn, r) {
				dst = append(dst, s.first.weight(r))
			}
		}
		dst = append(dst, 0, 0)
	}
	s.buffer.Reset()
	return append(dst, s.collator.KeyFromString(&s.buffer, text)...)
}

// weight returns the rank of a letter's case. A character without case counts as lower case.
func (c casing) weight(r rune) byte {
	if unicode.IsUpper(r) == (c == upper) {
		return 1
	}
	return 2
}
