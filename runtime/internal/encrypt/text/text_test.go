package text

import (
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/encryption"
)

func TestFolding(t *testing.T) {
	for name, tt := range map[string]struct{ in, cases, diacritics, both string }{
		"spanish":                     {"¿CUÁNTOS AÑOS tienes Tú?", "¿cuántos años tienes tú?", "¿CUANTOS ANOS tienes Tu?", "¿cuantos anos tienes tu?"},
		"russian":                     {"СКОЛЬКО ТЕБЕ ЛЕТ?", "сколько тебе лет?", "СКОЛЬКО ТЕБЕ ЛЕТ?", "сколько тебе лет?"},
		"greek":                       {"Πόσο χρονών είσαι?", "πόσο χρονών είσαι?", "Ποσο χρονων εισαι?", "ποσο χρονων εισαι?"},
		"a combining mark":            {"Cafe\u0301", "cafe\u0301", "Cafe", "cafe"},
		"a letter that grows":         {"\u023e", "\u2c66", "\u023e", "\u2c66"},
		"an ideograph that grows":     {"\ufa6c", "\ufa6c", "\U000242ee", "\U000242ee"},
		"a null byte":                 {"A\x00B", "a\x00b", "A\x00B", "a\x00b"},
		"two ASCII signs are removed": {"^x`", "^x`", "x", "x"},
		"ano teleia stays":            {"\u0387", "\u0387", "\u0387", "\u0387"},
		"sharp s has no simple fold":  {"ẞß", "ßß", "ẞß", "ßß"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range []struct {
				caseFold, diacriticFold bool
				want                    string
			}{{false, false, tt.in}, {true, false, tt.cases}, {false, true, tt.diacritics}, {true, true, tt.both}} {
				if got := fold(tt.in, f.caseFold, f.diacriticFold); got != f.want {
					t.Errorf("case %v, diacritics %v: %q, want %q", f.caseFold, f.diacriticFold, got, f.want)
				}
			}
		})
	}
}

