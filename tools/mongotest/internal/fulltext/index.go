package fulltext

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Everything means all string fields, in the weights of an index.
const Everything = "$**"

// Index describes a text index.
type Index struct {
	Weights  map[string]float64 // by path; the weight of Everything is for all other paths
	Default  *Language
	Override string // the field of a document that names its language
	Version  int32
	// Prefix lists the fields that precede the texts in the key. A search must fix each of them.
	Prefix []string
}

// weight returns the weight of a path, or 0 if the index does not cover it.
func (x *Index) weight(path string) float64 {
	if w, ok := x.Weights[path]; ok {
		return w
	}
	return x.Weights[Everything]
}

// eachText visits the texts of a document that the index covers.
func (x *Index) eachText(doc bson.Raw, visit func(text string, weight float64, l *Language)) error {
	return x.eachInDocument(doc, "", x.Default, visit)
}

func (x *Index) eachInDocument(doc bson.Raw, prefix string, l *Language, visit func(string, float64, *Language)) error {
	if v, err := doc.LookupErr(x.Override); err == nil {
		if l, err = x.language(v); err != nil {
			return err
		}
	}
	everything := x.Weights[Everything] != 0
	for key, v := range doc.All() {
		if everything && key == x.Override {
			continue
		}
		if err := x.eachAt(prefix+key, v, l, visit); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) eachAt(path string, v bson.RawValue, l *Language, visit func(string, float64, *Language)) error {
	switch v.Type {
	case bsontype.String:
		if w := x.weight(path); w != 0 {
			s, _ := v.StringOK()
			visit(s, w, l)
		}
	case bsontype.EmbeddedDocument:
		return x.eachInDocument(bson.Raw(v.Value), path+".", l, visit)
	case bsontype.Array:
		for _, e := range bson.Raw(v.Value).All() {
			if e.Type == bsontype.Array {
				continue
			}
			if err := x.eachAt(path, e, l, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// language returns the language that a document names for itself.
func (x *Index) language(v bson.RawValue) (*Language, error) {
	name, ok := v.StringOK()
	if !ok {
		return nil, status.Errorf(17261, "found language override field in document with non-string type")
	}
	if l := Named(name); l != nil {
		return l, nil
	}
	return nil, status.Errorf(17262, "language override unsupported: %s", name)
}

// Scores returns the terms of a document with the weights that the index stores for them.
func (x *Index) Scores(doc bson.Raw) (map[string]float64, error) {
	scores := map[string]float64{}
	err := x.eachText(doc, func(text string, weight float64, l *Language) { l.score(text, weight, scores) })
	return scores, err
}

// score adds the terms of one text. Each further occurrence of a term counts half as much as the one before. A term
// counts more the larger its share of the text is, and a tenth more if it is the whole text.
func (l *Language) score(text string, weight float64, scores map[string]float64) {
	type occurrence struct{ count, frequency, share float64 }
	found := map[string]*occurrence{}
	list := l.terms(text, sensitivity{}, true)
	for _, term := range list {
		o := found[term]
		if o == nil {
			o = &occurrence{share: 1}
			found[term] = o
		} else {
			o.share /= 2
		}
		o.count++
		o.frequency += o.share
	}
	for term, o := range found {
		portion := 0.5*o.count/float64(len(list)) + 0.5
		alone := 1.0
		if len(text) == len(term) && utf8.ValidString(text) && strings.EqualFold(text, term) {
			alone = 1.1
		}
		scores[term] += weight * o.frequency * portion * alone
	}
}

// sortedTerms returns the terms of a set in order.
func sortedTerms(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
