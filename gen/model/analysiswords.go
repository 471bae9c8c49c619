package model

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

const analysisPackage = "core/analysis"

// analysisWords holds the types of package analysis. Their constants are the words that the rules may say.
type analysisWords struct {
	tables *load.Tables
	types  []load.Type
}

func newAnalysisWords(t *load.Tables) analysisWords {
	w := analysisWords{tables: t}
	for _, file := range t.PackageTypes() {
		if file.Package == analysisPackage {
			w.types = append(w.types, file.Types...)
		}
	}
	return w
}

// wordsOf lists the words of a type: the constant ArgumentArrayFilters stands for arrayFilters.
func (w analysisWords) wordsOf(name string) []string {
	i := slices.IndexFunc(w.types, func(typ load.Type) bool { return typ.Name == name })
	if i < 0 {
		w.tables.Problemf(load.Pos{File: "specs/types"}, "no table has the type %s of package %s", name, analysisPackage)
		return nil
	}
	var out []string
	for _, v := range w.types[i].Values {
		if text := strings.TrimPrefix(v.Name, name); text != "" {
			out = append(out, strings.ToLower(text[:1])+text[1:])
		}
	}
	return out
}

// wordsAfter lists the words of a type without the first ones. No row can say the zero rule, because it is the rule of every name
// that has no row.
func (w analysisWords) wordsAfter(first int, name string) []string {
	words := w.wordsOf(name)
	return words[min(first, len(words)):]
}
