package encryption

import (
	"cmp"
	"slices"
)

// folding is a code point and what it becomes; -1 for nothing.
type folding struct{ from, onto rune }

// FoldCase returns a code point without its case, by Unicode 13.0.
func FoldCase(r rune) rune { return foldBy(caseFolding[:], r) }

// FoldDiacritic returns a code point without its diacritics, by Unicode 13.0, and -1 for one that is itself a diacritic.
func FoldDiacritic(r rune) rune { return foldBy(diacriticFolding[:], r) }

func foldBy(table []folding, r rune) rune {
	i, found := slices.BinarySearchFunc(table, r, func(f folding, r rune) int { return cmp.Compare(f.from, r) })
	if found {
		return table[i].onto
	}
	return r
}
