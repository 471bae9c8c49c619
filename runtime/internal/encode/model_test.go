package encode

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// Models belong to the command that carries them out. What no server must see is refused, and names no model: the caller
// knows which one it is.
func TestCheckModel(t *testing.T) {
	const (
		nilModel  = "mongo: the model is nil: pass a pointer to one of the models"
		nilFilter = "mongo: the filter is nil: pass bson.D{} to match all documents"
		nilUpdate = "mongo: the update is nil: pass a document of operators such as $set, or a pipeline"
		unordered = "mongo: "
	)
	all, set, two := bson.D{}, bson.Doc("$set", bson.Doc("x", 1)), bson.M{"a": 1, "b": 1}
	for name, tt := range map[string]struct {
		model options.WriteModel
		kind  Kind
		err   string
	}{
		"insert":               {&options.InsertOneModel{}, Inserts, ""},
		"update one":           {&options.UpdateOneModel{Filter: all, Update: set}, Updates, ""},
		"update many":          {&options.UpdateManyModel{Filter: all, Update: bson.A{set}}, Updates, ""},
		"update by an encoded": {&options.UpdateOneModel{Filter: all, Update: mustEncode(set)}, Updates, ""},
		"update by a struct": {&options.UpdateOneModel{Filter: all, Update: struct {
			Set any `bson:"$set"`
		}{set}}, Updates, ""},
		"replace":                 {&options.ReplaceOneModel{Filter: all, Replacement: point{}}, Updates, ""},
		"replace by nothing":      {&options.ReplaceOneModel{Filter: all, Replacement: bson.D{}}, Updates, ""},
		"delete one":              {&options.DeleteOneModel{Filter: all}, Deletes, ""},
		"delete many":             {&options.DeleteManyModel{Filter: all}, Deletes, ""},
		"nothing":                 {nil, 0, nilModel},
		"no insert":               {(*options.InsertOneModel)(nil), 0, nilModel},
		"no update one":           {(*options.UpdateOneModel)(nil), 0, nilModel},
		"no update many":          {(*options.UpdateManyModel)(nil), 0, nilModel},
		"no replace":              {(*options.ReplaceOneModel)(nil), 0, nilModel},
		"no delete one":           {(*options.DeleteOneModel)(nil), 0, nilModel},
		"no delete many":          {(*options.DeleteManyModel)(nil), 0, nilModel},
		"update without filter":   {&options.UpdateOneModel{Update: set}, Updates, nilFilter},
		"replace without filter":  {&options.ReplaceOneModel{Replacement: all}, Updates, nilFilter},
		"delete without filter":   {&options.DeleteOneModel{}, Deletes, nilFilter},
		"delete many, no filter":  {&options.DeleteManyModel{}, Deletes, nilFilter},
		"a filter of bytes":       {&options.DeleteOneModel{Filter: []byte{5, 0, 0, 0, 0}}, Deletes, "the filter is a []byte: pass a document, or convert the bytes to bson.Raw if they hold one"},
		"without update":          {&options.UpdateManyModel{Filter: all}, Updates, nilUpdate},
		"an empty update":         {&options.UpdateManyModel{Filter: all, Update: all}, Updates, "mongo: the update is empty: pass operators such as $set"},
		"an update by fields":     {&options.UpdateOneModel{Filter: all, Update: bson.Doc("x", 1)}, Updates, "mongo: the update must begin with an operator such as $set: to replace the whole document, use ReplaceOne"},
		"an update that is text":  {&options.UpdateOneModel{Filter: all, Update: "x"}, Updates, "the update is of type string: pass a document or a pipeline"},
		"a broken update":         {&options.UpdateOneModel{Filter: all, Update: bson.Raw{1}}, Updates, "bson: "},
		"without replacement":     {&options.ReplaceOneModel{Filter: all}, Updates, "mongo: the replacement is nil: pass a document"},
		"a replacement of stages": {&options.ReplaceOneModel{Filter: all, Replacement: bson.A{set}}, Updates, "the replacement is of type array: pass a document"},
		"operators replace":       {&options.ReplaceOneModel{Filter: all, Replacement: set}, Updates, "mongo: the replacement must not begin with the operator $set: to apply operators, use UpdateOne"},
		"no replacement at all":   {&options.ReplaceOneModel{Filter: all, Replacement: make(chan int)}, Updates, "bson: "},
		"a map sorts":             {&options.UpdateOneModel{Filter: all, Update: set, Sort: two}, Updates, unordered},
		"a map hints":             {&options.UpdateManyModel{Filter: all, Update: set, Hint: two}, Updates, unordered},
		"a map sorts a replace":   {&options.ReplaceOneModel{Filter: all, Replacement: all, Sort: two}, Updates, unordered},
		"a map hints a delete":    {&options.DeleteOneModel{Filter: all, Hint: two}, Deletes, unordered},
		"a map hints deletes":     {&options.DeleteManyModel{Filter: all, Hint: two}, Deletes, unordered},
	} {
		var e Encoder
		kind, err := e.CheckModel(nil, tt.model)
		if _, ok := errors.AsType[fault.ErrMapForOrderedArgument](err); tt.err == unordered && !ok || tt.err != unordered && !isText(err, tt.err) || kind != tt.kind {
			t.Errorf("%s: kind %d, %q, want %d, %q", name, kind, text(err), tt.kind, tt.err)
		}
	}
}