func TestEntries(t *testing.T) {
	affix := func(lower, upper int32) *encryption.Affix { return &encryption.Affix{Lower: lower, Upper: upper} }
	part := func(long, lower, upper int32) *encryption.Substring {
		return &encryption.Substring{MaxLength: long, Lower: lower, Upper: upper}
	}
	for name, tt := range map[string]struct {
		spec                           encryption.TextPlaceholder
		prefixes, suffixes, substrings []string
		padding, total                 int
	}{
		"only the whole text":              {encryption.TextPlaceholder{Value: "abc"}, nil, nil, nil, 0, 1},
		"prefixes":                         {encryption.TextPlaceholder{Value: "abc", Prefix: affix(1, 100)}, []string{"a", "ab", "abc"}, nil, nil, 8, 12},
		"prefixes of few lengths":          {encryption.TextPlaceholder{Value: "abc", Prefix: affix(2, 2)}, []string{"ab"}, nil, nil, 0, 2},
		"suffixes of folded letters":       {encryption.TextPlaceholder{Value: "ÄÖ", Suffix: affix(1, 9), CaseFold: true, DiacriticFold: true}, nil, []string{"o", "ao"}, nil, 7, 10},
		"prefixes longer than the text":    {encryption.TextPlaceholder{Value: "abc", Prefix: affix(5, 9)}, nil, nil, nil, 5, 6},
		"prefixes longer than the padding": {encryption.TextPlaceholder{Value: "abc", Prefix: affix(12, 20)}, nil, nil, nil, 0, 1},
		"substrings":                       {encryption.TextPlaceholder{Value: "abc", Substring: part(100, 1, 100)}, nil, nil, []string{"a", "ab", "abc", "b", "bc", "c"}, 60, 67},
		"substrings that occur twice":      {encryption.TextPlaceholder{Value: "aaa", Substring: part(100, 1, 2)}, nil, nil, []string{"a", "aa"}, 19, 22},
		"substrings of a bounded text":     {encryption.TextPlaceholder{Value: "abc", Substring: part(4, 2, 3)}, nil, nil, []string{"ab", "abc", "bc"}, 2, 6},
		"an empty text is padded, too":     {encryption.TextPlaceholder{Value: "", Prefix: affix(1, 100)}, nil, nil, nil, 11, 12},
	} {
		t.Run(name, func(t *testing.T) {
			i, err := NewIndex(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(i.Substrings.Parts)
			if !slices.Equal(i.Prefixes.Parts, tt.prefixes) || !slices.Equal(i.Suffixes.Parts, tt.suffixes) || !slices.Equal(i.Substrings.Parts, tt.substrings) {
				t.Errorf("%q, %q, %q", i.Prefixes.Parts, i.Suffixes.Parts, i.Substrings.Parts)
			}
			if p := i.Prefixes.Padding + i.Suffixes.Padding + i.Substrings.Padding; p != tt.padding || i.Len() != tt.total {
				t.Errorf("%d of %d are padding, want %d of %d", p, i.Len(), tt.padding, tt.total)
			}
		})
	}
}

func TestTextsThatAreRefused(t *testing.T) {
	prefix := &encryption.Affix{Lower: 2, Upper: 4}
	for name, tt := range map[string]struct {
		spec encryption.TextPlaceholder
		want string
	}{
		"a null byte":                         {encryption.TextPlaceholder{Value: "a\x00"}, "null byte"},
		"bytes that are not UTF-8":            {encryption.TextPlaceholder{Value: "\xff"}, "UTF-8"},
		"a text that is too long":             {encryption.TextPlaceholder{Value: strings.Repeat("a", maxSize+1)}, "16777216"},
		"substrings and prefixes":             {encryption.TextPlaceholder{Substring: &encryption.Substring{MaxLength: 9, Upper: 1, Lower: 1}, Prefix: prefix}, "cannot specify"},
		"bounds in the wrong order":           {encryption.TextPlaceholder{Prefix: &encryption.Affix{Lower: 3, Upper: 2}}, "strMinQueryLength"},
		"no minimal length":                   {encryption.TextPlaceholder{Suffix: &encryption.Affix{Upper: 2}}, "strMinQueryLength"},
		"longer than the index allows":        {encryption.TextPlaceholder{Value: "äbc", Substring: &encryption.Substring{MaxLength: 2, Upper: 2, Lower: 1}}, "longer than the 2"},
		"longer queries than texts":           {encryption.TextPlaceholder{Substring: &encryption.Substring{MaxLength: 2, Upper: 3, Lower: 1}}, "strMaxLength"},
		"more entries than fit in a document": {encryption.TextPlaceholder{Value: strings.Repeat("a", 1000), Substring: &encryption.Substring{MaxLength: 1000, Upper: 1000, Lower: 1}}, "entries"},
		"very many entries":                   {encryption.TextPlaceholder{Value: strings.Repeat("a", maxSize), Substring: &encryption.Substring{MaxLength: 1<<31 - 1, Upper: 1<<31 - 1, Lower: 1}}, "entries"},
	} {
		if _, err := NewIndex(tt.spec); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQueries(t *testing.T) {
	prefix := &encryption.Affix{Lower: 2, Upper: 4}
	for name, tt := range map[string]struct {
		spec encryption.TextPlaceholder
		want string
		err  string
	}{
		"folded":                {encryption.TextPlaceholder{Value: "ÄB", Prefix: prefix, CaseFold: true, DiacriticFold: true}, "ab", ""},
		"the whole text":        {encryption.TextPlaceholder{Value: ""}, "", ""},
		"the minimal length":    {encryption.TextPlaceholder{Value: "ää", Suffix: prefix}, "ää", ""},
		"too short":             {encryption.TextPlaceholder{Value: "ä", Suffix: prefix}, "", "shorter than the minimum"},
		"too short when folded": {encryption.TextPlaceholder{Value: "a^", Suffix: prefix, DiacriticFold: true}, "", "shorter than the minimum"},
		"too long":              {encryption.TextPlaceholder{Value: "abcde", Prefix: prefix}, "", "longer than the maximum"},
		"empty":                 {encryption.TextPlaceholder{Value: "", Prefix: prefix}, "", "cannot be empty"},
		"two at once":           {encryption.TextPlaceholder{Value: "abc", Prefix: prefix, Suffix: prefix}, "", "not for both"},
	} {
		got, err := Query(tt.spec)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// FuzzNewIndex looks for texts whose number of entries does not match their length.
func FuzzNewIndex(f *testing.F) {
	f.Add("abc", int32(10), int32(1), int32(5), true)
	f.Fuzz(func(t *testing.T, s string, long, lower, upper int32, folds bool) {
		p := encryption.TextPlaceholder{Value: s, CaseFold: folds, DiacriticFold: folds, Substring: &encryption.Substring{MaxLength: long, Lower: lower, Upper: upper}}
		i, err := NewIndex(p)
		if err != nil {
			return
		}
		p.Value = strings.Repeat("a", len(s))
		if p.Substring.MaxLength = max(long, int32(len(s))); p.Substring.MaxLength != long {
			return
		}
		if j, err := NewIndex(p); err != nil || i.Len() != j.Len() {
			t.Errorf("%q has %d entries, a text of as many bytes %d, %v", s, i.Len(), j.Len(), err)
		}
	})
}
