package text

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/core/encryption"
)

// Query folds what is searched for, and checks its length. Without Substring, Suffix and Prefix the whole text is meant.
func Query(p encryption.TextPlaceholder) (string, error) {
	if err := check(p.Value); err != nil {
		return "", err
	}
	if err := checkSpec(p); err != nil {
		return "", err
	}
	folded := fold(p.Value, p.CaseFold, p.DiacriticFold)
	var bounds encryption.Affix
	switch {
	case p.Prefix != nil && p.Suffix != nil:
		return "", errors.New("encrypt: a search is for a prefix or for a suffix, not for both")
	case p.Substring != nil:
		bounds = encryption.Affix{Upper: p.Substring.Upper, Lower: p.Substring.Lower}
	case p.Suffix != nil:
		bounds = *p.Suffix
	case p.Prefix != nil:
		bounds = *p.Prefix
	default:
		return folded, nil
	}
	switch n := utf8.RuneCountInString(folded); {
	case n == 0:
		return "", errors.New("encrypt: string value cannot be empty for substring, suffix, or prefix queries")
	case n < int(bounds.Lower):
		return "", fmt.Errorf("encrypt: string value was shorter than the minimum query length for this field: %d", bounds.Lower)
	case n > int(bounds.Upper):
		return "", fmt.Errorf("encrypt: string value was longer than the maximum query length for this field: %d", bounds.Upper)
	}
	return folded, nil
}
