package text

import (
	"errors"
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
			r = encryption.FoldCase(r)
		}
		if diacriticFold {
			r = encryption.FoldDiacritic(r)
		}
		if r >= 0 {
			out.WriteRune(r)
		}
	}
	return out.String()
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
