package text

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
	"unicode"

	"github.com/specdrivers/onion/generated/core/encryption"
)

// If one code point folded differently, texts that are stored already could not be found, so the tables are pinned.
func TestFoldingIsPinned(t *testing.T) {
	for name, tt := range map[string]struct {
		table []encryption.Folding
		size  int
		hash  string
	}{
		"case":       {encryption.CaseFolding[:], 1414, "e1a4dffac3de9c60ac8b39fbb3fa4f8ad81e458797e68cbc9d3f9dcf549df54e"},
		"diacritics": {encryption.DiacriticFolding[:], 2845, "1e7253baad5553005d1a15cf522aa6ae018e5d359a77212250799992c070452c"},
	} {
		if !slices.IsSortedFunc(tt.table, func(a, b encryption.Folding) int { return int(a.From - b.From) }) {
			t.Errorf("the table of %s is not sorted", name)
		}
		hash := sha256.New()
		for _, f := range tt.table {
			fmt.Fprintf(hash, "%X %X\n", f.From, f.Onto)
		}
		if got := hex.EncodeToString(hash.Sum(nil)); len(tt.table) != tt.size || got != tt.hash {
			t.Errorf("the table of %s has %d rows with the hash %s", name, len(tt.table), got)
		}
	}
}

// newerLetters are letters that got a case after Unicode 13.0, up to the version of the standard library.
var newerLetters = &unicode.RangeTable{
	R16: []unicode.Range16{{0x2c2f, 0x2c2f, 1}, {0xa7c0, 0xa7c0, 1}, {0xa7d0, 0xa7d0, 1}, {0xa7d6, 0xa7d8, 2}},
	R32: []unicode.Range32{{0x10570, 0x1057a, 1}, {0x1057c, 0x1058a, 1}, {0x1058c, 0x10592, 1}, {0x10594, 0x10595, 1}},
}

// Unicode never changes the case folding of a letter that has one, so the standard library, of any later version, has every row.
func TestCaseFoldingAgreesWithTheStandardLibrary(t *testing.T) {
	for _, f := range encryption.CaseFolding {
		if !sameOrbit(f.From, f.Onto) {
			t.Errorf("%U folds to %U, which is another letter", f.From, f.Onto)
		}
		if foldCase(f.Onto) != f.Onto {
			t.Errorf("%U folds to %U, which folds again", f.From, f.Onto)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.Is(newerLetters, r) {
			continue
		}
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			if foldCase(r) != foldCase(o) && !unicode.Is(newerLetters, o) {
				t.Errorf("%U and %U are the same letter, and fold to %U and %U", r, o, foldCase(r), foldCase(o))
			}
		}
	}
}

func sameOrbit(a, b rune) bool {
	for o := unicode.SimpleFold(a); o != a; o = unicode.SimpleFold(o) {
		if o == b {
			return true
		}
	}
	return a == b
}

// Code points that fold to nothing are diacritics, and no other code point folds to a diacritic.
func TestDiacriticsAgreeWithTheStandardLibrary(t *testing.T) {
	for _, f := range encryption.DiacriticFolding {
		switch {
		case f.Onto < 0 && !unicode.Is(unicode.Diacritic, f.From):
			t.Errorf("%U goes away, and is no diacritic", f.From)
		case f.Onto >= 0 && unicode.Is(unicode.Diacritic, f.Onto):
			t.Errorf("%U becomes %U, a diacritic", f.From, f.Onto)
		}
	}
	for _, r := range []rune{'a', 'ß', 'æ', 'ø', '漢', 0x387} {
		if got := foldDiacritic(r); got != r {
			t.Errorf("%U becomes %U", r, got)
		}
	}
}
