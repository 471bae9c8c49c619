package model

import (
	"slices"

	"github.com/specdrivers/onion/gen/load"
)

// CheckReferences checks that every column spec names a document that exists. It does not check the sections: only
// tools/specsync has the documents.
func CheckReferences(t *load.Tables) {
	pinned := t.PinnedDocuments()
	known := map[string]*bool{}
	names := newUnique[string](t)
	for _, r := range t.Documents().Rows {
		checkSentence(t, r.At, r.Doc)
		names.add(r.Name, r.Name, r.At, "document %s is named twice", r.Name)
		known[r.Name] = new(bool)
		if _, found := slices.BinarySearch(pinned, r.Path); r.Path != "" && !found {
			t.Problemf(r.At, "%s: UPSTREAM does not list %s", r.Name, r.Path)
		}
	}
	for _, r := range t.References() {
		if used := known[r.Document]; used != nil {
			*used = true
		} else if _, found := slices.BinarySearch(pinned, r.Document); !found {
			t.Problemf(r.At, "spec: neither UPSTREAM lists a document %q nor does documents.yaml name one", r.Document)
		}
	}
	for _, r := range t.Documents().Rows {
		if used := known[r.Name]; used != nil && !*used {
			t.Problemf(r.At, "no row refers to %s", r.Name)
		}
	}
}
