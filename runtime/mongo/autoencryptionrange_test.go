package mongo_test

import (
	"fmt"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// Ranges with one end and with two find the same values, in a filter and in an expression.
func TestEncryptedRangesFindTheSame(t *testing.T) {
	s := newEncryptionScene(t)
	query := bson.Doc("queryType", "range", "min", int64(0), "max", int64(99), "contention", int64(0))
	fields := encryptedFields(s.field("n", "long", 0, query))
	client, _ := s.connectEncrypting(t, &options.AutoEncryption{EncryptedFieldsMap: map[string]any{"db.numbers": fields}})
	if err := client.Database("db").CreateCollection(t.Context(), "numbers"); err != nil {
		t.Fatal(err)
	}
	numbers := client.Database("db").Collection("numbers")
	for i := range 10 {
		if _, err := numbers.InsertOne(t.Context(), bson.Doc("_id", i, "n", int64(i*10))); err != nil {
			t.Fatal(err)
		}
	}
	expr := func(operands ...any) bson.D { return bson.Doc("$expr", bson.Doc("$and", bson.A(operands))) }
	compare := func(op string, operands ...any) bson.D { return bson.Doc(op, bson.A(operands)) }
	for _, tt := range []struct {
		name   string
		filter bson.D
		want   string
	}{
		{"filter", bson.Doc("n", bson.Doc("$gt", int64(20), "$lte", int64(50))), "[3 4 5]"},
		{"expression", expr(compare("$gt", "$n", int64(20)), compare("$lte", "$n", int64(50))), "[3 4 5]"},
		{"the upper end first", expr(compare("$lte", "$n", int64(50)), compare("$gt", "$n", int64(20))), "[3 4 5]"},
		{"the path on the right", expr(compare("$lt", int64(20), "$n"), compare("$gte", int64(50), "$n")), "[3 4 5]"},
		{"another operand", expr(compare("$gt", "$n", int64(20)), compare("$ne", "$_id", 4), compare("$lte", "$n", int64(50))), "[3 5]"},
		{"two ranges", expr(compare("$gte", "$n", int64(20)), compare("$gte", "$n", int64(40)), compare("$lte", "$n", int64(50))), "[4 5]"},
		{"an alternative below", expr(compare("$gt", "$n", int64(20)), bson.Doc("$or", bson.A{
			compare("$lt", "$n", int64(40)), compare("$gt", "$n", int64(70))})), "[3 8 9]"},
		{"nothing", expr(compare("$gt", "$n", int64(50)), compare("$lt", "$n", int64(60))), "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ids := []any{}
			for _, d := range documentsOf(t, numbers, tt.filter) {
				ids = append(ids, d[0].Value)
			}
			if got := fmt.Sprint(ids); got != tt.want {
				t.Errorf("found %s, want %s", got, tt.want)
			}
		})
	}
}
