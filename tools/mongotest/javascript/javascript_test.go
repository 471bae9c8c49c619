package javascript_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/javascript"
)

// startShop returns a database with the collection sales on a deployment that runs JavaScript.
func startShop(t *testing.T, opts ...mongotest.Option) *mongo.Database {
	t.Helper()
	d := mongotest.Start(t, append(opts, mongotest.InMemory(), javascript.Enable())...)
	client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{Dialer: d.Dialer()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	db := client.Database("shop")
	documents := []bson.D{
		bson.Doc("_id", 1, "what", "tea", "n", int32(2), "price", 1.5, "big", int64(1)<<60),
		bson.Doc("_id", 2, "what", "jam", "n", int32(5), "price", 4.0, "when", time.UnixMilli(86400000)),
		bson.Doc("_id", 3, "what", "tea", "n", int32(3), "price", 1.0, "tags", bson.A{"green", bson.Doc("a", nil)}),
	}
	if _, err := db.Collection("sales").InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestWhere(t *testing.T) {
	db := startShop(t)
	for _, tt := range []struct {
		name  string
		where any
		want  string // the _ids
	}{
		{"an expression", "this.n > 2", "2 3"},
		{"obj", "obj.what == 'tea'", "1 3"},
		{"a body", "var x = this.price; return x == 4", "2"},
		{"a body that ends with an expression", "var x = 4; this.price == x", "2"},
		{"a body with a comment", "this.n == 3 // tea\n", "3"},
		{"a body with a declaration", "const {n} = this; n == 3;", "3"},
		{"a body with a condition", "if (this.n == 3) { return true }", "3"},
		{"an arrow without braces", "() => obj.n == 3", "3"},
		{"a named function", "function f() { return this.n == 3 }", "3"},
		{"what a shell has", "isNumber(this.n) && isString(this.what) && hex_md5('a') == '0cc175b9c0f1b6a831c399e269772661'", "1 2 3"},
		{"a function", "function() { return this.tags && this.tags.length == 2 }", "3"},
		{"an arrow", "() => true", "1 2 3"},
		{"code", bson.JavaScript("this.n % 2 == 1"), "2 3"},
		{"an empty text is false", "''", ""},
		{"NaN is false", "0/0", ""},
		{"a long calculates", "this.big > 1e18", "1"},
		{"a date", "this.when && this.when.getUTCDate() == 2", "2"},
		{"an ObjectId", "ObjectId('0123456789abcdef01234567').str.length == 24", "1 2 3"},
		{"Array.sum", "Array.sum([1, 2, this.n]) == 5", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cursor, err := db.Collection("sales").Find(t.Context(), bson.Doc("$where", tt.where), &options.Find{Sort: bson.Doc("_id", 1)})
			if err != nil {
				t.Fatal(err)
			}
			found, err := mongo.All[struct {
				ID int `bson:"_id"`
			}](t.Context(), cursor)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, f := range found {
				ids = append(ids, string(rune('0'+f.ID)))
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

func TestExpressions(t *testing.T) {
	db := startShop(t)
	function := func(body string, args ...any) bson.D {
		return bson.Doc("$function", bson.Doc("body", body, "args", append(bson.A{}, args...), "lang", "js"))
	}
	for _, tt := range []struct {
		name string
		e    bson.D
		want any
	}{
		{"a number", function("function(a, b) { return a * b }", "$n", "$price"), 3.0},
		{"a text", function("function(a) { return a.toUpperCase() }", "$what"), "TEA"},
		{"a document", function("function(a) { return {a: a, list: [1, null]} }", "$what"), bson.Doc("a", "tea", "list", bson.A{1.0, nil})},
		{"a long stays one", function("function(a) { return a }", "$big"), int64(1) << 60},
		{"NumberLong", function("function() { return NumberLong('9007199254740993') }"), int64(9007199254740993)},
		{"NumberInt", function("function() { return NumberInt(7.9) }"), int32(7)},
		{"undefined becomes null", function("function() {}"), nil},
		{"a missing argument", function("function(a) { return typeof a }", "$none"), "undefined"},
		{"a constant expression is called too", function("() => true"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pipeline := []bson.D{bson.Doc("$match", bson.Doc("_id", 1)), bson.Doc("$project", bson.Doc("_id", 0, "v", tt.e))}
			cursor, err := db.Collection("sales").Aggregate(t.Context(), pipeline)
			if err != nil {
				t.Fatal(err)
			}
			list, err := mongo.All[bson.Raw](t.Context(), cursor)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := bson.Marshal(bson.Doc("v", tt.want))
			if string(list[0]) != string(want) && !(tt.want == nil && list[0].Lookup("v").Type.String() == "undefined") {
				t.Errorf("got %s, want %s", list[0], bson.Raw(want))
			}
		})
	}
}

func TestAccumulator(t *testing.T) {
	db := startShop(t)
	group := bson.Doc("$group", bson.Doc("_id", "$what", "sum", bson.Doc("$accumulator", bson.Doc(
		"init", "function(start) { return {n: start, sum: 0} }", "initArgs", bson.A{100},
		"accumulate", "function(s, n) { return {n: s.n + 1, sum: s.sum + n} }", "accumulateArgs", bson.A{"$n"},
		"merge", "function(a, b) { return a }", "finalize", "function(s) { return s.n + ':' + s.sum }", "lang", "js",
	))))
	cursor, err := db.Collection("sales").Aggregate(t.Context(), []bson.D{group, bson.Doc("$sort", bson.Doc("_id", 1))})
	if err != nil {
		t.Fatal(err)
	}
	got, err := mongo.All[struct {
		ID  string `bson:"_id"`
		Sum string `bson:"sum"`
	}](t.Context(), cursor)
	if err != nil || len(got) != 2 || got[0].Sum != "101:5" || got[1].Sum != "102:5" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestMapReduce(t *testing.T) {
	const mapper, reducer = "function() { emit(this.what, this.n) }", "function(key, values) { return Array.sum(values) }"
	type pair struct {
		ID    string  `bson:"_id"`
		Value float64 `bson:"value"`
	}
	db := startShop(t)
	sales := db.Collection("sales")
	stored := func(name string) []pair {
		cursor, err := db.Collection(name).Find(t.Context(), bson.D{}, &options.Find{Sort: bson.Doc("_id", 1)})
		if err != nil {
			t.Fatal(err)
		}
		list, err := mongo.All[pair](t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if _, err := db.Collection("sums").InsertMany(t.Context(), []pair{{"milk", 1}, {"tea", 10}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		out     any
		options options.MapReduce
		inline  []pair
		stored  []pair
	}{
		{name: "inline", inline: []pair{{"jam", 5}, {"tea", 5}}},
		{name: "a query", options: options.MapReduce{Query: bson.Doc("_id", bson.Doc("$lt", 2))}, inline: []pair{{"tea", 2}}},
		{name: "sort and limit", options: options.MapReduce{Sort: bson.Doc("_id", -1), Limit: new(int64(1))}, inline: []pair{{"tea", 3}}},
		{name: "finalize with a scope", options: options.MapReduce{
			Finalize: bson.JavaScript("function(key, value) { return value * factor }"), Scope: bson.Doc("factor", 2),
		}, inline: []pair{{"jam", 10}, {"tea", 10}}},
		{name: "reduce", out: bson.Doc("reduce", "sums"), stored: []pair{{"jam", 5}, {"milk", 1}, {"tea", 15}}},
		{name: "merge", out: bson.Doc("merge", "sums"), stored: []pair{{"jam", 5}, {"milk", 1}, {"tea", 5}}},
		{name: "replace", out: "sums", stored: []pair{{"jam", 5}, {"tea", 5}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cursor, err := sales.MapReduce(t.Context(), mapper, reducer, tt.out, &tt.options) //lint:ignore SA1019 it is what is tested
			if err != nil {
				t.Fatal(err)
			}
			got, err := mongo.All[pair](t.Context(), cursor)
			if err != nil || len(got) != len(tt.inline) {
				t.Fatalf("got %v, %v, want %v", got, err, tt.inline)
			}
			for i := range got {
				if got[i] != tt.inline[i] {
					t.Errorf("got %v, want %v", got, tt.inline)
				}
			}
			if tt.stored == nil {
				return
			}
			for i, p := range stored("sums") {
				if i >= len(tt.stored) || p != tt.stored[i] {
					t.Errorf("stored %v, want %v", stored("sums"), tt.stored)
					break
				}
			}
		})
	}
}

func TestFailures(t *testing.T) {
	db := startShop(t)
	for name, where := range map[string]string{
		"a thrown error": "throw 'no'", "a syntax error": "function( {", "an unknown name": "missing.field", "endless recursion": "function f() { return f() }",
	} {
		t.Run(name, func(t *testing.T) {
			err := db.Collection("sales").FindOne(t.Context(), bson.Doc("$where", where)).Err()
			if !mongo.HasErrorCode(err, errcode.JSInterpreterFailure) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The command's time limit ends a loop. It also ends a sleep, which takes virtual time.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, began := startShop(t), time.Now()
		o := &options.FindOne{MaxTime: new(time.Minute)}
		if err := db.Collection("sales").FindOne(t.Context(), bson.Doc("$where", "sleep(3600000)"), o).Err(); !mongo.HasErrorCode(err, errcode.MaxTimeMSExpired) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %v", took)
		}
	})
	db := startShop(t)
	o := &options.FindOne{MaxTime: new(10 * time.Millisecond)}
	if err := db.Collection("sales").FindOne(t.Context(), bson.Doc("$where", "while (true) {} return 1"), o).Err(); !mongo.HasErrorCode(err, errcode.MaxTimeMSExpired) {
		t.Errorf("an endless loop: %v", err)
	}
}

func ExampleEnable() {
	d, err := mongotest.New(javascript.Enable())
	if err != nil {
		panic(err)
	}
	defer d.Close()
}
