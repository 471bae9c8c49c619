package model

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// FoldingPair is a code point and what it becomes; -1 for nothing.
type FoldingPair struct{ From, Onto rune }

// foldingPairs expands rows into one pair for each code point, and checks that the pairs ascend.
func foldingPairs(t *load.Tables, rows []load.EncryptionFold) []FoldingPair {
	var out []FoldingPair
	next := rune(0)
	for _, r := range rows {
		if rune(r.From) < next {
			t.Problemf(r.At, "code point %#x is out of order: it must be greater than the one before it", r.From)
		}
		next = rune(r.From)
		for word := range strings.FieldsSeq(r.Onto) {
			if word != "=" {
				out = append(out, FoldingPair{next, parseFold(t, r.At, word)})
			}
			next++
		}
	}
	return out
}

func parseFold(t *load.Tables, at load.Pos, word string) rune {
	if word == "-" {
		return -1
	}
	n, err := strconv.ParseUint(word, 16, 32)
	if err != nil || n > 0x10ffff {
		t.Problemf(at, "%q is not a code point", word)
	}
	return rune(n)
}
