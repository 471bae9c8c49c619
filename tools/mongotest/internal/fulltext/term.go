package fulltext

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// sensitivity says which differences make two terms distinct. A text index ignores both.
type sensitivity struct{ letterCase, diacritics bool }

// delimits reports whether a character ends a word. In English an apostrophe does not.
func (l *Language) delimits(r rune) bool {
	if r == '\'' {
		return l.name != "english"
	}
	return unicode.In(r, unicode.Dash, unicode.Hyphen, unicode.Pattern_Syntax, unicode.Quotation_Mark, unicode.Terminal_Punctuation,
		unicode.White_Space)
}

// terms returns the stems of a text's words in order. skip leaves out stop words.
func (l *Language) terms(text string, s sensitivity, skip bool) []string {
	var out []string
	for _, word := range strings.FieldsFunc(text, l.delimits) {
		lower := strings.ToLower(word)
		if skip && l.stop != nil && l.stop(lower) {
			continue
		}
		term := lower
		if l.stem != nil {
			term = l.stem(lower, true)
		}
		if s.letterCase {
			term = copyCase(term, word)
		}
		if !s.diacritics {
			term = removeDiacritics(term)
		}
		out = append(out, term)
	}
	return out
}

// copyCase gives a stem the case of the word it comes from, as far as the two agree.
func copyCase(stem, word string) string {
	from := []rune(word)
	out := []rune(stem)
	for i := range out {
		if i >= len(from) || unicode.ToLower(from[i]) != out[i] {
			break
		}
		out[i] = from[i]
	}
	return string(out)
}

// removeDiacritics removes the diacritics from letters.
func removeDiacritics(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			kept := strings.Map(func(r rune) rune {
				if unicode.In(r, unicode.Diacritic, unicode.Mn) {
					return -1
				}
				return r
			}, norm.NFD.String(s))
			return norm.NFC.String(kept)
		}
	}
	return s
}

// fold returns a text in the form in which phrases are compared.
func (s sensitivity) fold(text string) string {
	if !s.letterCase {
		text = strings.ToLower(text)
	}
	if !s.diacritics {
		text = removeDiacritics(text)
	}
	return text
}
