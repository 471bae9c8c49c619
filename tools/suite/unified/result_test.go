package unified

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// Unified Test Format, "Evaluating Matches": a list without elements is an empty array, and root-level documents may have
// more fields than expected.
func TestListsOfResults(t *testing.T) {
	names, err := values([]string(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	none, _ := documents([]bson.Raw(nil), nil)
	doc, err := bson.Marshal(bson.Doc("name", "s", "status", "READY"))
	if err != nil {
		t.Fatal(err)
	}
	found, _ := documents([]bson.Raw{doc}, nil)
	for _, tt := range []struct {
		name    string
		got     actual
		want    any
		matches bool
	}{
		{"no names", names, bson.A{}, true},
		{"no names are not null", names, nil, false},
		{"no documents", none, bson.A{}, true},
		{"documents with more fields", found, bson.A{bson.Doc("name", "s")}, true},
		{"documents without a field", found, bson.A{bson.Doc("name", "s", "type", "search")}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := (&Result{actual: tt.got}).matches(tt.want); (err == nil) != tt.matches {
				t.Errorf("it matches: %v", err)
			}
		})
	}
	if got, err := values([]string(nil), errors.New("no")); err == nil || !got.value.IsZero() {
		t.Errorf("a failure has the result %v", got)
	}
}
