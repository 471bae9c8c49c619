package update_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/update"
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

func apply(t testing.TB, before, u string, position int, insert bool, filters ...string) (bson.Raw, error) {
	t.Helper()
	o := update.Options{Query: query.Options{}}
	for _, f := range filters {
		o.ArrayFilters = append(o.ArrayFilters, doc(t, f))
	}
	compiled, err := update.Compile(doc(t, u), o)
	if err != nil {
		return nil, err
	}
	return compiled.Apply(update.Input{
		Doc: doc(t, before), Position: position, Insert: insert,
		Now: time.UnixMilli(1000), Timestamp: bson.Timestamp{T: 7, I: 8},
	})
}

func TestApply(t *testing.T) {
	tests := []struct {
		name, before, update, after string
		filters                     []string
	}{
		{"$set", `{_id:1,a:1}`, `{$set:{a:2,b:3}}`, `{_id:1,a:2,b:3}`, nil},
		{"$set nested", `{_id:1}`, `{$set:{'a.b.c':1}}`, `{_id:1,a:{b:{c:1}}}`, nil},
		{"$set keeps the place of a field", `{_id:1,a:1,b:2}`, `{$set:{a:9}}`, `{_id:1,a:9,b:2}`, nil},
		{"new fields come in the order of names", `{_id:1}`, `{$set:{b:1,a:2}}`, `{_id:1,a:2,b:1}`, nil},
		{"$set array element", `{a:[1,2]}`, `{$set:{'a.1':5}}`, `{a:[1,5]}`, nil},
		{"$set beyond the array pads", `{a:[1]}`, `{$set:{'a.3':5}}`, `{a:[1,null,null,5]}`, nil},
		{"$set in a document of an array", `{a:[{b:1}]}`, `{$set:{'a.0.c':2}}`, `{a:[{b:1,c:2}]}`, nil},
		{"$setOnInsert is for inserts", `{_id:1}`, `{$setOnInsert:{a:1}}`, `{_id:1}`, nil},
		{"$unset", `{a:1,b:{c:1,d:2}}`, `{$unset:{a:'','b.c':'',x:''}}`, `{b:{d:2}}`, nil},
		{"$unset in an array leaves null", `{a:[1,2]}`, `{$unset:{'a.0':1}}`, `{a:[null,2]}`, nil},
		{"$inc", `{a:1,b:1.5}`, `{$inc:{a:2,b:1,c:5}}`, `{a:3,b:2.5,c:5}`, nil},
		{"$inc int becomes long", `{a:2147483647}`, `{$inc:{a:1}}`, `{a:{$numberLong:'2147483648'}}`, nil},
		{"$inc decimal", `{a:{$numberDecimal:'1.10'}}`, `{$inc:{a:1}}`, `{a:{$numberDecimal:'2.10'}}`, nil},
		{"$mul", `{a:3}`, `{$mul:{a:2.5,b:4}}`, `{a:7.5,b:0}`, nil},
		{"$min and $max", `{a:5,b:5,c:5}`, `{$min:{a:3,b:9},$max:{c:7,d:1}}`, `{a:3,b:5,c:7,d:1}`, nil},
		{"$max across types", `{a:5}`, `{$max:{a:'x'}}`, `{a:'x'}`, nil},
		{"$rename", `{a:1,b:2}`, `{$rename:{a:'c'}}`, `{b:2,c:1}`, nil},
		{"$rename over another", `{a:1,b:2}`, `{$rename:{a:'b'}}`, `{b:1}`, nil},
		{"$rename nested", `{a:{b:1}}`, `{$rename:{'a.b':'x.y'}}`, `{a:{},x:{y:1}}`, nil},
		{"$rename of nothing", `{a:1}`, `{$rename:{z:'y'}}`, `{a:1}`, nil},
		{"$currentDate", `{}`, `{$currentDate:{a:true,b:{$type:'timestamp'}}}`, `{a:{$date:'1970-01-01T00:00:01Z'},b:{$timestamp:{t:7,i:8}}}`, nil},
		{"$bit", `{a:13,b:3}`, `{$bit:{a:{and:10},b:{xor:5},c:{or:4}}}`, `{a:8,b:6,c:4}`, nil},
		{"$push", `{a:[1]}`, `{$push:{a:2,b:3}}`, `{a:[1,2],b:[3]}`, nil},
		{"$push array as one", `{a:[1]}`, `{$push:{a:[2,3]}}`, `{a:[1,[2,3]]}`, nil},
		{"$push $each", `{a:[1]}`, `{$push:{a:{$each:[2,3]}}}`, `{a:[1,2,3]}`, nil},
		{"$push $position", `{a:[1,2]}`, `{$push:{a:{$each:[9],$position:0}}}`, `{a:[9,1,2]}`, nil},
		{"$push negative $position", `{a:[1,2]}`, `{$push:{a:{$each:[9],$position:-1}}}`, `{a:[1,9,2]}`, nil},
		{"$push $slice", `{a:[1,2]}`, `{$push:{a:{$each:[3,4],$slice:-3}}}`, `{a:[2,3,4]}`, nil},
		{"$push $sort", `{a:[3,1]}`, `{$push:{a:{$each:[2],$sort:-1}}}`, `{a:[3,2,1]}`, nil},
		{"$push $sort by field and $slice", `{a:[{x:3},{x:1}]}`, `{$push:{a:{$each:[{x:2}],$sort:{x:1},$slice:2}}}`, `{a:[{x:1},{x:2}]}`, nil},
		{"$addToSet", `{a:[1]}`, `{$addToSet:{a:1,b:2}}`, `{a:[1],b:[2]}`, nil},
		{"$addToSet $each", `{a:[1]}`, `{$addToSet:{a:{$each:[1,2,2]}}}`, `{a:[1,2]}`, nil},
		{"$pop", `{a:[1,2,3],b:[1,2]}`, `{$pop:{a:1,b:-1,c:1}}`, `{a:[1,2],b:[2]}`, nil},
		{"$pull value", `{a:[1,2,1]}`, `{$pull:{a:1}}`, `{a:[2]}`, nil},
		{"$pull condition", `{a:[1,5,9]}`, `{$pull:{a:{$gte:5}}}`, `{a:[1]}`, nil},
		{"$pull documents", `{a:[{x:1,y:1},{x:2}]}`, `{$pull:{a:{x:1}}}`, `{a:[{x:2}]}`, nil},
		{"$pull $in", `{a:['x','y','z']}`, `{$pull:{a:{$in:['x','z']}}}`, `{a:['y']}`, nil},
		{"$pullAll", `{a:[1,2,3,1]}`, `{$pullAll:{a:[1,3]}}`, `{a:[2]}`, nil},
		{"all positions", `{a:[1,2]}`, `{$inc:{'a.$[]':10}}`, `{a:[11,12]}`, nil},
		{"filtered positions", `{a:[{b:1},{b:5}]}`, `{$set:{'a.$[i].b':0}}`, `{a:[{b:1},{b:0}]}`, []string{`{'i.b':{$gt:2}}`}},
		{"nested filters", `{a:[{b:[1,2]},{b:[3]}]}`, `{$mul:{'a.$[].b.$[n]':10}}`, `{a:[{b:[1,20]},{b:[30]}]}`, []string{`{n:{$gte:2}}`}},
		{"replacement keeps _id", `{_id:1,a:1}`, `{b:2}`, `{_id:1,b:2}`, nil},
		{"replacement with nothing", `{_id:1,a:1}`, `{}`, `{_id:1}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := apply(t, tt.before, tt.update, -1, false, tt.filters...)
			if err != nil {
				t.Fatal(err)
			}
			if want := doc(t, tt.after); got.String() != want.String() {
				t.Errorf("%s on %s\n got %s\nwant %s", tt.update, tt.before, got, want)
			}
		})
	}
}

func TestPositional(t *testing.T) {
	got, err := apply(t, `{a:[1,2,3]}`, `{$set:{'a.$':9}}`, 1, false)
	if want := doc(t, `{a:[1,9,3]}`); err != nil || got.String() != want.String() {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestInsertOnly(t *testing.T) {
	got, err := apply(t, `{_id:1}`, `{$set:{b:2},$setOnInsert:{a:1}}`, -1, true)
	if want := doc(t, `{_id:1,a:1,b:2}`); err != nil || got.String() != want.String() {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestUnchangedDocumentIsTheSame(t *testing.T) {
	before := doc(t, `{_id:1,a:[1,2]}`)
	for _, u := range []string{`{$set:{a:[1,2]}}`, `{$unset:{x:1}}`, `{$addToSet:{a:1}}`, `{$pull:{a:9}}`, `{$min:{'a.0':5}}`} {
		compiled, err := update.Compile(doc(t, u), update.Options{})
		if err != nil {
			t.Fatal(err)
		}
		after, err := compiled.Apply(update.Input{Doc: before, Position: -1})
		if err != nil || &after[0] != &before[0] {
			t.Errorf("%s: got %s, %v", u, after, err)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		before, update string
		code           int32
		text           string
		filters        []string
	}{
		{`{}`, `{$foo:{a:1}}`, 9, `Unknown modifier: $foo. Expected a valid update modifier or pipeline-style update specified as an array`, nil},
		{`{}`, `{$set:1}`, 9, `Modifiers operate on fields but we found type int instead`, nil},
		{`{}`, `{$set:{a:1},$inc:{a:1}}`, 40, `Updating the path 'a' would create a conflict at 'a'`, nil},
		{`{}`, `{$set:{a:1,'a.b':1}}`, 40, `Updating the path 'a.b' would create a conflict at 'a'`, nil},
		{`{}`, `{$set:{'':1}}`, 56, `An empty update path is not valid.`, nil},
		{`{a:1}`, `{$set:{'a.b':1}}`, 28, `Cannot create field 'b' in element {a: 1}`, nil},
		{`{a:[1]}`, `{$set:{'a.b':1}}`, 28, `Cannot create field 'b' in element {a: [ 1 ]}`, nil},
		{`{_id:1,a:'x'}`, `{$inc:{a:1}}`, 14, `Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string`, nil},
		{`{}`, `{$inc:{a:'x'}}`, 14, `Cannot increment with non-numeric argument: {a: "x"}`, nil},
		{`{a:{$numberLong:'9223372036854775807'}}`, `{$inc:{a:1}}`, 2, `Failed to apply $inc operations`, nil},
		{`{_id:1,a:1}`, `{$push:{a:1}}`, 2, `The field 'a' must be an array but is of type int in document {_id: 1}`, nil},
		{`{a:1}`, `{$addToSet:{a:1}}`, 2, `Cannot apply $addToSet to non-array field. Field named 'a' has non-array type int`, nil},
		{`{a:1}`, `{$pop:{a:1}}`, 14, `Path 'a' contains an element of non-array type 'int'`, nil},
		{`{a:[1]}`, `{$pop:{a:2}}`, 9, `$pop expects 1 or -1, found: 2`, nil},
		{`{a:1}`, `{$pull:{a:1}}`, 2, `Cannot apply $pull to a non-array value`, nil},
		{`{}`, `{$pullAll:{a:1}}`, 2, `$pullAll requires an array argument but was given a int`, nil},
		{`{_id:1}`, `{$set:{_id:2}}`, 66, `Performing an update on the path '_id' would modify the immutable field '_id'`, nil},
		{`{_id:1}`, `{_id:2}`, 66, `the (immutable) field '_id' was found to have been altered to _id: 2`, nil},
		{`{a:[1]}`, `{$set:{'a.$':1}}`, 2, `The positional operator did not find the match needed from the query.`, nil},
		{`{a:[1]}`, `{$set:{'a.$[i]':1}}`, 2, `No array filter found for identifier 'i' in path 'a.$[i]'`, nil},
		{`{a:[1]}`, `{$set:{b:1}}`, 9, `The array filter for identifier 'i' was not used in the update`, []string{`{i:1}`}},
		{`{a:[1]}`, `{$set:{'a.$[i]':1}}`, 9, `Found multiple array filters with the same top-level field name i`, []string{`{i:1}`, `{i:2}`}},
		{`{a:1}`, `{$set:{'a.$[]':1}}`, 2, `Cannot apply array updates to non-array element a: 1`, nil},
		{`{}`, `{$set:{'a.$[]':1}}`, 2, `The path 'a' must exist in the document in order to apply array updates.`, nil},
		{`{}`, `{$rename:{a:1}}`, 2, `The 'to' field for $rename must be a string: a: 1`, nil},
		{`{}`, `{$bit:{a:{and:1.5}}}`, 2, `The $bit modifier field must be an Integer(32/64 bit)`, nil},
		{`{}`, `{$currentDate:{a:1}}`, 2, `is not valid type for $currentDate`, nil},
		{`{}`, `{a:1,$set:{b:1}}`, 52, `$set`, nil},
	}
	for _, tt := range tests {
		_, err := apply(t, tt.before, tt.update, -1, false, tt.filters...)
		if err == nil {
			t.Errorf("%s on %s: no error", tt.update, tt.before)
			continue
		}
		if e := status.From(err); int32(e.Code) != tt.code || !strings.Contains(e.Message, tt.text) {
			t.Errorf("%s on %s:\n got %d %s\nwant %d %s", tt.update, tt.before, e.Code, e.Message, tt.code, tt.text)
		}
	}
}

// FuzzApply feeds any update to any document: nothing may panic, and the result must be BSON.
func FuzzApply(f *testing.F) {
	for _, s := range []string{`{$set:{'a.b':1},$push:{c:{$each:[1],$sort:1}}}`, `{$inc:{'a.$[].x':1}}`, `{$rename:{a:'b'}}`, `{$pull:{a:{$gt:1}}}`, `{x:1}`} {
		f.Add([]byte(doc(f, s)), []byte(doc(f, `{_id:1,a:[{x:1}],c:[3,2]}`)))
	}
	f.Fuzz(func(t *testing.T, u, d []byte) {
		if bson.Raw(u).Validate() != nil || bson.Raw(d).Validate() != nil {
			return
		}
		compiled, err := update.Compile(u, update.Options{})
		if err != nil {
			return
		}
		out, err := compiled.Apply(update.Input{Doc: d, Position: 0})
		if err == nil && out.Validate() != nil {
			t.Errorf("invalid result of %s on %s", bson.Raw(u), bson.Raw(d))
		}
	})
}