func TestCheckOrder(t *testing.T) {
	one, two := bson.M{"a": 1}, bson.M{"a": 1, "b": 1}
	for name, tt := range map[string]struct {
		sort, hint, bound any
		refused           string
	}{
		"nothing":         {nil, nil, nil, ""},
		"documents":       {bson.Doc("a", 1, "b", 1), bson.Doc("a", 1, "b", 1), bson.Doc("a", 1, "b", 1), ""},
		"one key":         {one, one, one, ""},
		"a name":          {nil, "a_1", nil, ""},
		"a sort":          {two, nil, nil, "sort"},
		"a sort, typed":   {map[string]int{"a": 1, "b": 1}, nil, nil, "sort"},
		"a hint":          {nil, two, nil, "hint"},
		"a bound":         {nil, nil, two, "bound of an index"},
		"everything":      {two, two, two, "sort"},
		"a hint, a bound": {one, two, two, "hint"},
	} {
		err := CheckOrder(tt.sort, tt.hint, nil, tt.bound)
		refused, _ := errors.AsType[fault.ErrMapForOrderedArgument](err)
		if refused.ParamName != tt.refused || (err != nil) != (tt.refused != "") {
			t.Errorf("%s: %v, want one about %q", name, err, tt.refused)
		}
	}
	const want = `mongo: the sort is a string: pass a document, such as bson.Doc("age", 1), or with -1 to begin with the largest`
	if err := CheckOrder("age", nil); text(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestPipeline(t *testing.T) {
	one, two, match := bson.M{"a": 1}, bson.M{"a": 1, "b": 1}, bson.Doc("$match", bson.D{})
	unordered := fault.ErrMapForOrderedArgument{ParamName: "$sort stage"}.Error()
	for name, tt := range map[string]struct {
		v   any
		err string
	}{
		"stages":                {[]bson.D{match, bson.Doc("$sort", one)}, ""},
		"none":                  {bson.A{}, ""},
		"an empty stage":        {[]bson.D{{}}, ""},
		"an order elsewhere":    {[]bson.D{bson.Doc("$group", two)}, ""},
		"documents":             {[]bson.D{match, bson.Doc("$sort", two)}, unordered},
		"maps":                  {[]bson.M{{"$match": bson.D{}}, {"$sort": two}}, unordered},
		"an array of documents": {bson.A{match, bson.Doc("$sort", two)}, unordered},
		"an array of maps":      {[]any{match, bson.M{"$sort": two}}, unordered},
		"nil":                   {nil, "mongo: the pipeline is nil: pass bson.A{} for one without stages"},
		"a document":            {match, "mongo: the pipeline is of type object: pass a slice of stages, such as mongo.Pipeline{stage}"},
		"a text":                {"x", "mongo: the pipeline is of type string: pass a slice of stages, such as mongo.Pipeline{stage}"},
		"a channel":             {make(chan int), "mongo: the pipeline: "},
	} {
		array, err := Pipeline(nil, tt.v)
		if !isText(err, tt.err) || (err == nil) != (array != nil) {
			t.Errorf("%s: %v, %q, want %q", name, array, text(err), tt.err)
		}
	}
	array, err := Pipeline(nil, []bson.D{match, match})
	if values, _ := array.Values(); err != nil || len(values) != 2 {
		t.Errorf("%v, %v", array, err)
	}
}
