package text

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/core/encryption"
)

// Index lists what a text is indexed by.
type Index struct {
	Exact                          string // the whole text
	Substrings, Suffixes, Prefixes Entries
}

// Entries are parts of a text, and how often Padding is added to them.
type Entries struct {
	Parts   []string
	Padding int
}

// Len returns the number of entries.
func (e Entries) Len() int { return len(e.Parts) + e.Padding }

// Len returns the number of entries, the whole text included.
func (i Index) Len() int { return 1 + i.Substrings.Len() + i.Suffixes.Len() + i.Prefixes.Len() }

// Padding returns the entry that pads. No part of a text equals it, because 0xFF does not occur in UTF-8.
func (i Index) Padding() string { return i.Exact + "\xff" }

// maxEntries is more than a document of 16 MiB holds: an entry takes over 180 bytes.
const maxEntries = 16 << 20 / 180

// NewIndex lists what a text is indexed by.
func NewIndex(p encryption.TextPlaceholder) (Index, error) {
	if err := check(p.Value); err != nil {
		return Index{}, err
	}
	if err := checkSpec(p); err != nil {
		return Index{}, err
	}
	if p.Substring != nil {
		if utf8.RuneCountInString(p.Value) > int(p.Substring.MaxLength) {
			return Index{}, fmt.Errorf("encrypt: a text is longer than the %d characters that its index allows", p.Substring.MaxLength)
		}
	}
	e := encoder{padded: paddedLength(p.Value)}
	if n := e.countEntries(p); n > maxEntries {
		return Index{}, fmt.Errorf("encrypt: a text would have %d entries in its index, and a document can hold at most %d", n, maxEntries)
	}
	e.cut(p)
	out := Index{Exact: e.folded}
	if p.Substring != nil {
		out.Substrings = e.listSubstrings(*p.Substring)
	}
	if p.Suffix != nil {
		out.Suffixes = e.listAffixes(*p.Suffix, e.suffix)
	}
	if p.Prefix != nil {
		out.Prefixes = e.listAffixes(*p.Prefix, e.prefix)
	}
	return out, nil
}

// checkSpec checks what is to be indexed.
func checkSpec(p encryption.TextPlaceholder) error {
	if p.Substring != nil && (p.Prefix != nil || p.Suffix != nil) {
		return errors.New("encrypt: cannot specify 'substring' with 'prefix' or 'suffix'")
	}
	var bounds []encryption.Affix
	for _, a := range []*encryption.Affix{p.Prefix, p.Suffix} {
		if a != nil {
			bounds = append(bounds, *a)
		}
	}
	if s := p.Substring; s != nil {
		bounds = append(bounds, encryption.Affix{Upper: s.Upper, Lower: s.Lower})
		if s.MaxLength < s.Upper {
			return errors.New("encrypt: 'strMaxLength' must be at least 'strMaxQueryLength'")
		}
	}
	for _, b := range bounds {
		if b.Lower < 1 || b.Upper < b.Lower {
			return errors.New("encrypt: 'strMinQueryLength' must be positive, and 'strMaxQueryLength' at least as large")
		}
	}
	return nil
}

// encoder cuts one text into parts.
type encoder struct {
	folded string
	at     []int // where each code point of folded begins, and its end
	padded int   // the length of the text, rounded up so that it tells little
}

// paddedLength returns the length of a text before folding, rounded up: a BSON string of that many bytes is as long, once a cipher has
// padded it, as a BSON string of the text.
func paddedLength(s string) int { return 16*((len(s)+5+16)/16) - 5 }

// cut folds a text and finds its code points.
func (e *encoder) cut(p encryption.TextPlaceholder) {
	e.folded = fold(p.Value, p.CaseFold, p.DiacriticFold)
	for i := range e.folded {
		e.at = append(e.at, i)
	}
	e.at = append(e.at, len(e.folded))
}

// length returns the number of code points.
func (e *encoder) length() int { return len(e.at) - 1 }

func (e *encoder) prefix(n int) string { return e.folded[:e.at[n]] }
func (e *encoder) suffix(n int) string { return e.folded[e.at[e.length()-n]:] }

// countEntries counts the entries before any is made.
func (e *encoder) countEntries(p encryption.TextPlaceholder) int64 {
	n := int64(1)
	for _, a := range []*encryption.Affix{p.Prefix, p.Suffix} {
		if a != nil {
			n += e.countAffixes(*a)
		}
	}
	if p.Substring != nil {
		n += e.countSubstrings(*p.Substring)
	}
	return n
}

func (e *encoder) countAffixes(a encryption.Affix) int64 {
	return max(0, int64(min(e.padded, int(a.Upper)))-int64(a.Lower)+1)
}

// listAffixes lists the prefixes or suffixes of every length that is asked for.
func (e *encoder) listAffixes(a encryption.Affix, part func(n int) string) Entries {
	count := int(e.countAffixes(a))
	if count == 0 {
		return Entries{}
	}
	var out Entries
	for n := int(a.Lower); n <= min(e.length(), int(a.Upper)); n++ {
		out.Parts = append(out.Parts, part(n))
	}
	out.Padding = max(0, count-len(out.Parts))
	return out
}

func (e *encoder) countSubstrings(s encryption.Substring) int64 {
	longest := int64(min(int(s.MaxLength), e.padded))
	lower, upper := int64(s.Lower), min(int64(s.Upper), longest)
	if upper < lower {
		return 0
	}
	// The sum of longest-j+1 for j from lower to upper.
	return (upper - lower + 1) * ((longest - lower + 1) + (longest - upper + 1)) / 2
}

// listSubstrings lists the different substrings of every length that is asked for.
func (e *encoder) listSubstrings(s encryption.Substring) Entries {
	count := int(e.countSubstrings(s))
	if count == 0 {
		return Entries{}
	}
	var out Entries
	seen := map[string]bool{}
	for i := 0; i+int(s.Lower) <= e.length(); i++ {
		for j := i + int(s.Lower); j <= min(e.length(), i+int(s.Upper)); j++ {
			if part := e.folded[e.at[i]:e.at[j]]; !seen[part] {
				seen[part] = true
				out.Parts = append(out.Parts, part)
			}
		}
	}
	slices.SortStableFunc(out.Parts, func(a, b string) int { return cmp.Compare(bucket(a), bucket(b)) })
	out.Padding = max(0, count-len(out.Parts))
	return out
}

// bucket hashes a substring with FNV-1a. Substrings are ordered by it, as in libmongocrypt, so that payloads are the same.
func bucket(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h % 4096
}
