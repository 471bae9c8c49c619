package fulltext

import (
	"slices"
	"strings"
	"unicode"

	"github.com/specdrivers/onion/bson"
)

// Search is a parsed $text. It may be used by several goroutines.
type Search struct {
	index     *Index
	language  *Language
	sensitive sensitivity

	Terms          []string // in the form of the index; a document must have one of them
	wanted         []string // the same terms, with the search's sensitivity
	Negated        []string
	Phrases        []string
	NegatedPhrases []string
}

// Parse reads the words of a search.
func (x *Index) Parse(words string, l *Language, caseSensitive, diacriticSensitive bool) *Search {
	q := &Search{index: x, language: l, sensitive: sensitivity{caseSensitive, diacriticSensitive}}
	positive, negative := q.split(words)
	q.Terms = sortedTerms(l.terms(positive, sensitivity{}, true))
	q.wanted = sortedTerms(l.terms(positive, q.sensitive, true))
	q.Negated = sortedTerms(l.terms(negative, q.sensitive, true))
	return q
}

// split extracts quoted phrases from a search, and separates its words into wanted and unwanted ones. The words of a
// wanted phrase are wanted too. A hyphen at the start or after a space negates everything up to the next space.
func (q *Search) split(words string) (positive, negative string) {
	var wanted, unwanted strings.Builder
	quoted := -1 // where the open phrase begins
	negated, spaced := false, true
	for i, r := range words {
		switch {
		case r == '"' && quoted >= 0:
			if phrase := words[quoted:i]; negated {
				q.NegatedPhrases = append(q.NegatedPhrases, phrase)
			} else {
				q.Phrases = append(q.Phrases, phrase)
			}
			quoted = -1
		case r == '"':
			negated = negated && !spaced
			quoted = i + 1
		case quoted >= 0:
			if !negated {
				wanted.WriteRune(r)
			}
			spaced = unicode.IsSpace(r)
			continue
		case unicode.IsSpace(r):
			negated = false
		case r == '-' && spaced:
			negated = true
			spaced = false
			continue
		case negated:
			unwanted.WriteRune(r)
			spaced = false
			continue
		default:
			wanted.WriteRune(r)
			spaced = false
			continue
		}
		spaced = unicode.IsSpace(r)
		wanted.WriteByte(' ')
		unwanted.WriteByte(' ')
	}
	return wanted.String(), unwanted.String()
}

// Index returns the index to search.
func (q *Search) Index() *Index { return q.index }

// Language returns the name of the search's language.
func (q *Search) Language() string { return q.language.name }

// Sensitive returns whether the search distinguishes case and diacritics.
func (q *Search) Sensitive() (letterCase, diacritics bool) {
	return q.sensitive.letterCase, q.sensitive.diacritics
}

// Score returns how well a document matches: the sum of the weights of the terms searched for.
func (q *Search) Score(doc bson.Raw) float64 {
	scores, err := q.index.Scores(doc)
	if err != nil {
		return 0
	}
	sum := 0.0
	for _, term := range q.Terms {
		sum += scores[term]
	}
	return sum
}

// Match reports whether a document has one of the terms, all phrases, and nothing unwanted.
func (q *Search) Match(doc bson.Raw) bool {
	if q.Score(doc) == 0 {
		return false
	}
	found := q.sensitive == sensitivity{}
	refused := false
	phrases := make([]bool, len(q.Phrases))
	err := q.index.eachText(doc, func(text string, _ float64, l *Language) {
		if !found || len(q.Negated) > 0 {
			for _, term := range l.terms(text, q.sensitive, false) {
				found = found || contains(q.wanted, term)
				refused = refused || contains(q.Negated, term)
			}
		}
		if len(q.Phrases)+len(q.NegatedPhrases) == 0 {
			return
		}
		text = q.sensitive.fold(text)
		for i, p := range q.Phrases {
			phrases[i] = phrases[i] || strings.Contains(text, q.sensitive.fold(p))
		}
		for _, p := range q.NegatedPhrases {
			refused = refused || strings.Contains(text, q.sensitive.fold(p))
		}
	})
	return err == nil && found && !refused && !slices.Contains(phrases, false)
}

func contains(sorted []string, term string) bool {
	_, ok := slices.BinarySearch(sorted, term)
	return ok
}
