package project_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/project"
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

// useCase is a projection of a document that a query finds: the result, or the code and the text of the error.
type useCase struct {
	name, filter, doc, projection, want string
	wire                                int32 // zero is the newest version
	code                                int32
	text                                string
}

func (c *useCase) find(t *testing.T) (bson.Raw, error) {
	if c.filter == "" {
		c.filter = `{}`
	}
	if c.doc == "" {
		c.doc = `{}`
	}
	scope := &expr.Scope{WireVersion: c.wire}
	f, err := query.Compile(doc(t, c.filter), query.Options{Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.Compile(doc(t, c.projection), project.Options{Filter: f, Scope: scope})
	if err != nil {
		return nil, err
	}
	var m query.Match
	if ok, err := f.Test(&m, doc(t, c.doc)); !ok || err != nil {
		t.Fatalf("the query does not find the document: %v", err)
	}
	return p.Apply(doc(t, c.doc), m.Position)
}

func (c *useCase) stage(t *testing.T) (bson.Raw, error) {
	p, err := project.Compile(doc(t, c.projection), project.Options{Scope: &expr.Scope{WireVersion: c.wire}})
	if err != nil {
		return nil, err
	}
	return p.Apply(doc(t, c.doc), -1)
}

func testProjections(t *testing.T, cases []useCase, run func(*useCase, *testing.T) (bson.Raw, error)) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name+" "+c.projection, func(t *testing.T) {
			got, err := run(&c, t)
			if c.text != "" {
				if err == nil {
					t.Fatalf("no error, but %s", got)
				}
				if e := status.From(err); int32(e.Code) != c.code || e.Message != c.text {
					t.Errorf("\n got %d %s\nwant %d %s", e.Code, e.Message, c.code, c.text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := doc(t, c.want); string(got) != string(want) {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	testProjections(t, []useCase{
		{name: "order of the document", doc: `{_id:1,a:1,b:2,c:3}`, projection: `{c:1,a:1}`, want: `{_id:1,a:1,c:3}`},
		{name: "numbers and booleans", doc: `{_id:1,a:1,b:2,c:3}`, projection: `{a:true,b:0.5,c:{$numberLong:'-1'}}`, want: `{_id:1,a:1,b:2,c:3}`},
		{name: "only _id", doc: `{_id:1,a:1}`, projection: `{_id:1}`, want: `{_id:1}`},
		{name: "all but _id", doc: `{_id:1,a:1}`, projection: `{_id:0}`, want: `{a:1}`},
		{name: "inclusion without _id", doc: `{_id:1,a:1,b:1}`, projection: `{_id:0,a:1}`, want: `{a:1}`},
		{name: "exclusion with _id", doc: `{_id:1,a:1,b:1}`, projection: `{_id:1,a:0}`, want: `{_id:1,b:1}`},
		{name: "exclusion of both", doc: `{_id:1,a:1,b:1}`, projection: `{a:0,_id:0}`, want: `{b:1}`},
		{name: "part of _id", doc: `{_id:{x:1,y:2},a:1}`, projection: `{'_id.x':1}`, want: `{_id:{x:1}}`},
		{name: "missing field", doc: `{_id:1}`, projection: `{a:1}`, want: `{_id:1}`},
		{name: "path through a scalar", doc: `{_id:1,a:5}`, projection: `{'a.b':1}`, want: `{_id:1}`},
		{name: "exclusion through a scalar", doc: `{_id:1,a:5}`, projection: `{'a.b':0}`, want: `{_id:1,a:5}`},
		{name: "path without its end", doc: `{_id:1,a:{c:1}}`, projection: `{'a.b':1}`, want: `{_id:1,a:{}}`},
		{name: "arrays drop what is no document", doc: `{a:[{b:1,c:1},5,{c:2},[{b:3},6]]}`, projection: `{'a.b':1}`, want: `{a:[{b:1},{},[{b:3}]]}`},
		{name: "exclusion in arrays", doc: `{a:[{b:1,c:1},5,[{b:3,d:1}]]}`, projection: `{'a.b':0}`, want: `{a:[{c:1},5,[{d:1}]]}`},
		{name: "positions are names", doc: `{a:[{b:1},{b:2}]}`, projection: `{'a.0':1}`, want: `{a:[{},{}]}`},
		{name: "nested form", doc: `{a:{b:1,c:2,d:{e:1,f:2}}}`, projection: `{a:{b:1,d:{f:1}}}`, want: `{a:{b:1,d:{f:2}}}`},
		{name: "nested form with a path", doc: `{a:{b:{c:1,d:2}}}`, projection: `{'a.b':{d:1}}`, want: `{a:{b:{d:2}}}`},
		{name: "both forms", doc: `{a:{b:1,c:2,d:3}}`, projection: `{a:{b:1},'a.c':1}`, want: `{a:{b:1,c:2}}`},
		{name: "nested exclusion", doc: `{a:{b:1,c:2}}`, projection: `{a:{b:0}}`, want: `{a:{c:2}}`},
		{name: "$slice first", doc: `{_id:1,a:[1,2,3],b:1}`, projection: `{a:{$slice:2}}`, want: `{_id:1,a:[1,2],b:1}`},
		{name: "$slice last", doc: `{a:[1,2,3]}`, projection: `{a:{$slice:-2}}`, want: `{a:[2,3]}`},
		{name: "$slice nothing", doc: `{a:[1]}`, projection: `{a:{$slice:0}}`, want: `{a:[]}`},
		{name: "$slice beyond", doc: `{a:[1]}`, projection: `{a:{$slice:[5,2]}}`, want: `{a:[]}`},
		{name: "$slice far from the end", doc: `{a:[1,2]}`, projection: `{a:{$slice:[-9,1]}}`, want: `{a:[1]}`},
		{name: "$slice of huge numbers", doc: `{a:[1,2]}`, projection: `{a:{$slice:[{$numberLong:'-9223372036854775808'},{$numberLong:'9223372036854775807'}]}}`, want: `{a:[1,2]}`},
		{name: "$slice of what is no array", doc: `{a:5}`, projection: `{a:{$slice:1}}`, want: `{a:5}`},
		{name: "$slice nested", doc: `{a:{b:[1,2],c:1},d:1}`, projection: `{'a.b':{$slice:1}}`, want: `{a:{b:[1],c:1},d:1}`},
		{name: "$slice in documents of an array", doc: `{a:[{b:[1,2]},{b:[3,4]},[{b:[5,6]}]]}`, projection: `{'a.b':{$slice:1}}`, want: `{a:[{b:[1]},{b:[3]},[{b:[5,6]}]]}`},
		{name: "$slice in an inclusion", doc: `{_id:1,a:[1,2],b:1,c:1}`, projection: `{b:1,a:{$slice:1}}`, want: `{_id:1,a:[1],b:1}`},
		{name: "$slice in an exclusion", doc: `{_id:1,a:[1,2],b:1,c:1}`, projection: `{b:0,a:{$slice:1}}`, want: `{_id:1,a:[1],c:1}`},
		{name: "$slice with _id", doc: `{_id:1,a:[1,2],b:1}`, projection: `{_id:1,a:{$slice:1}}`, want: `{_id:1,a:[1]}`},
		{name: "$slice without _id", doc: `{_id:1,a:[1,2],b:1}`, projection: `{_id:0,a:{$slice:1}}`, want: `{a:[1],b:1}`},
		{name: "$slice as an expression", doc: `{_id:1,a:[1,2,3]}`, projection: `{b:{$slice:['$a',1,1]}}`, want: `{_id:1,b:[2]}`},
		{name: "$elemMatch alone", doc: `{_id:1,a:[1,5,9],b:1}`, projection: `{a:{$elemMatch:{$gt:3}}}`, want: `{_id:1,a:[5]}`},
		{name: "$elemMatch comes after what is included", doc: `{_id:1,a:[{x:1},{x:2}],b:1}`, projection: `{a:{$elemMatch:{x:2}},b:1}`, want: `{_id:1,b:1,a:[{x:2}]}`},
		{name: "$elemMatch without _id", doc: `{_id:1,a:[1],b:1}`, projection: `{_id:0,a:{$elemMatch:{$gt:3}}}`, want: `{}`},
		{name: "$elemMatch of what is no array", doc: `{_id:1,a:5}`, projection: `{a:{$elemMatch:{$gt:3}}}`, want: `{_id:1}`},
		{name: "$elemMatch with $slice", doc: `{_id:1,a:[1,5],b:[1,2],c:1}`, projection: `{_id:1,a:{$elemMatch:{$gt:3}},b:{$slice:1}}`, want: `{_id:1,b:[1],a:[5]}`},
		{name: "positional", filter: `{a:{$gt:3}}`, doc: `{_id:1,a:[1,5,9],b:1}`, projection: `{'a.$':1}`, want: `{_id:1,a:[5]}`},
		{name: "positional keeps its place", filter: `{a:5}`, doc: `{_id:1,a:[1,5],b:1}`, projection: `{b:1,'a.$':1}`, want: `{_id:1,a:[5],b:1}`},
		{name: "positional by $elemMatch", filter: `{a:{$elemMatch:{x:1,y:2}}}`, doc: `{a:[{x:1,y:1},{x:1,y:2}]}`, projection: `{'a.$':1}`, want: `{a:[{x:1,y:2}]}`},
		{name: "positional of a nested array", filter: `{'a.b':2}`, doc: `{a:{b:[1,2,3],c:1}}`, projection: `{'a.b.$':1}`, want: `{a:{b:[2]}}`},
		{name: "positional of the first array on the path", filter: `{'a.b':2}`, doc: `{a:[{b:1},{b:2,c:1}]}`, projection: `{'a.b.$':1}`, want: `{a:[{b:2}]}`},
		{name: "positional of an array of the same length", filter: `{x:2}`, doc: `{x:[1,2],a:[8,9]}`, projection: `{'a.$':1}`, want: `{a:[9]}`},
		{name: "positional of what is no array", filter: `{a:5}`, doc: `{_id:1,a:5}`, projection: `{'a.$':1}`, want: `{_id:1,a:5}`},
		{name: "expressions come last, in their order", doc: `{_id:1,a:1,b:2,c:3}`, projection: `{a:{$add:['$a',1]},z:'$c',b:1}`, want: `{_id:1,b:2,a:2,z:3}`},
		{name: "literals", doc: `{_id:1,a:1}`, projection: `{a:'x',b:null,c:['$a',2],d:{$literal:0}}`, want: `{_id:1,a:'x',b:null,c:[1,2],d:0}`},
		{name: "missing values", doc: `{_id:1}`, projection: `{a:'$x',b:'$$REMOVE'}`, want: `{_id:1}`},
		{name: "computed _id", doc: `{_id:1,a:5}`, projection: `{_id:'$a'}`, want: `{_id:5}`},
		{name: "computed below a field", doc: `{_id:1,a:{b:1,c:2},d:1}`, projection: `{'a.x':'$d','a.b':1}`, want: `{_id:1,a:{b:1,x:1}}`},
		{name: "computed below a scalar", doc: `{_id:1,a:5,b:1}`, projection: `{'a.x':'$b',b:1}`, want: `{_id:1,b:1,a:{x:1}}`},
		{name: "computed in an array", doc: `{a:[{b:1},5]}`, projection: `{'a.x':{$literal:1}}`, want: `{a:[{x:1},{x:1}]}`},
		{name: "literals before 4.4", wire: 8, doc: `{_id:1,a:1,b:2,c:3}`, projection: `{a:'x',b:{$slice:1}}`, want: `{_id:1,a:1,b:2}`},
		{name: "positional inside a path before 4.4", wire: 8, filter: `{a:5}`, doc: `{a:[1,5]}`, projection: `{'a.$.x':1}`, want: `{a:[5]}`},
		{name: "the last path counts before 4.4", wire: 8, doc: `{a:{b:1,c:2}}`, projection: `{a:1,'a.b':1}`, want: `{a:{b:1}}`},
	}, (*useCase).find)
}

func TestFindRefusals(t *testing.T) {
	testProjections(t, []useCase{
		{name: "mix", projection: `{a:1,b:0}`, code: 31254, text: "Cannot do exclusion on field b in inclusion projection"},
		{name: "mix", projection: `{a:0,b:1}`, code: 31253, text: "Cannot do inclusion on field b in exclusion projection"},
		{name: "mix below", projection: `{a:{b:1,c:0}}`, code: 31254, text: "Cannot do exclusion on field c in inclusion projection"},
		{name: "part of _id excluded", projection: `{'_id.x':0,a:1}`, code: 31253, text: "Cannot do inclusion on field a in exclusion projection"},
		{name: "expression in an exclusion", projection: `{a:0,b:{$add:[1,2]}}`, code: 31252, text: "Cannot use expression other than $meta in exclusion projection"},
		{name: "exclusion after an expression", projection: `{b:{$add:[1,2]},a:0}`, code: 31254, text: "Cannot do exclusion on field a in inclusion projection"},
		{name: "literal in an exclusion", projection: `{a:0,b:'x'}`, code: 31310, text: `Cannot use an expression b: "x" in an exclusion projection`},
		{name: "child after parent", projection: `{a:1,'a.b':1}`, code: 31249, text: "Path collision at a.b remaining portion b"},
		{name: "grandchild after child", projection: `{'a.b':1,'a.b.c':1}`, code: 31249, text: "Path collision at a.b.c remaining portion b.c"},
		{name: "parent after child", projection: `{'a.b':1,a:1}`, code: 31250, text: "Path collision at a"},
		{name: "twice", projection: `{'a.b':1,a:{b:1}}`, code: 31250, text: "Path collision at b"},
		{name: "empty name", projection: `{'':1}`, code: 40352, text: "FieldPath cannot be constructed with empty string"},
		{name: "dot at the end", projection: `{'a.':1}`, code: 40353, text: "FieldPath must not end with a '.'."},
		{name: "empty component", projection: `{'a..b':1}`, code: 15998, text: "FieldPath field names may not be empty strings."},
		{name: "dollar", projection: `{$a:1}`, code: 16410, text: "FieldPath field names may not start with '$'. Consider using $getField or $setField."},
		{name: "dollar before 5.0", wire: 9, projection: `{'a.$b':1}`, code: 16410, text: "FieldPath field names may not start with '$'."},
		{name: "empty document", wire: 21, projection: `{a:{}}`, code: 51270, text: "An empty sub-projection is not a valid value. Found empty object at path"},
		{name: "unknown expression", projection: `{a:{$foo:1}}`, code: 31325, text: "Unknown expression $foo"},
		{name: "operator beside a field", projection: `{a:{$slice:1,b:1}}`, code: 16410, text: "FieldPath field names may not start with '$'. Consider using $getField or $setField."},
		{name: "$slice by text", projection: `{a:{$slice:'x'}}`, code: 28667, text: `Invalid $slice syntax. The given syntax { $slice: "x" } did not match the find() syntax because :: Location31273: $slice only supports numbers and [skip, limit] arrays :: The given syntax did not match the expression $slice syntax. :: caused by :: Expression $slice takes at least 2 arguments, and at most 3, but 1 were passed in.`},
		{name: "$elemMatch by a number", projection: `{a:{$elemMatch:1}}`, code: 31274, text: "elemMatch: Invalid argument, object required, but got int"},
		{name: "$elemMatch nested", projection: `{'a.b':{$elemMatch:{x:1}}}`, code: 31275, text: "Cannot use $elemMatch projection on a nested field."},
		{name: "$elemMatch nested in a document", projection: `{a:{b:{$elemMatch:{x:1}}}}`, code: 31275, text: "Cannot use $elemMatch projection on a nested field."},
		{name: "$elemMatch with an unknown operator", projection: `{a:{$elemMatch:{$foo:1}}}`, code: 2, text: "unknown operator: $foo"},
		{name: "$elemMatch after positional", filter: `{a:1}`, projection: `{'a.$':1,b:{$elemMatch:{x:1}}}`, code: 31255, text: "Cannot specify positional operator and $elemMatch."},
		{name: "positional after $elemMatch", filter: `{a:1}`, projection: `{b:{$elemMatch:{x:1}},'a.$':1}`, code: 31256, text: "Cannot specify positional operator and $elemMatch."},
		{name: "two positionals", filter: `{a:1}`, projection: `{'a.$':1,'b.$':1}`, code: 31276, text: "Cannot specify more than one positional projection per query."},
		{name: "positional inside", projection: `{'a.$.b':1}`, code: 31394, text: "As of 4.4, it's illegal to specify positional operator in the middle of a path.Positional projection may only be used at the end, for example: a.b.$. If the query previously used a form like a.b.$.d, remove the parts following the '$' and the results will be equivalent."},
		{name: "positional with a document", projection: `{'a.$':{b:1}}`, code: 31271, text: "positional projection cannot be used with an expression or sub object"},
		{name: "positional with a literal", projection: `{'a.$':'x'}`, code: 31308, text: "positional projection cannot be used with a literal"},
		{name: "positional excluded", projection: `{'a.$':0}`, code: 31395, text: "positional projection cannot be used with exclusion"},
		{name: "positional in an exclusion", projection: `{b:0,'a.$':1}`, code: 31253, text: "Cannot do inclusion on field a.$ in exclusion projection"},
		{name: "positional with $expr", filter: `{$expr:true}`, projection: `{'a.$':1}`, code: 224, text: "$expr is not allowed in this context"},
		{name: "positional without a match in an array", filter: `{b:1}`, doc: `{a:[1],b:1}`, projection: `{'a.$':1}`, code: 51246, text: "positional operator '.$' couldn't find a matching element in the array"},
		{name: "positional beyond the array", filter: `{b:2}`, doc: `{a:[1],b:[1,2]}`, projection: `{'a.$':1}`, code: 51247, text: "positional operator '.$' element mismatch"},
		{name: "text score", projection: `{s:{$meta:'textScore'}}`, code: 40218, text: "query requires text score metadata, but it is not available"},
		{name: "unknown metadata", projection: `{s:{$meta:'foo'}}`, code: 17308, text: "Unsupported argument to $meta: foo"},
		{name: "other metadata", projection: `{s:{$meta:'searchScore'}}`, code: 40218, text: `query requires searchScore metadata, but it is not available (mongotest has no Atlas Search)`},
		{name: "mix before 4.4", wire: 8, projection: `{a:1,b:0}`, code: 2, text: "Projection cannot have a mix of inclusion and exclusion."},
		{name: "expression before 4.4", wire: 8, projection: `{a:{$add:[1,2]}}`, code: 2, text: "Unsupported projection option: a: { $add: [ 1, 2 ] }"},
		{name: "several fields before 4.4", wire: 8, projection: `{a:{b:1,c:1}}`, code: 2, text: ">1 field in obj: { b: 1, c: 1 }"},
		{name: "nested document before 4.4", wire: 8, projection: `{a:{b:1}}`, code: 2, text: "Unsupported projection option: a: { b: 1 }"},
		{name: "positional without a condition before 4.4", wire: 8, filter: `{b:1}`, projection: `{'a.$':1}`, code: 2, text: "Positional projection 'a.$' does not match the query document."},
		{name: "$elemMatch nested before 4.4", wire: 8, projection: `{'a.b':{$elemMatch:{x:1}}}`, code: 2, text: "Cannot use $elemMatch projection on a nested field."},
		{name: "$slice before 4.4", wire: 8, projection: `{a:{$slice:[1,0]}}`, code: 2, text: "$slice limit must be positive"},
	}, (*useCase).find)
}

func TestStage(t *testing.T) {
	testProjections(t, []useCase{
		{name: "$slice is the expression", doc: `{_id:1,a:[1,2]}`, projection: `{a:{$slice:['$a',1]}}`, want: `{_id:1,a:[1]}`},
		{name: "_id comes where it is computed", doc: `{_id:1,a:5,b:1}`, projection: `{_id:'$a',b:1}`, want: `{b:1,_id:5}`},
		{name: "$elemMatch", doc: `{}`, projection: `{a:{$elemMatch:{x:1}}}`, code: 168, text: "Cannot use $elemMatch in this context"},
		{name: "positional", doc: `{}`, projection: `{'a.$':1}`, code: 31324, text: "Cannot use positional projection in aggregation projection"},
		{name: "mix before 4.4", wire: 8, doc: `{}`, projection: `{a:1,b:0}`, code: 40178, text: "Bad projection specification, cannot exclude fields other than '_id' in an inclusion projection: { a: 1, b: 0 }"},
		{name: "mix before 4.4", wire: 8, doc: `{}`, projection: `{a:0,b:'$x'}`, code: 40179, text: "Bad projection specification, cannot include fields or add computed fields during an exclusion projection: { a: 0, b: \"$x\" }"},
	}, (*useCase).stage)
}

func TestAddedFields(t *testing.T) {
	testProjections(t, []useCase{
		{name: "new fields come last", doc: `{_id:1,a:1}`, projection: `{c:1,b:'$a'}`, want: `{_id:1,a:1,c:1,b:1}`},
		{name: "fields keep their place", doc: `{_id:1,a:1,b:2}`, projection: `{a:9}`, want: `{_id:1,a:9,b:2}`},
		{name: "numbers are values", doc: `{_id:1}`, projection: `{a:0,b:true}`, want: `{_id:1,a:0,b:true}`},
		{name: "removal", doc: `{_id:1,a:1}`, projection: `{a:'$$REMOVE'}`, want: `{_id:1}`},
		{name: "below a scalar", doc: `{a:5,b:1}`, projection: `{'a.x':1}`, want: `{a:{x:1},b:1}`},
		{name: "in an array", doc: `{a:[{y:1},5]}`, projection: `{'a.x':1}`, want: `{a:[{y:1,x:1},{x:1}]}`},
		{name: "nested form", doc: `{a:{y:1}}`, projection: `{a:{x:{$add:[1,1]},z:3}}`, want: `{a:{y:1,x:2,z:3}}`},
		{name: "empty document", doc: `{a:1}`, projection: `{a:{}}`, want: `{a:{}}`},
		{name: "collision", doc: `{}`, projection: `{a:1,'a.b':1}`, code: 31249, text: "Path collision at a.b remaining portion b"},
		{name: "dollar", doc: `{}`, projection: `{$a:1}`, code: 16410, text: "FieldPath field names may not start with '$'. Consider using $getField or $setField."},
	}, func(c *useCase, t *testing.T) (bson.Raw, error) {
		p, err := project.CompileAdd(doc(t, c.projection), project.Options{})
		if err != nil {
			return nil, err
		}
		return p.Apply(doc(t, c.doc), -1)
	})
}

// FuzzApply projects any document by any specification: nothing may panic, and the result must be BSON.
func FuzzApply(f *testing.F) {
	for _, s := range []string{`{a:1}`, `{'a.b':0,_id:1}`, `{a:{$slice:[1,2]},b:{$elemMatch:{x:1}}}`, `{'a.$':1}`, `{a:{b:'$c',d:{$add:[1,2]}}}`} {
		f.Add([]byte(doc(f, s)), []byte(doc(f, `{_id:1,a:[{b:1},[2]],b:[{x:1}]}`)), int32(0))
	}
	f.Fuzz(func(t *testing.T, spec, d []byte, wire int32) {
		if bson.Raw(spec).Validate() != nil || bson.Raw(d).Validate() != nil {
			return
		}
		scope := &expr.Scope{WireVersion: wire}
		filter, err := query.Compile(bson.Raw{5, 0, 0, 0, 0}, query.Options{Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []project.Options{{Filter: filter, Scope: scope}, {Scope: scope}} {
			p, err := project.Compile(spec, o)
			if err != nil {
				continue
			}
			if out, err := p.Apply(d, 0); err == nil && out.Validate() != nil {
				t.Errorf("invalid result of %s on %s", bson.Raw(spec), bson.Raw(d))
			}
		}
	})
}
