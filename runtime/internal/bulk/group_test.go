package bulk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

var (
	all = bson.D{}
	set = bson.Doc("$set", bson.Doc("x", 1))
)

// The models of the tests, by a letter: i inserts, u updates one and U many, r replaces, d deletes one and D many.
func modelsOf(letters string) []options.WriteModel {
	list := make([]options.WriteModel, len(letters))
	for i, letter := range letters {
		list[i] = map[rune]options.WriteModel{
			'i': &options.InsertOneModel{Document: bson.Doc("_id", int32(i))},
			'u': &options.UpdateOneModel{Filter: all, Update: set},
			'U': &options.UpdateManyModel{Filter: all, Update: set},
			'r': &options.ReplaceOneModel{Filter: all, Replacement: all},
			'd': &options.DeleteOneModel{Filter: all},
			'D': &options.DeleteManyModel{Filter: all},
		}[letter]
	}
	return list
}

// describe returns each group as its command, the places of its writes, and "once" if the command is never sent again.
func describe(groups []Group) string {
	var parts []string
	for i := range groups {
		g := &groups[i]
		part := commandOf(g.Kind)
		for item := range g.Cmd.Items() {
			part += fmt.Sprint(" ", g.Position(item))
		}
		if g.Cmd.Meta().Retry == command.RetryNone {
			part += " once"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		models    string
		ordered   string
		unordered string
	}{
		{"i", "insert 0", "insert 0"},
		{"iii", "insert 0 1 2", "insert 0 1 2"},
		{"udi", "update 0; delete 1; insert 2", "insert 2; update 0; delete 1"},
		{"iuiu", "insert 0; update 1; insert 2; update 3", "insert 0 2; update 1 3"},
		{"urddi", "update 0 1; delete 2 3; insert 4", "insert 4; update 0 1; delete 2 3"},
		{"uUdD", "update 0 1 once; delete 2 3 once", "update 0 1 once; delete 2 3 once"},
		{"Uiu", "update 0 once; insert 1; update 2", "insert 1; update 0 2 once"},
		{"dDid", "delete 0 1 once; insert 2; delete 3", "insert 2; delete 0 1 3 once"},
	} {
		for _, ordered := range []bool{true, false} {
			want := tt.ordered
			if !ordered {
				want = tt.unordered
			}
			s := Splitter{Collection: "c", Options: &options.BulkWrite{}}
			groups, err := s.Split(modelsOf(tt.models), ordered)
			if got := describe(groups); got != want || err != nil {
				t.Errorf("%s, ordered %v: %s, %v, want %s", tt.models, ordered, got, err, want)
			}
			for i := range groups {
				for item, id := range groups[i].IDs {
					if id != int32(groups[i].Position(item)) {
						t.Errorf("%s, ordered %v: write %d has the _id %v", tt.models, ordered, groups[i].Position(item), id)
					}
				}
				if inserts := groups[i].Kind == encode.Inserts; inserts != (len(groups[i].IDs) == groups[i].Cmd.Items()) {
					t.Errorf("%s, ordered %v: %d _ids in a group of kind %d", tt.models, ordered, len(groups[i].IDs), groups[i].Kind)
				}
			}
		}
	}
}

// An error names the model by its place in the program's list.
func TestSplitRefuses(t *testing.T) {
	const nilDocument = "mongo: model 2: the document is nil: pass bson.D{} for an empty one"
	models := append(modelsOf("ud"), &options.InsertOneModel{})
	for _, ordered := range []bool{true, false} {
		if _, err := new(Splitter).Split(models, ordered); err == nil || err.Error() != nilDocument {
			t.Errorf("ordered %v: %v, want %s", ordered, err, nilDocument)
		}
	}
	const nilModel = "mongo: model 1: the model is nil: pass a pointer to one of the models"
	if _, err := new(Splitter).Split([]options.WriteModel{models[0], nil}, true); err == nil || err.Error() != nilModel {
		t.Errorf("%v, want %s", err, nilModel)
	}
}

// A message may be retried if none of its own statements changes several documents.
func TestRetryableItems(t *testing.T) {
	for models, want := range map[string][]bool{ // of the messages with two statements
		"uUrr": {false, false, true},
		"ddDd": {true, false, false},
	} {
		groups, err := new(Splitter).Split(modelsOf(models), true)
		if err != nil {
			t.Fatal(err)
		}
		batch := groups[0].Cmd.(interface{ RetryableItems(from, n int) bool })
		for from, may := range want {
			if got := batch.RetryableItems(from, 2); got != may {
				t.Errorf("%s, from %d: %v", models, from, got)
			}
		}
		if batch.RetryableItems(0, len(models)) || !batch.RetryableItems(0, 1) || !batch.RetryableItems(len(models)-1, 1) {
			t.Errorf("%s: all may be retried, or the first or last may not", models)
		}
	}
}
