package unified

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Unified Test Format, "expectedError".
func TestErrorsOfBulkWrites(t *testing.T) {
	details, err := bson.Marshal(bson.Doc("reason", "none"))
	if err != nil {
		t.Fatal(err)
	}
	failed := mongo.ClientBulkWriteException{
		WriteErrors:        map[int]mongo.WriteError{0: {Code: 1, Message: "a"}, 2: {Code: 2, Message: "b", Details: details}},
		WriteConcernErrors: []mongo.WriteConcernError{{Code: 91, Message: "c"}, {Code: 64, Message: "d", Details: details}},
	}
	none := mongo.ClientBulkWriteException{Err: errors.New("no")}
	for _, tt := range []struct {
		name    string
		want    Error
		err     error
		matches bool
	}{
		{"absent details do not exist",
			Error{WriteErrors: bson.Doc("0", bson.Doc("details", Exists(false)), "2", bson.Doc("details", Exists(true)))}, failed, true},
		{"absent details are unset", Error{WriteErrors: bson.Doc("0", bson.Doc("details", UnsetOr(1)), "2", bson.Doc("code", 2))}, failed, true},
		{"absent details are not null", Error{WriteErrors: bson.Doc("0", bson.Doc("details", nil), "2", bson.D{})}, failed, false},
		{"details that exist", Error{WriteErrors: bson.Doc("0", bson.D{}, "2", bson.Doc("details", Exists(false)))}, failed, false},
		{"absent details of a write concern",
			Error{WriteConcernErrors: []any{bson.Doc("details", Exists(false)), bson.Doc("details", bson.Doc("reason", "none"))}}, failed, true},
		{"no errors of write concerns", Error{WriteConcernErrors: []any{}}, none, true},
		{"some, and there must be none", Error{WriteConcernErrors: []any{}}, failed, false},
		{"the text of the whole", Error{Contains: "NO"}, none, true},
		{"the text of a part is not that of the whole", Error{Contains: "b"}, failed, false},
		{"an error of the whole has no parts", Error{WriteErrors: bson.D{}, WriteConcernErrors: []any{}}, mongo.CommandError{Code: 8}, true},
		{"an error of the whole lacks a part", Error{WriteErrors: bson.Doc("0", bson.D{})}, mongo.CommandError{Code: 8}, false},
		{"too few", Error{WriteConcernErrors: []any{bson.D{}}}, failed, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.want.check(&Result{name: "clientBulkWrite", err: tt.err}); (err == nil) != tt.matches {
				t.Errorf("it matches: %v", err)
			}
		})
	}
}
