package auth

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	authtable "github.com/specdrivers/onion/generated/core/auth"
)

var errSASLprep = errors.New("the password has characters that SASLprep forbids")

// saslPrep prepares a password that is stored. RFC 4013; the tables are those of RFC 3454.
//
// xdg-go/stringprep does the same. It fills tables of other profiles whenever a program starts, which nothing can drop: code
// of a quarter of a megabyte.
func saslPrep(password string) (string, error) {
	if !strings.ContainsFunc(password, func(r rune) bool { return r < ' ' || r > '~' }) {
		return password, nil
	}
	dropped, spaces := parseRunes(authtable.SASLprepDropped), parseRunes(authtable.SASLprepSpaces)
	mapped := strings.Map(func(r rune) rune {
		switch {
		case dropped.has(r):
			return -1
		case spaces.has(r):
			return ' '
		}
		return r
	}, password)
	prepared := norm.NFKC.String(mapped)
	if parseRunes(authtable.SASLprepProhibited).hasAny(prepared) || parseRunes(authtable.SASLprepUnassigned).hasAny(prepared) ||
		mixesDirections(prepared) {
		return "", errSASLprep // which characters is a secret
	}
	return prepared, nil
}

// mixesDirections reports whether a text has characters that are written from right to left, and breaks the rules for such
// texts. RFC 3454, "Bidirectional Characters".
func mixesDirections(s string) bool {
	rightToLeft := parseRunes(authtable.SASLprepRightToLeft)
	if !rightToLeft.hasAny(s) {
		return false
	}
	runes := []rune(s)
	return parseRunes(authtable.SASLprepLeftToRight).hasAny(s) || !rightToLeft.has(runes[0]) || !rightToLeft.has(runes[len(runes)-1])
}

// runeSet is a list of ranges, first and last included.
type runeSet [][2]rune

// parseRunes reads a set as the table writes it: 00AD 180B-180D.
func parseRunes(text string) runeSet {
	var set runeSet
	for word := range strings.FieldsSeq(text) {
		first, last, isRange := strings.Cut(word, "-")
		if !isRange {
			last = first
		}
		from, _ := strconv.ParseUint(first, 16, 32) // a test reads all of the tables
		to, _ := strconv.ParseUint(last, 16, 32)
		set = append(set, [2]rune{rune(from), rune(to)})
	}
	return set
}

func (s runeSet) has(r rune) bool {
	for _, span := range s {
		if span[0] <= r && r <= span[1] {
			return true
		}
	}
	return false
}

func (s runeSet) hasAny(text string) bool { return strings.ContainsFunc(text, s.has) }
