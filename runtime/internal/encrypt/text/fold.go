package text

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/core/encryption"
)

// maxSize is how many bytes a text may have.
const maxSize = 16 << 20

// fold returns a text without the distinctions that its index ignores: case first, then diacritics.
func fold(s string, caseFold, diacriticFold bool) string {
	if !caseFold && !diacriticFold {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for _, r := range s {
		if caseFold {
			r = foldCase(r)
		}
		if diacriticFold {
			r = foldDiacritic(r)
		}
		if r >= 0 {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// foldCase returns a code point without its case, by Unicode 13.0.
func foldCase(r rune) rune { return foldBy(encryption.CaseFolding[:], r) }

// foldDiacritic returns a code point without its diacritics, by Unicode 13.0, and -1 for one that is itself a diacritic.
func foldDiacritic(r rune) rune { return foldBy(encryption.DiacriticFolding[:], r) }

func foldBy(table []encryption.Folding, r rune) rune {
	i, found := slices.BinarySearchFunc(table, r, func(f encryption.Folding, r rune) int { return cmp.Compare(f.From, r) })
	if found {
		return table[i].Onto
	}
	return r
}

func check(s string) error {
	switch {
	case len(s) > maxSize:
		return errors.New("encrypt: a text is longer than 16777216 bytes")
	case !utf8.ValidString(s):
		return errors.New("encrypt: a text is not valid UTF-8")
	case strings.IndexByte(s, 0) >= 0:
		return errors.New("encrypt: a text contains a null byte")
	}
	return nil
}
