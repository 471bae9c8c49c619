package update_test

import (
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/update"
)

// useCase is an update of a document: what it becomes, or the code and the text of the error.
type useCase struct {
	name, before, update, after string
	filters                     string // arrayFilters
	position                    int    // of the match plus one; zero is none
	insert                      bool
	wire                        int32 // zero is the newest version
	code                        int32
	text                        string
}

func (c *useCase) run(t *testing.T) (bson.Raw, error) {
	o := update.Options{Query: query.Options{Scope: &expr.Scope{WireVersion: c.wire}}}
	if c.filters != "" {
		list, _ := doc(t, `{f:`+c.filters+`}`).Lookup("f").ArrayOK()
		for _, f := range list.All() {
			d, _ := f.DocumentOK()
			o.ArrayFilters = append(o.ArrayFilters, d)
		}
	}
	u, err := update.Compile(doc(t, c.update), o)
	if err != nil {
		return nil, err
	}
	return u.Apply(update.Input{
		Doc: doc(t, c.before), Position: c.position - 1, Insert: c.insert,
		Now: time.UnixMilli(1000), Timestamp: bson.Timestamp{T: 7, I: 8},
	})
}

func testUpdates(t *testing.T, cases []useCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name+" "+c.update, func(t *testing.T) {
			got, err := c.run(t)
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
			if want := doc(t, c.after); string(got) != string(want) {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

const long = `{$numberLong:'9223372036854775807'}`

func TestFieldOperators(t *testing.T) {
	testUpdates(t, []useCase{
		{name: "new fields in the order of their names", before: `{_id:1,z:1}`, update: `{$set:{b:1,a:1},$inc:{B:1}}`, after: `{_id:1,z:1,B:1,a:1,b:1}`},
		{name: "numeric names by number", before: `{_id:1}`, update: `{$set:{'10':1,'9':1,'1':1}}`, after: `{_id:1,'1':1,'9':1,'10':1}`},
		{name: "numeric names by letters before 5.0", before: `{_id:1}`, update: `{$set:{'10':1,'9':1}}`, wire: 9, after: `{_id:1,'10':1,'9':1}`},
		{name: "nested paths share what they make", before: `{}`, update: `{$set:{'a.c':1,'a.b.d':2,'a.b.c':3}}`, after: `{a:{b:{c:3,d:2},c:1}}`},
		{name: "a numeric name makes a field", before: `{}`, update: `{$set:{'a.0':1}}`, after: `{a:{'0':1}}`},
		{name: "fields of a document at a new position", before: `{a:[]}`, update: `{$set:{'a.1.b.c':1}}`, after: `{a:[null,{b:{c:1}}]}`},
		{name: "$set changes the type", before: `{a:1}`, update: `{$set:{a:1.0}}`, after: `{a:1.0}`},
		{name: "$set a whole array", before: `{a:[1,2]}`, update: `{$set:{a:[]}}`, after: `{a:[]}`},
		{name: "empty operators", before: `{a:1}`, update: `{$set:{},$inc:{}}`, after: `{a:1}`},
		{name: "$setOnInsert", before: `{_id:1}`, update: `{$setOnInsert:{a:1,'b.c':2}}`, insert: true, after: `{_id:1,a:1,b:{c:2}}`},
		{name: "$unset through a scalar", before: `{a:1}`, update: `{$unset:{'a.b':1}}`, after: `{a:1}`},
		{name: "$unset in a document of an array", before: `{a:[{b:1,c:1}]}`, update: `{$unset:{'a.0.b':1}}`, after: `{a:[{c:1}]}`},
		{name: "$unset beyond an array", before: `{a:[1]}`, update: `{$unset:{'a.5':1}}`, after: `{a:[1]}`},
		{name: "$unset with any value", before: `{a:1,b:2}`, update: `{$unset:{a:false}}`, after: `{b:2}`},
		{name: "$inc keeps the wider type", before: `{a:1,b:{$numberLong:'1'},c:1.5,d:1}`, update: `{$inc:{a:{$numberLong:'1'},b:1,c:1,d:{$numberDecimal:'1'}}}`, after: `{a:{$numberLong:'2'},b:{$numberLong:'2'},c:2.5,d:{$numberDecimal:'2'}}`},
		{name: "$inc of an int overflows into a long", before: `{a:-2147483648}`, update: `{$inc:{a:-1}}`, after: `{a:{$numberLong:'-2147483649'}}`},
		{name: "$inc by nothing", before: `{a:1}`, update: `{$inc:{a:0}}`, after: `{a:1}`},
		{name: "$inc by a double", before: `{a:1}`, update: `{$inc:{a:0.0}}`, after: `{a:1.0}`},
		{name: "$mul of nothing takes the type of the factor", before: `{}`, update: `{$mul:{a:{$numberLong:'5'},b:2.5,c:3}}`, after: `{a:{$numberLong:'0'},b:0.0,c:0}`},
		{name: "$mul of ints overflows into a long", before: `{a:2147483647}`, update: `{$mul:{a:2}}`, after: `{a:{$numberLong:'4294967294'}}`},
		{name: "$min and $max order types", before: `{a:null,b:1,c:{$date:'2020-01-01T00:00:00Z'}}`, update: `{$min:{b:null},$max:{a:1,c:'x'}}`, after: `{a:1,b:null,c:{$date:'2020-01-01T00:00:00Z'}}`},
		{name: "$min of an equal number keeps the type", before: `{a:1}`, update: `{$min:{a:1.0}}`, after: `{a:1}`},
		{name: "$currentDate", before: `{}`, update: `{$currentDate:{a:false,b:{$type:'date'},'c.d':{$type:'timestamp'}}}`, after: `{a:{$date:'1970-01-01T00:00:01Z'},b:{$date:'1970-01-01T00:00:01Z'},c:{d:{$timestamp:{t:7,i:8}}}}`},
		{name: "$bit with several operators", before: `{a:12}`, update: `{$bit:{a:{and:10,or:1}}}`, after: `{a:9}`},
		{name: "$bit widens", before: `{a:1}`, update: `{$bit:{a:{or:{$numberLong:'2'}}}}`, after: `{a:{$numberLong:'3'}}`},
		{name: "$rename moves to the end", before: `{a:1,b:2,c:3}`, update: `{$rename:{a:'d'}}`, after: `{b:2,c:3,d:1}`},
		{name: "$rename over a field keeps its place", before: `{a:1,b:2,c:3}`, update: `{$rename:{c:'b'}}`, after: `{a:1,b:3}`},
		{name: "$rename a whole array", before: `{a:[1]}`, update: `{$rename:{a:'b.c'}}`, after: `{b:{c:[1]}}`},
		{name: "$rename among others", before: `{a:1}`, update: `{$rename:{a:'b'},$set:{c:1}}`, after: `{b:1,c:1}`},
		{name: "dollars inside a value", before: `{}`, update: `{$set:{a:{$b:1},'c.$d':2}}`, after: `{a:{$b:1},c:{$d:2}}`},
		{name: "reference", before: `{}`, update: `{$set:{a:{$ref:'c',$id:1}}}`, wire: 9, after: `{a:{$ref:'c',$id:1}}`},
		{name: "_id of an upsert", before: `{a:1}`, update: `{$set:{_id:5}}`, insert: true, after: `{a:1,_id:5}`},
		{name: "part of the _id of an upsert", before: `{}`, update: `{$set:{'_id.x':5}}`, insert: true, after: `{_id:{x:5}}`},
		{name: "the same _id", before: `{_id:1,a:1}`, update: `{$set:{_id:1,a:2}}`, after: `{_id:1,a:2}`},
	})
}

func TestArrayOperators(t *testing.T) {
	testUpdates(t, []useCase{
		{name: "at the position", before: `{a:[1,2]}`, update: `{$push:{a:{$each:[8,9],$position:1}}}`, after: `{a:[1,8,9,2]}`},
		{name: "before the end", before: `{a:[1,2,3]}`, update: `{$push:{a:{$each:[8,9],$position:-2}}}`, after: `{a:[1,8,9,2,3]}`},
		{name: "far before the start", before: `{a:[1]}`, update: `{$push:{a:{$each:[9],$position:-5}}}`, after: `{a:[9,1]}`},
		{name: "far after the end", before: `{a:[1]}`, update: `{$push:{a:{$each:[9],$position:99}}}`, after: `{a:[1,9]}`},
		{name: "slice to nothing", before: `{a:[1]}`, update: `{$push:{a:{$each:[2],$slice:0}}}`, after: `{a:[]}`},
		{name: "slice of the smallest long", before: `{a:[1]}`, update: `{$push:{a:{$each:[2],$slice:{$numberLong:'-9223372036854775808'}}}}`, after: `{a:[1,2]}`},
		{name: "position, then sort, then slice", before: `{a:[3,1]}`, update: `{$push:{a:{$each:[2,0],$position:0,$sort:1,$slice:3}}}`, after: `{a:[0,1,2]}`},
		{name: "sort without values", before: `{a:[3,1,2]}`, update: `{$push:{a:{$each:[],$sort:1}}}`, after: `{a:[1,2,3]}`},
		{name: "sort by two fields, stable", before: `{a:[{x:1,y:2,k:1},{x:1,y:1}]}`, update: `{$push:{a:{$each:[{x:0,y:9},{x:1,y:2,k:2}],$sort:{x:1,y:-1}}}}`, after: `{a:[{x:0,y:9},{x:1,y:2,k:1},{x:1,y:2,k:2},{x:1,y:1}]}`},
		{name: "sort puts what has no such field first", before: `{a:[{x:1},5]}`, update: `{$push:{a:{$each:[{y:1}],$sort:{x:1}}}}`, after: `{a:[5,{y:1},{x:1}]}`},
		{name: "sort by a nested field", before: `{a:[{x:{y:2}},{x:{y:1}}]}`, update: `{$push:{a:{$each:[],$sort:{'x.y':1}}}}`, after: `{a:[{x:{y:1}},{x:{y:2}}]}`},
		{name: "sort takes arrays as they are", before: `{a:[{x:[9,1]},{x:[2]}]}`, update: `{$push:{a:{$each:[],$sort:{x:1}}}}`, after: `{a:[{x:[2]},{x:[9,1]}]}`},
		{name: "sort of mixed types", before: `{a:['x',1,null]}`, update: `{$push:{a:{$each:[true],$sort:-1}}}`, after: `{a:[true,'x',1,null]}`},
		{name: "without $each a document is a value", before: `{a:[]}`, update: `{$push:{a:{$slice:1}}}`, after: `{a:[{$slice:1}]}`},
		{name: "no values make an array", before: `{}`, update: `{$push:{a:{$each:[]}}}`, after: `{a:[]}`},
		{name: "in a document of an array", before: `{a:[{b:[1]}]}`, update: `{$push:{'a.0.b':2}}`, after: `{a:[{b:[1,2]}]}`},
		{name: "set of equal numbers", before: `{a:[1]}`, update: `{$addToSet:{a:{$each:[1.0,{$numberLong:'2'},2]}}}`, after: `{a:[1,{$numberLong:'2'}]}`},
		{name: "set of documents by their order", before: `{a:[{x:1,y:2}]}`, update: `{$addToSet:{a:{$each:[{x:1,y:2},{y:2,x:1}]}}}`, after: `{a:[{x:1,y:2},{y:2,x:1}]}`},
		{name: "an array as one member", before: `{a:[1]}`, update: `{$addToSet:{a:[1]}}`, after: `{a:[1,[1]]}`},
		{name: "$each that does not come first is a value", before: `{}`, update: `{$addToSet:{a:{x:1,$each:[1]}}}`, after: `{a:[{x:1,$each:[1]}]}`},
		{name: "pop of nothing", before: `{a:[]}`, update: `{$pop:{a:1,b:-1,'c.d':1}}`, after: `{a:[]}`},
		{name: "pull equal numbers", before: `{a:[1,2,1.0]}`, update: `{$pull:{a:{$numberLong:'1'}}}`, after: `{a:[2]}`},
		{name: "pull arrays exactly", before: `{a:[[1,2],[2,1],1]}`, update: `{$pull:{a:[1,2]}}`, after: `{a:[[2,1],1]}`},
		{name: "pull null", before: `{a:[null,1]}`, update: `{$pull:{a:null}}`, after: `{a:[1]}`},
		{name: "pull documents that match", before: `{a:[{x:1,y:1},{x:1,y:5},7]}`, update: `{$pull:{a:{x:1,y:{$gt:2}}}}`, after: `{a:[{x:1,y:1},7]}`},
		{name: "pull documents by a path", before: `{a:[{b:[{c:1}]},{b:[{c:2}]}]}`, update: `{$pull:{a:{'b.c':2}}}`, after: `{a:[{b:[{c:1}]}]}`},
		{name: "pull with $or", before: `{a:[{x:1},{y:2},{z:3}]}`, update: `{$pull:{a:{$or:[{x:1},{y:2}]}}}`, after: `{a:[{z:3}]}`},
		{name: "pull with $elemMatch", before: `{a:[{r:[{q:1,n:5}]},{r:[{q:1,n:9}]}]}`, update: `{$pull:{a:{r:{$elemMatch:{q:1,n:{$gte:8}}}}}}`, after: `{a:[{r:[{q:1,n:5}]}]}`},
		{name: "pull with a pattern", before: `{a:['x1','y']}`, update: `{$pull:{a:{$regularExpression:{pattern:'^x',options:''}}}}`, after: `{a:['y']}`},
		{name: "pull $in with a pattern", before: `{a:['x1','y','z']}`, update: `{$pull:{a:{$in:[{$regularExpression:{pattern:'^x',options:''}},'z']}}}`, after: `{a:['y']}`},
		{name: "pull $exists", before: `{a:[1,null]}`, update: `{$pull:{a:{$exists:true}}}`, after: `{a:[]}`},
		{name: "pull all documents", before: `{a:[{x:1},1,{}]}`, update: `{$pull:{a:{}}}`, after: `{a:[1]}`},
		{name: "pullAll", before: `{a:[1,{x:1,y:2},{y:2,x:1},2.0]}`, update: `{$pullAll:{a:[2,{x:1,y:2}]}}`, after: `{a:[1,{y:2,x:1}]}`},
		{name: "pull from nothing", before: `{}`, update: `{$pull:{a:1},$pullAll:{b:[1]}}`, after: `{}`},
	})
}

func TestPositions(t *testing.T) {
	testUpdates(t, []useCase{
		{name: "below the matched element", before: `{a:[{b:1},{b:2}]}`, update: `{$inc:{'a.$.b':5}}`, position: 2, after: `{a:[{b:1},{b:7}]}`},
		{name: "remove the matched element", before: `{a:[1,2]}`, update: `{$unset:{'a.$':1}}`, position: 1, after: `{a:[null,2]}`},
		{name: "several fields of the matched element", before: `{a:[{}]}`, update: `{$set:{'a.$.y':1,'a.$.x':2}}`, position: 1, after: `{a:[{x:2,y:1}]}`},
		{name: "all elements of all arrays", before: `{a:[{b:[1]},{b:[2,3]}]}`, update: `{$inc:{'a.$[].b.$[]':1}}`, after: `{a:[{b:[2]},{b:[3,4]}]}`},
		{name: "no elements", before: `{a:[]}`, update: `{$set:{'a.$[]':1}}`, after: `{a:[]}`},
		{name: "array in an array", before: `{a:[[1,2],[3]]}`, update: `{$mul:{'a.$[].$[x]':10}}`, filters: `[{x:{$gte:2}}]`, after: `{a:[[1,20],[30]]}`},
		{name: "two filters", before: `{a:[{k:1,b:[1,5]},{k:2,b:[1,5]}]}`, update: `{$set:{'a.$[x].b.$[y]':0}}`, filters: `[{'x.k':2},{y:{$gt:3}}]`, after: `{a:[{k:1,b:[1,5]},{k:2,b:[1,0]}]}`},
		{name: "filter with $or", before: `{a:[1,2,3]}`, update: `{$set:{'a.$[x]':0}}`, filters: `[{$or:[{x:1},{x:{$gt:2}}]}]`, after: `{a:[0,2,0]}`},
		{name: "filter on documents", before: `{a:[{g:80,m:75},{g:85,m:90}]}`, update: `{$set:{'a.$[e].m':100}}`, filters: `[{'e.g':{$gte:85},'e.m':{$lt:95}}]`, after: `{a:[{g:80,m:75},{g:85,m:100}]}`},
		{name: "filter that nothing passes", before: `{a:[1]}`, update: `{$set:{'a.$[x]':0}}`, filters: `[{x:5}]`, after: `{a:[1]}`},
		{name: "two filters on one array", before: `{a:[{x:1},{x:2}]}`, update: `{$set:{'a.$[i].p':1,'a.$[j].q':1}}`, filters: `[{'i.x':1},{'j.x':{$gte:1}}]`, after: `{a:[{x:1,p:1,q:1},{x:2,q:1}]}`},
		{name: "$push at all positions", before: `{a:[[1],[2]]}`, update: `{$push:{'a.$[]':9}}`, after: `{a:[[1,9],[2,9]]}`},
		{name: "a path with the matched element and a filter", before: `{a:[{b:[1,2]}]}`, update: `{$inc:{'a.$.b.$[x]':1}}`, position: 1, filters: `[{x:2}]`, after: `{a:[{b:[1,3]}]}`},
		{name: "unmatched", before: `{a:[1]}`, update: `{$set:{'a.$':1}}`, code: 2, text: "The positional operator did not find the match needed from the query."},
		{name: "twice", before: `{}`, update: `{$set:{'a.$.b.$':1}}`, code: 2, text: "Too many positional (i.e. '$') elements found in path 'a.$.b.$'"},
		{name: "first", before: `{}`, update: `{$set:{'$.a':1}}`, code: 2, text: "Cannot have positional (i.e. '$') element in the first position in path '$.a'"},
		{name: "all first", before: `{}`, update: `{$set:{'$[].a':1}}`, code: 2, text: "Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '$[].a'"},
		{name: "no filter", before: `{a:[1]}`, update: `{$set:{'a.$[x]':1}}`, code: 2, text: "No array filter found for identifier 'x' in path 'a.$[x]'"},
		{name: "unused filter", before: `{}`, update: `{$set:{a:1}}`, filters: `[{x:1}]`, code: 9, text: "The array filter for identifier 'x' was not used in the update { $set: { a: 1 } }"},
		{name: "one identifier twice", before: `{}`, update: `{$set:{'a.$[x]':1}}`, filters: `[{x:1},{x:2}]`, code: 9, text: "Found multiple array filters with the same top-level field name x"},
		{name: "two identifiers in one filter", before: `{}`, update: `{$set:{'a.$[x]':1}}`, filters: `[{x:1,y:2}]`, code: 9, text: "Error parsing array filter :: caused by :: Expected a single top-level field name, found 'x' and 'y'"},
		{name: "identifier in capitals", before: `{}`, update: `{$set:{'a.$[X]':1}}`, filters: `[{X:1}]`, code: 2, text: "Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found 'X'"},
		{name: "empty filter", before: `{}`, update: `{$set:{'a.$[x]':1}}`, filters: `[{}]`, code: 9, text: "Cannot use an expression without a top-level field name in arrayFilters"},
		{name: "$expr in a filter", before: `{}`, update: `{$set:{'a.$[x]':1}}`, filters: `[{$expr:true}]`, code: 224, text: "Error parsing array filter :: caused by :: $expr is not allowed in this context"},
		{name: "filters of a replacement", before: `{}`, update: `{a:1}`, filters: `[{x:1}]`, code: 9, text: "arrayFilters may not be specified for replacement-syle updates"},
		{name: "not an array", before: `{a:{b:1}}`, update: `{$set:{'a.b.$[]':1}}`, code: 2, text: "Cannot apply array updates to non-array element b: 1"},
		{name: "missing array", before: `{a:{}}`, update: `{$set:{'a.b.$[]':1}}`, code: 2, text: "The path 'a.b' must exist in the document in order to apply array updates."},
		{name: "filters that meet", before: `{a:[0]}`, update: `{$set:{'a.$[i]':1,'a.$[j]':2}}`, filters: `[{i:0},{j:0}]`, code: 40, text: "Update created a conflict at 'a.0'"},
		{name: "matched element and a position", before: `{a:[1,2]}`, update: `{$set:{'a.$':1,'a.1':2}}`, position: 2, code: 40, text: "Update created a conflict at 'a.1'"},
	})
}

func TestUpdateConflictsAndRefusals(t *testing.T) {
	testUpdates(t, []useCase{
		{name: "same field", before: `{}`, update: `{$set:{a:1},$unset:{a:1}}`, code: 40, text: "Updating the path 'a' would create a conflict at 'a'"},
		{name: "parent after child", before: `{}`, update: `{$set:{'a.b':1,a:1}}`, code: 40, text: "Updating the path 'a' would create a conflict at 'a'"},
		{name: "child after parent", before: `{}`, update: `{$set:{'a.b':1},$push:{'a.b.c':1}}`, code: 40, text: "Updating the path 'a.b.c' would create a conflict at 'a.b'"},
		{name: "rename source", before: `{}`, update: `{$rename:{a:'b'},$set:{a:1}}`, code: 40, text: "Updating the path 'a' would create a conflict at 'a'"},
		{name: "rename target", before: `{}`, update: `{$set:{b:1},$rename:{a:'b'}}`, code: 40, text: "Updating the path 'b' would create a conflict at 'b'"},
		{name: "positions and a position", before: `{}`, update: `{$set:{'a.$[]':1,'a.0':1}}`, code: 40, text: "Updating the path 'a.0' would create a conflict at 'a'"},
		{name: "unknown", before: `{}`, update: `{$foo:{a:1}}`, code: 9, text: "Unknown modifier: $foo. Expected a valid update modifier or pipeline-style update specified as an array"},
		{name: "field among operators", before: `{}`, update: `{$set:{a:1},b:1}`, code: 9, text: "Unknown modifier: b. Expected a valid update modifier or pipeline-style update specified as an array"},
		{name: "operand", before: `{}`, update: `{$set:5}`, code: 9, text: "Modifiers operate on fields but we found type int instead. For example: {$mod: {<field>: ...}} not {$set: 5}"},
		{name: "empty before 5.0", before: `{}`, update: `{$set:{}}`, wire: 9, code: 9, text: "'$set' is empty. You must specify a field like so: {$set: {<field>: ...}}"},
		{name: "operator among fields", before: `{}`, update: `{a:1,$set:{b:1}}`, code: 52, text: "The dollar ($) prefixed field '$set' in '$set' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith."},
		{name: "operator among fields before 5.0", before: `{}`, update: `{a:1,$set:{b:1}}`, wire: 9, code: 52, text: "The dollar ($) prefixed field '$set' in '$set' is not valid for storage."},
		{name: "dollar at the top", before: `{}`, update: `{$set:{$a:1}}`, code: 52, text: "The dollar ($) prefixed field '$a' in '$a' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith."},
		{name: "dollar in a path before 5.0", before: `{}`, update: `{$set:{'a.$b':1}}`, wire: 9, code: 52, text: "The dollar ($) prefixed field '$b' in 'a.$b' is not valid for storage."},
		{name: "dollar in a value before 5.0", before: `{}`, update: `{$set:{a:{b:{$c:1}}}}`, wire: 9, code: 52, text: "The dollar ($) prefixed field '$c' in 'a.b.$c' is not valid for storage."},
		{name: "empty path", before: `{}`, update: `{$set:{'':1}}`, code: 56, text: "An empty update path is not valid."},
		{name: "empty component", before: `{}`, update: `{$set:{'a..b':1}}`, code: 56, text: "The update path 'a..b' contains an empty field name, which is not allowed."},
		{name: "below a scalar", before: `{_id:1,a:{b:'x'}}`, update: `{$set:{'a.b.c.d':1}}`, code: 28, text: `Cannot create field 'c' in element {b: "x"}`},
		{name: "below null", before: `{a:null}`, update: `{$inc:{'a.b':1}}`, code: 28, text: "Cannot create field 'b' in element {a: null}"},
		{name: "name in an array", before: `{a:[1]}`, update: `{$push:{'a.x':1}}`, code: 28, text: "Cannot create field 'x' in element {a: [ 1 ]}"},
		{name: "pop below a scalar", before: `{a:1}`, update: `{$pop:{'a.b':1}}`, code: 28, text: "Cannot use the part (b) of (a.b) to traverse the element ({a: 1})"},
		{name: "pull below an array", before: `{a:[1]}`, update: `{$pull:{'a.b.c':1}}`, code: 28, text: "Cannot use the part (b) of (a.b.c) to traverse the element ({a: [ 1 ]})"},
		{name: "far beyond the end", before: `{a:[]}`, update: `{$set:{'a.1500001':1}}`, code: 34, text: "can't backfill more than 1500000 elements"},
		{name: "far too deep", before: `{}`, update: `{$set:{'` + strings.Repeat("a.", 200) + `a':1}}`, code: 15, text: "Document exceeds maximum nesting depth of 200"},
		{name: "change of _id", before: `{_id:1}`, update: `{$set:{_id:2}}`, code: 66, text: "Performing an update on the path '_id' would modify the immutable field '_id'"},
		{name: "change of the type of _id", before: `{_id:1}`, update: `{$set:{_id:1.0}}`, code: 66, text: "Performing an update on the path '_id' would modify the immutable field '_id'"},
		{name: "increment of _id", before: `{_id:1}`, update: `{$inc:{_id:1}}`, code: 66, text: "Performing an update on the path '_id' would modify the immutable field '_id'"},
		{name: "removal of _id", before: `{_id:1}`, update: `{$unset:{_id:1}}`, code: 66, text: "Performing an update on the path '_id' would modify the immutable field '_id'"},
		{name: "part of _id", before: `{_id:{x:1}}`, update: `{$set:{'_id.x':2}}`, code: 66, text: "Performing an update on the path '_id.x' would modify the immutable field '_id'"},
		{name: "new part of _id", before: `{_id:{x:1}}`, update: `{$set:{'_id.y':2}}`, code: 66, text: "Updating the path '_id' to _id: { x: 1, y: 2 } would modify the immutable field '_id'"},
		{name: "_id of an upsert that the query fixed", before: `{_id:1}`, update: `{$set:{_id:2}}`, insert: true, code: 66, text: "Performing an update on the path '_id' would modify the immutable field '_id'"},
		{name: "_id away", before: `{_id:1}`, update: `{$rename:{_id:'a'}}`, code: 66, text: "Unsetting the path '_id' using $rename would modify the immutable field '_id'"},
		{name: "another _id in a replacement", before: `{_id:1}`, update: `{_id:'x'}`, code: 66, text: `After applying the update, the (immutable) field '_id' was found to have been altered to _id: "x"`},
	})
}

func TestOperatorRefusals(t *testing.T) {
	testUpdates(t, []useCase{
		{name: "text", before: `{_id:1,a:{b:'x'}}`, update: `{$inc:{'a.b':1}}`, code: 14, text: "Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'b' of non-numeric type string"},
		{name: "null without _id", before: `{a:null}`, update: `{$mul:{a:1}}`, code: 14, text: "Cannot apply $mul to a value of non-numeric type. {no id} has the field 'a' of non-numeric type null"},
		{name: "by text", before: `{}`, update: `{$inc:{a:'x'}}`, code: 14, text: `Cannot increment with non-numeric argument: {a: "x"}`},
		{name: "by a document", before: `{}`, update: `{$mul:{a:{b:1}}}`, code: 14, text: `Cannot multiply with non-numeric argument: {a: { b: 1 }}`},
		{name: "overflow", before: `{_id:1,a:` + long + `}`, update: `{$inc:{a:1}}`, code: 2, text: "Failed to apply $inc operations to current value ((NumberLong)9223372036854775807) for document {_id: 1}"},
		{name: "overflow", before: `{_id:1,a:` + long + `}`, update: `{$mul:{a:2}}`, code: 2, text: "Failed to apply $mul operations to current value ((NumberLong)9223372036854775807) for document {_id: 1}"},
		{name: "bits of a double", before: `{_id:1,a:1.5}`, update: `{$bit:{a:{and:1}}}`, code: 2, text: "Cannot apply $bit to a value of non-integral type.{_id: 1} has the field a of non-integer type double"},
		{name: "bits without a document", before: `{}`, update: `{$bit:{a:1}}`, code: 2, text: "The $bit modifier is not compatible with a int. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}"},
		{name: "bits by a double", before: `{}`, update: `{$bit:{a:{and:1.5}}}`, code: 2, text: "The $bit modifier field must be an Integer(32/64 bit); a 'double' is not supported here: {and: 1.5}"},
		{name: "unknown bits", before: `{}`, update: `{$bit:{a:{not:1}}}`, code: 2, text: "The $bit modifier only supports 'and', 'or', and 'xor', not 'not' which is an unknown operator: {not: 1}"},
		{name: "no bits", before: `{}`, update: `{$bit:{a:{}}}`, code: 2, text: "You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}"},
		{name: "date", before: `{}`, update: `{$currentDate:{a:1}}`, code: 2, text: "int is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'})."},
		{name: "date type", before: `{}`, update: `{$currentDate:{a:{$type:'x'}}}`, code: 2, text: "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}"},
		{name: "date option", before: `{}`, update: `{$currentDate:{a:{foo:1}}}`, code: 2, text: "Unrecognized $currentDate option: foo"},
		{name: "to what is no name", before: `{}`, update: `{$rename:{a:1}}`, code: 2, text: "The 'to' field for $rename must be a string: a: 1"},
		{name: "to itself", before: `{}`, update: `{$rename:{a:'a'}}`, code: 2, text: `The source and target field for $rename must differ: a: "a"`},
		{name: "below itself", before: `{}`, update: `{$rename:{a:'a.b'}}`, code: 2, text: `The source and target field for $rename must not be on the same path: a: "a.b"`},
		{name: "out of an array", before: `{_id:1,a:[{b:1}]}`, update: `{$rename:{'a.0.b':'c'}}`, code: 2, text: "The source field cannot be an array element, 'a.0.b' in doc with _id: 1 has an array field called 'a'"},
		{name: "into an array", before: `{_id:1,a:1,b:[]}`, update: `{$rename:{a:'b.0'}}`, code: 2, text: "The destination field cannot be an array element, 'b.0' in doc with _id: 1 has an array field called 'b'"},
		{name: "through a scalar", before: `{_id:1,a:1}`, update: `{$rename:{'a.b':'c'}}`, code: 28, text: "cannot use the part (a of a.b) to traverse the element ({a: 1})"},
		{name: "dynamic source", before: `{}`, update: `{$rename:{'a.$':'c'}}`, code: 2, text: "The source field for $rename may not be dynamic: a.$"},
		{name: "dynamic target", before: `{}`, update: `{$rename:{a:'b.$'}}`, code: 2, text: "The destination field for $rename may not be dynamic: b.$"},
		{name: "push to text", before: `{_id:1,a:{b:'x'}}`, update: `{$push:{'a.b':1}}`, code: 2, text: "The field 'a.b' must be an array but is of type string in document {_id: 1}"},
		{name: "each", before: `{}`, update: `{$push:{a:{$each:1}}}`, code: 2, text: "The argument to $each in $push must be an array but it was of type: int"},
		{name: "unknown clause", before: `{}`, update: `{$push:{a:{$each:[],$foo:1}}}`, code: 2, text: "Unrecognized clause in $push: $foo"},
		{name: "slice", before: `{}`, update: `{$push:{a:{$each:[],$slice:'x'}}}`, code: 2, text: "The value for $slice must be an integer value but was given type: string"},
		{name: "position", before: `{}`, update: `{$push:{a:{$each:[],$position:1.5}}}`, code: 2, text: "The value for $position must be an integer value, not of type: double"},
		{name: "sort", before: `{}`, update: `{$push:{a:{$each:[],$sort:2}}}`, code: 2, text: "The $sort element value must be either 1 or -1"},
		{name: "sort by text", before: `{}`, update: `{$push:{a:{$each:[],$sort:'x'}}}`, code: 2, text: "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields"},
		{name: "sort by nothing", before: `{}`, update: `{$push:{a:{$each:[],$sort:{}}}}`, code: 2, text: "The $sort pattern is empty when it should be a set of fields."},
		{name: "sort by an empty name", before: `{}`, update: `{$push:{a:{$each:[],$sort:{'':1}}}}`, code: 2, text: "The $sort field cannot be empty"},
		{name: "sort by an empty part", before: `{}`, update: `{$push:{a:{$each:[],$sort:{'x.':1}}}}`, code: 2, text: "The $sort field is a dotted field but has an empty part: x."},
		{name: "set in text", before: `{a:'x'}`, update: `{$addToSet:{a:1}}`, code: 2, text: "Cannot apply $addToSet to non-array field. Field named 'a' has non-array type string"},
		{name: "set each", before: `{}`, update: `{$addToSet:{a:{$each:1}}}`, code: 14, text: "The argument to $each in $addToSet must be an array but it was of type int"},
		{name: "set after each", before: `{}`, update: `{$addToSet:{a:{$each:[],bad:1}}}`, code: 2, text: "Found unexpected fields after $each in $addToSet: { $each: [], bad: 1 }"},
		{name: "pop", before: `{}`, update: `{$pop:{a:2}}`, code: 9, text: "$pop expects 1 or -1, found: 2"},
		{name: "pop by text", before: `{}`, update: `{$pop:{a:'x'}}`, code: 9, text: `Expected a number in: a: "x"`},
		{name: "pop by a fraction", before: `{}`, update: `{$pop:{a:1.5}}`, code: 9, text: "Expected an integer: a: 1.5"},
		{name: "pop of text", before: `{a:'x'}`, update: `{$pop:{a:1}}`, code: 14, text: "Path 'a' contains an element of non-array type 'string'"},
		{name: "pull from text", before: `{a:'x'}`, update: `{$pull:{a:1}}`, code: 2, text: "Cannot apply $pull to a non-array value"},
		{name: "pull all from text", before: `{a:'x'}`, update: `{$pullAll:{a:[1]}}`, code: 2, text: "Cannot apply $pull to a non-array value"},
		{name: "pull by an unknown operator", before: `{}`, update: `{$pull:{a:{$foo:1}}}`, code: 2, text: "unknown top level operator: $foo. If you have a field name that starts with a '$' symbol, consider using $getField or $setField."},
		{name: "pull by an expression", before: `{}`, update: `{$pull:{a:{$expr:true}}}`, code: 224, text: "$expr is not allowed in this context"},
		{name: "pull all by a scalar", before: `{}`, update: `{$pullAll:{a:1}}`, code: 2, text: "$pullAll requires an array argument but was given a int"},
	})
}

func TestReplacements(t *testing.T) {
	testUpdates(t, []useCase{
		{name: "_id comes first", before: `{_id:1,a:1}`, update: `{b:1,_id:1}`, after: `{_id:1,b:1}`},
		{name: "an equal _id of another type", before: `{_id:1,a:1}`, update: `{_id:1.0,b:1}`, after: `{_id:1.0,b:1}`},
		{name: "empty timestamps at the top are filled in", before: `{_id:1}`, update: `{a:{$timestamp:{t:0,i:0}},b:{c:{$timestamp:{t:0,i:0}}}}`, after: `{_id:1,a:{$timestamp:{t:7,i:8}},b:{c:{$timestamp:{t:0,i:0}}}}`},
		{name: "dollars below the top", before: `{_id:1}`, update: `{a:{$b:1},'x.y':1}`, after: `{_id:1,a:{$b:1},'x.y':1}`},
		{name: "insert", before: `{}`, update: `{a:1}`, insert: true, after: `{a:1}`},
	})
}

func TestSeed(t *testing.T) {
	tests := []struct {
		name, filter, want string
		replacement        bool
		code               int32
		text               string
	}{
		{name: "equality in the order of names", filter: `{b:1,a:{$eq:2},_id:3}`, want: `{_id:3,a:2,b:1}`},
		{name: "what fixes nothing", filter: `{a:{$gt:1},b:{$ne:2},c:{$exists:true},d:{$in:[1,2]},e:{$regex:'x'},f:{$not:{$eq:1}},$or:[{g:1},{h:1}],$nor:[{i:1}],$expr:{$eq:['$j',1]}}`, want: `{}`},
		{name: "$and, $or of one, $all of one, $in of one", filter: `{$and:[{a:1},{b:2}],$or:[{c:3}],d:{$all:[4]},e:{$in:[5,5.0]}}`, want: `{a:1,b:2,c:3,d:4,e:5}`},
		{name: "nested", filter: `{'a.b':1,'a.c.d':2}`, want: `{a:{b:1,c:{d:2}}}`},
		{name: "positions are names", filter: `{'a.0':1}`, want: `{a:{'0':1}}`},
		{name: "whole documents and arrays", filter: `{a:{x:1},b:[1,2],c:null}`, want: `{a:{x:1},b:[1,2],c:null}`},
		{name: "a regular expression as a value", filter: `{a:{$eq:{$regularExpression:{pattern:'x',options:''}}}}`, want: `{a:{$regularExpression:{pattern:'x',options:''}}}`},
		{name: "equality beside a range", filter: `{a:{$eq:5,$gt:1}}`, want: `{a:5}`},
		{name: "only _id for a replacement", filter: `{a:1,_id:2}`, replacement: true, want: `{_id:2}`},
		{name: "twice", filter: `{$and:[{a:1},{a:1}]}`, code: 54, text: "cannot infer query fields to set, path 'a' is matched twice"},
		{name: "$all of two", filter: `{a:{$all:[1,2]}}`, code: 54, text: "cannot infer query fields to set, path 'a' is matched twice"},
		{name: "parent and child", filter: `{a:{b:1},'a.c':1}`, code: 54, text: "cannot infer query fields to set, both paths 'a.c' and 'a' are matched"},
		{name: "part of _id for a replacement", filter: `{'_id.x':1}`, replacement: true, code: 111, text: "field at '_id' must be exactly specified, field at sub-path '_id.x'found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := query.Compile(doc(t, tt.filter), query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := update.Seed(f.Equalities(), tt.replacement)
			switch {
			case tt.text != "":
				if e := status.From(err); e == nil || int32(e.Code) != tt.code || !strings.Contains(e.Message, tt.text) {
					t.Errorf("got %s, %v, want %d %s", got, err, tt.code, tt.text)
				}
			case err != nil || string(got) != string(doc(t, tt.want)):
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}
