package query_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

var bareKey = regexp.MustCompile(`([{,]\s*)([A-Za-z_$][\w.$]*)\s*:`)

// doc reads extended JSON with single quotes and bare keys.
func doc(t testing.TB, s string) bson.Raw {
	t.Helper()
	d, err := bson.ExtJSONToRaw([]byte(bareKey.ReplaceAllString(strings.ReplaceAll(s, "'", `"`), `$1"$2":`)), false)
	if err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return d
}

func TestMatch(t *testing.T) {
	tests := []struct {
		name, filter string
		yes, no      []string
	}{
		{"empty", `{}`, []string{`{}`, `{a:1}`}, nil},
		{"equality across numbers", `{a:1}`, []string{`{a:1}`, `{a:1.0}`, `{a:{$numberLong:'1'}}`, `{a:{$numberDecimal:'1.00'}}`, `{a:[2,1]}`}, []string{`{}`, `{a:'1'}`, `{a:[[1]]}`, `{a:true}`}},
		{"equality of documents", `{a:{b:1,c:2}}`, []string{`{a:{b:1,c:2}}`, `{a:[{b:1,c:2}]}`}, []string{`{a:{c:2,b:1}}`, `{a:{b:1}}`}},
		{"equality of arrays", `{a:[1,2]}`, []string{`{a:[1,2]}`, `{a:[[1,2],3]}`}, []string{`{a:[2,1]}`, `{a:[1,2,3]}`, `{a:1}`}},
		{"null finds missing", `{a:null}`, []string{`{}`, `{a:null}`, `{a:[1,null]}`}, []string{`{a:1}`, `{a:[]}`, `{a:0}`}},
		{"null below a scalar", `{'a.b':null}`, []string{`{}`, `{a:1}`, `{a:{}}`, `{a:[{b:1},{c:1}]}`}, []string{`{a:[]}`, `{a:[1,2]}`, `{a:{b:1}}`}},
		{"$ne", `{a:{$ne:1}}`, []string{`{}`, `{a:2}`, `{a:[2,3]}`}, []string{`{a:1}`, `{a:[1,2]}`}},
		{"$gt stays in its type", `{a:{$gt:5}}`, []string{`{a:6}`, `{a:[1,7]}`, `{a:5.5}`}, []string{`{a:5}`, `{a:'6'}`, `{}`, `{a:null}`, `{a:{$date:'2020-01-01T00:00:00Z'}}`}},
		{"$gte null", `{a:{$gte:null}}`, []string{`{}`, `{a:null}`}, []string{`{a:1}`}},
		{"$lt string", `{a:{$lt:'b'}}`, []string{`{a:'a'}`}, []string{`{a:'b'}`, `{a:1}`}},
		{"NaN equals NaN", `{a:{$gte:{$numberDouble:'NaN'}}}`, []string{`{a:{$numberDouble:'NaN'}}`}, []string{`{a:1}`}},
		{"NaN is not less", `{a:{$lt:5}}`, []string{`{a:1}`}, []string{`{a:{$numberDouble:'NaN'}}`}},
		{"range over an array takes any element", `{a:{$gt:5,$lt:3}}`, []string{`{a:[1,7]}`}, []string{`{a:4}`}},
		{"$in", `{a:{$in:[1,'x',null]}}`, []string{`{a:1}`, `{a:'x'}`, `{}`, `{a:[3,1]}`}, []string{`{a:2}`}},
		{"$in regex", `{a:{$in:[{$regularExpression:{pattern:'^x',options:''}}]}}`, []string{`{a:'xy'}`}, []string{`{a:'yx'}`}},
		{"$nin", `{a:{$nin:[1,2]}}`, []string{`{a:3}`, `{}`}, []string{`{a:1}`, `{a:[5,2]}`}},
		{"$and", `{$and:[{a:1},{b:2}]}`, []string{`{a:1,b:2}`}, []string{`{a:1}`}},
		{"$or", `{$or:[{a:1},{b:2}]}`, []string{`{a:1}`, `{b:2}`}, []string{`{}`}},
		{"$nor", `{$nor:[{a:1},{b:2}]}`, []string{`{}`}, []string{`{a:1}`, `{b:2}`}},
		{"$not", `{a:{$not:{$gt:5}}}`, []string{`{a:5}`, `{}`, `{a:'x'}`}, []string{`{a:6}`, `{a:[1,6]}`}},
		{"$not with two", `{a:{$not:{$gt:5,$lt:10}}}`, []string{`{a:5}`, `{a:11}`}, []string{`{a:6}`}},
		{"$exists", `{a:{$exists:true}}`, []string{`{a:null}`, `{a:[]}`}, []string{`{}`}},
		{"$exists false", `{'a.b':{$exists:false}}`, []string{`{}`, `{a:1}`, `{a:[]}`}, []string{`{a:{b:1}}`, `{a:[{b:1}]}`}},
		{"$type", `{a:{$type:'string'}}`, []string{`{a:'x'}`, `{a:[1,'x']}`}, []string{`{a:1}`, `{}`}},
		{"$type array", `{a:{$type:'array'}}`, []string{`{a:[]}`, `{a:[1]}`}, []string{`{a:1}`}},
		{"$type number", `{a:{$type:['number','bool']}}`, []string{`{a:1}`, `{a:1.5}`, `{a:true}`}, []string{`{a:'1'}`}},
		{"$type code", `{a:{$type:2}}`, []string{`{a:'x'}`}, []string{`{a:1}`}},
		{"$mod", `{a:{$mod:[4,1]}}`, []string{`{a:5}`, `{a:5.7}`, `{a:[2,9]}`}, []string{`{a:4}`, `{a:'5'}`}},
		{"$regex", `{a:{$regex:'^ab',$options:'i'}}`, []string{`{a:'ABc'}`, `{a:['x','abx']}`}, []string{`{a:'xab'}`, `{a:1}`}},
		{"$regex extended", `{a:{$regex:'a b # comment',$options:'x'}}`, []string{`{a:'ab'}`}, []string{`{a:'a b'}`}},
		{"$all", `{a:{$all:[1,2]}}`, []string{`{a:[2,1,3]}`}, []string{`{a:[1]}`, `{a:1}`}},
		{"$all of one scalar", `{a:{$all:[1]}}`, []string{`{a:1}`, `{a:[1]}`}, []string{`{a:2}`}},
		{"$all nested array", `{a:{$all:[[1,2]]}}`, []string{`{a:[1,2]}`, `{a:[[1,2]]}`}, []string{`{a:[2,1]}`}},
		{"$all empty", `{a:{$all:[]}}`, nil, []string{`{a:[]}`, `{a:1}`}},
		{"$all $elemMatch", `{a:{$all:[{$elemMatch:{x:1}},{$elemMatch:{x:2}}]}}`, []string{`{a:[{x:1},{x:2}]}`}, []string{`{a:[{x:1}]}`}},
		{"$elemMatch values", `{a:{$elemMatch:{$gt:5,$lt:8}}}`, []string{`{a:[1,7]}`}, []string{`{a:[1,9]}`, `{a:7}`}},
		{"$elemMatch documents", `{a:{$elemMatch:{x:1,y:2}}}`, []string{`{a:[{x:1,y:2}]}`}, []string{`{a:[{x:1},{y:2}]}`, `{a:{x:1,y:2}}`}},
		{"$size", `{a:{$size:2}}`, []string{`{a:[1,2]}`}, []string{`{a:[1]}`, `{a:2}`, `{a:[[1,2]]}`}},
		{"dotted path", `{'a.b':1}`, []string{`{a:{b:1}}`, `{a:[{b:2},{b:1}]}`, `{a:{b:[1]}}`}, []string{`{a:[[{b:1}]]}`, `{a:1}`}},
		{"array position", `{'a.1':2}`, []string{`{a:[1,2]}`, `{a:{'1':2}}`, `{a:[{'1':2}]}`}, []string{`{a:[2,1]}`}},
		{"position then field", `{'a.0.b':1}`, []string{`{a:[{b:1}]}`}, []string{`{a:[{b:2},{b:1}]}`}},
		{"$bitsAllSet", `{a:{$bitsAllSet:[1,5]}}`, []string{`{a:34}`, `{a:-1}`}, []string{`{a:2}`, `{a:'x'}`}},
		{"$bitsAnyClear", `{a:{$bitsAnyClear:3}}`, []string{`{a:1}`, `{a:0}`}, []string{`{a:3}`}},
		{"$bitsAllClear binary", `{a:{$bitsAllClear:[0,1]}}`, []string{`{a:{$binary:{base64:'/A==',subType:'00'}}}`}, []string{`{a:{$binary:{base64:'/w==',subType:'00'}}}`}},
		{"$bitsAnySet", `{a:{$bitsAnySet:6}}`, []string{`{a:2}`, `{a:4.0}`}, []string{`{a:1}`, `{a:2.5}`}},
		{"$expr", `{$expr:{$gt:['$a','$b']}}`, []string{`{a:2,b:1}`}, []string{`{a:1,b:2}`}},
		{"$comment", `{a:1,$comment:'why'}`, []string{`{a:1}`}, []string{`{a:2}`}},
		{"DBRef", `{a:{$ref:'c',$id:1}}`, []string{`{a:{$ref:'c',$id:1}}`}, []string{`{a:{$ref:'c',$id:2}}`}},
		{"MinKey compares with all types", `{a:{$gt:{$minKey:1}}}`, []string{`{a:1}`, `{a:'x'}`, `{}`}, []string{`{a:{$minKey:1}}`}},
		{"$jsonSchema", `{$jsonSchema:{required:['a'],properties:{a:{bsonType:'int',minimum:3},b:{enum:['x','y']}}}}`, []string{`{a:3}`, `{a:4,b:'x'}`}, []string{`{}`, `{a:2}`, `{a:'x'}`, `{a:3,b:'z'}`}},
		{"$jsonSchema arrays", `{$jsonSchema:{properties:{a:{bsonType:'array',minItems:1,uniqueItems:true,items:{type:'string',pattern:'^x'}}},additionalProperties:false}}`, []string{`{a:['x1','x2']}`}, []string{`{a:[]}`, `{a:['x','x']}`, `{a:['y']}`, `{a:['x'],b:1}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := query.Compile(doc(t, tt.filter), query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for want, list := range map[bool][]string{true: tt.yes, false: tt.no} {
				for _, d := range list {
					if got, err := f.Match(doc(t, d)); got != want || err != nil {
						t.Errorf("%s: %s: got %v, %v, want %v", tt.filter, d, got, err, want)
					}
				}
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		filter string
		code   int32
		text   string
	}{
		{`{a:{$foo:1}}`, 2, `unknown operator: $foo`},
		{`{$foo:1}`, 2, `unknown top level operator: $foo`},
		{`{$or:1}`, 2, `$or must be an array`},
		{`{$or:[]}`, 2, `must be a nonempty array`},
		{`{$and:[1]}`, 2, `entries need to be full objects`},
		{`{a:{$in:1}}`, 2, `$in needs an array`},
		{`{a:{$in:[{$gt:1}]}}`, 2, `cannot nest $ under $in`},
		{`{a:{$not:1}}`, 2, `$not needs a regex or a document`},
		{`{a:{$not:{}}}`, 2, `$not cannot be empty`},
		{`{a:{$mod:[1]}}`, 2, `not enough elements`},
		{`{a:{$mod:[0,1]}}`, 2, `divisor cannot be 0`},
		{`{a:{$all:1}}`, 2, `$all needs an array`},
		{`{a:{$size:-1}}`, 2, `Failed to parse $size. Expected a non-negative number in: $size: -1`},
		{`{a:{$elemMatch:1}}`, 2, `$elemMatch needs an Object`},
		{`{a:{$type:'foo'}}`, 2, `Unknown type name alias: foo`},
		{`{a:{$options:'i'}}`, 2, `$options needs a $regex`},
		{`{a:{$regex:'(?R)'}}`, 51091, `Regular expression is invalid`},
		{`{$where:'1'}`, 2, `$where`},
		{`{$text:{$search:'x'}}`, 2, `$text is not allowed in this context`},
		{`{$jsonSchema:{foo:1}}`, 9, `Unknown $jsonSchema keyword: foo`},
		{`{$expr:{$foo:1}}`, 168, `Unrecognized expression '$foo'`},
		{`{a:{$ne:{$regularExpression:{pattern:'a',options:''}}}}`, 2, `Can't have regex as arg to $ne`},
	}
	for _, tt := range tests {
		_, err := query.Compile(doc(t, tt.filter), query.Options{})
		if err == nil {
			t.Errorf("%s: no error", tt.filter)
			continue
		}
		if e := status.From(err); int32(e.Code) != tt.code || !strings.Contains(e.Message, tt.text) {
			t.Errorf("%s: got %d %s, want %d %s", tt.filter, e.Code, e.Message, tt.code, tt.text)
		}
	}
}

func TestMatchWithCollation(t *testing.T) {
	c, err := collate.New(doc(t, `{locale:'en_US',strength:2}`))
	if err != nil {
		t.Fatal(err)
	}
	f, err := query.Compile(doc(t, `{a:'PING'}`), query.Options{Collation: c})
	if err != nil {
		t.Fatal(err)
	}
	for d, want := range map[string]bool{`{a:'ping'}`: true, `{a:'pINg'}`: true, `{a:'pong'}`: false} {
		if got, _ := f.Match(doc(t, d)); got != want {
			t.Errorf("%s: got %v, want %v", d, got, want)
		}
	}
}

func TestPositionOfTheMatchedElement(t *testing.T) {
	for filter, want := range map[string]int{
		`{a:3}`: 2, `{a:{$elemMatch:{$gt:1}}}`: 1, `{'b.x':2}`: 1, `{c:1}`: -1, `{a:{$gt:2}}`: 2,
	} {
		f, err := query.Compile(doc(t, filter), query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var m query.Match
		if ok, _ := f.Test(&m, doc(t, `{a:[1,2,3],b:[{x:1},{x:2}],c:1}`)); !ok || m.Position != want {
			t.Errorf("%s: matched %v at %d, want %d", filter, ok, m.Position, want)
		}
	}
}

// FuzzCompile feeds any document as a query, and as a document to test: nothing may panic.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{`{}`, `{a:1}`, `{a:{$gt:1,$in:[1]}}`, `{$or:[{a:{$elemMatch:{b:{$all:[1]}}}}]}`, `{$expr:{$eq:['$a',1]}}`, `{$jsonSchema:{required:['a']}}`} {
		f.Add([]byte(doc(f, s)), []byte(doc(f, `{a:[{b:1}]}`)))
	}
	f.Fuzz(func(t *testing.T, filter, d []byte) {
		if bson.Raw(filter).Validate() != nil || bson.Raw(d).Validate() != nil {
			return
		}
		q, err := query.Compile(filter, query.Options{})
		if err != nil {
			return
		}
		_, _ = q.Match(d)
		q.Constraints()
		q.Equalities()
	})
}
