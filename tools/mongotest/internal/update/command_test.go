package update_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// run sends commands to a server of its own and returns the reply of the last one.
func run(t *testing.T, wire int32, commands ...string) (reply bson.Raw, err error) {
	t.Helper()
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	e := engine.New(engine.Config{Store: store.New(store.Config{Now: now}), Now: now})
	for _, command := range commands {
		body := doc(t, command)
		first, _ := body.Index(0)
		dst, start := bson.AppendDocumentStart(nil)
		request := &engine.Request{Name: first.Key, DB: "db", Body: body, WireVersion: wire}
		if dst, err = engine.Commands()[first.Key](e, context.Background(), request, dst); err == nil {
			reply = bson.AppendDocumentEnd(dst, start)
		}
	}
	return reply, err
}

// commandCase is an update statement: its counts or its error, and the documents of the collection afterwards.
type commandCase struct {
	name, docs, statement, want string
	n, modified                 int32
	wire                        int32 // zero is 8.0
	code                        int32
	text                        string
}

func testStatements(t *testing.T, tests []commandCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wire := cmp.Or(tt.wire, 25)
			reply, err := run(t, wire, `{insert:'c',documents:[`+tt.docs+`]}`, `{update:'c',updates:[{`+tt.statement+`}]}`)
			if err != nil {
				t.Fatal(err)
			}
			n, _ := reply.Lookup("n").Int32OK()
			modified, _ := reply.Lookup("nModified").Int32OK()
			failure, _ := reply.Lookup("writeErrors", "0").DocumentOK()
			code, _ := failure.Lookup("code").Int32OK()
			text, _ := failure.Lookup("errmsg").StringOK()
			if n != tt.n || modified != tt.modified || code != tt.code || !strings.HasSuffix(text, tt.text) {
				t.Errorf("got %s", reply)
			}
			after, err := run(t, wire, `{insert:'c',documents:[`+tt.docs+`]}`, `{update:'c',updates:[{`+tt.statement+`}]}`, `{find:'c',sort:{_id:1}}`)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := after.Lookup("cursor", "firstBatch").String(), doc(t, `{a:[`+tt.want+`]}`).Lookup("a").String(); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestUpdateCommand(t *testing.T) {
	testStatements(t, []commandCase{
		{name: "the matched element", docs: `{_id:1,a:[1,5,9]}`, statement: `q:{a:{$gt:4}},u:{$set:{'a.$':0}}`, n: 1, modified: 1, want: `{_id:1,a:[1,0,9]}`},
		{name: "the matched element below an array", docs: `{_id:1,a:[{b:[1]},{b:[2,3]}]}`, statement: `q:{'a.b':3},u:{$set:{'a.$.c':1}}`, n: 1, modified: 1, want: `{_id:1,a:[{b:[1]},{b:[2,3],c:1}]}`},
		{name: "an element below $or on one field", docs: `{_id:1,a:[1,2]}`, statement: `q:{$or:[{a:2},{a:3}]},u:{$set:{'a.$':0}}`, n: 1, modified: 1, want: `{_id:1,a:[1,0]}`},
		{name: "no element below $or", docs: `{_id:1,a:[1,2]}`, statement: `q:{$or:[{a:2},{b:3}]},u:{$set:{'a.$':0}}`, want: `{_id:1,a:[1,2]}`, code: 2, text: `The positional operator did not find the match needed from the query.`},
		{name: "two operators on one field", docs: `{_id:1,a:1}`, statement: `q:{},u:{$set:{a:1},$min:{a:1}}`, code: 40, text: `Updating the path 'a' would create a conflict at 'a'`, want: `{_id:1,a:1}`},
		{name: "same value", docs: `{_id:1,a:1}`, statement: `q:{},u:{$set:{a:1},$unset:{b:1},$inc:{c:0}}`, n: 1, modified: 1, want: `{_id:1,a:1,c:0}`},
		{name: "nothing to do", docs: `{_id:1,a:[1],b:5,d:[2]}`, statement: `q:{},u:{$set:{b:5},$unset:{c:1},$inc:{f:0},$addToSet:{a:1},$pull:{d:7},$pop:{e:1}}`, n: 1, modified: 1, want: `{_id:1,a:[1],b:5,d:[2],f:0}`},
		{name: "nothing at all to do", docs: `{_id:1,a:[1],b:5,d:[2]}`, statement: `q:{},u:{$set:{b:5},$unset:{c:1},$addToSet:{a:1},$pull:{d:7},$pop:{e:1},$rename:{g:'h'}}`, n: 1, modified: 0, want: `{_id:1,a:[1],b:5,d:[2]}`},
		{name: "replacement by the same", docs: `{_id:1,a:1}`, statement: `q:{},u:{_id:1,a:1}`, n: 1, modified: 0, want: `{_id:1,a:1}`},
		{name: "replacement by the same without _id", docs: `{_id:1,a:1}`, statement: `q:{},u:{a:1}`, n: 1, modified: 1, want: `{_id:1,a:1}`},
		{name: "replacement by the same with _id behind", docs: `{_id:1,a:1}`, statement: `q:{},u:{a:1,_id:1}`, n: 1, modified: 1, want: `{_id:1,a:1}`},
		{name: "pipeline to the same without _id", docs: `{_id:1,a:1}`, statement: `q:{},u:[{$replaceWith:{a:'$a'}}]`, n: 1, modified: 1, want: `{_id:1,a:1}`},
		{name: "replacement with a dollar", docs: `{_id:1}`, statement: `q:{},u:{a:1,$b:2}`, code: 52, text: `Consider using an aggregation pipeline with $replaceWith.`, want: `{_id:1}`},
		{name: "replacement with a dollar of nothing", docs: `{_id:1}`, statement: `q:{_id:2},u:{a:1,$b:2}`, want: `{_id:1}`},
		{name: "dollar at the top", docs: `{_id:1}`, statement: `q:{_id:1},u:{$set:{$a:1}},upsert:true`, code: 52, text: `Consider using an aggregation pipeline with $replaceWith.`, want: `{_id:1}`},
		{name: "pipeline that fails on no document", docs: `{_id:1}`, statement: `q:{_id:2},u:[{$set:{a:{$divide:[1,0]}}}]`, want: `{_id:1}`},
		{name: "pipeline that fails on a document", docs: `{_id:1}`, statement: `q:{_id:1},u:[{$set:{a:{$divide:[1,0]}}}]`, code: 2, text: `can't $divide by zero`, want: `{_id:1}`},
		{name: "pipeline whose error is not reached", docs: `{_id:1}`, statement: `q:{_id:1},u:[{$set:{a:{$cond:[true,1,{$divide:[1,0]}]}}}]`, n: 1, modified: 1, want: `{_id:1,a:1}`},
		{name: "all documents", docs: `{_id:1,a:1},{_id:2,a:2},{_id:3}`, statement: `q:{a:{$exists:true}},u:{$max:{a:2}},multi:true`, n: 2, modified: 1, want: `{_id:1,a:2},{_id:2,a:2},{_id:3}`},
		{name: "documents until the error", docs: `{_id:1,a:1},{_id:2,a:'x'},{_id:3,a:1}`, statement: `q:{},u:{$inc:{a:1}},multi:true`, n: 1, modified: 1, code: 14, text: `Cannot apply $inc to a value of non-numeric type. {_id: 2} has the field 'a' of non-numeric type string`, want: `{_id:1,a:2},{_id:2,a:'x'},{_id:3,a:1}`},
		{name: "pipeline", docs: `{_id:1,a:1,b:2}`, statement: `q:{},u:[{$set:{c:{$add:['$a','$b']}}},{$unset:'a'}]`, n: 1, modified: 1, want: `{_id:1,b:2,c:3}`},
		{name: "pipeline with $project and $replaceWith", docs: `{_id:1,a:{x:1},b:2}`, statement: `q:{},u:[{$project:{a:1}},{$replaceWith:'$a'}]`, n: 1, modified: 1, want: `{_id:1,x:1}`},
		{name: "pipeline that changes nothing", docs: `{_id:1,a:1}`, statement: `q:{},u:[{$set:{a:'$a'}}]`, n: 1, modified: 0, want: `{_id:1,a:1}`},
		{name: "pipeline with constants", docs: `{_id:1,a:1}`, statement: `q:{},u:[{$set:{a:{$add:['$a','$$n']}}}],c:{n:5}`, n: 1, modified: 1, want: `{_id:1,a:6}`},
		{name: "pipeline with another stage", docs: `{_id:1}`, statement: `q:{},u:[{$match:{a:1}}]`, code: 72, text: `$match is not allowed to be used within an update`, want: `{_id:1}`},
		{name: "pipeline with an undefined variable", docs: `{_id:1}`, statement: `q:{},u:[{$set:{a:'$$x'}}]`, code: 17276, text: `Use of undefined variable: x`, want: `{_id:1}`},
		{name: "pipeline that changes _id", docs: `{_id:1}`, statement: `q:{},u:[{$set:{_id:2}}]`, code: 66, text: `After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2`, want: `{_id:1}`},
		{name: "pipeline without _id", docs: `{_id:1,a:1}`, statement: `q:{},u:[{$replaceWith:{b:'$a'}}]`, n: 1, modified: 1, want: `{_id:1,b:1}`},
		{name: "constants of an update by operators", docs: `{_id:1}`, statement: `q:{},u:{$set:{a:1}},c:{n:5}`, code: 51198, text: `Constant values may only be specified for pipeline updates`, want: `{_id:1}`},
		{name: "$expr", docs: `{_id:1,a:1,b:2}`, statement: `q:{$expr:{$lt:['$a','$b']}},u:{$set:{c:1}}`, n: 1, modified: 1, want: `{_id:1,a:1,b:2,c:1}`},
		{name: "$expr in an upsert", statement: `q:{$expr:true},u:{$set:{c:1}},upsert:true`, code: 224, text: `$expr is not allowed in the query predicate for an upsert`},
		{name: "replacement of many", docs: `{_id:1}`, statement: `q:{},u:{a:1},multi:true`, code: 9, text: `multi update is not supported for replacement-style update`, want: `{_id:1}`},
	})
}

func TestUpsertCommand(t *testing.T) {
	testStatements(t, []commandCase{
		{name: "upsert by operators", statement: `q:{b:{$gt:1},'c.d':1,a:[1],_id:7},u:{$push:{a:2},$setOnInsert:{z:1}},upsert:true`, n: 1, want: `{_id:7,a:[1,2],c:{d:1},z:1}`},
		{name: "upsert by a replacement", statement: `q:{_id:7,a:1},u:{b:1},upsert:true`, n: 1, want: `{_id:7,b:1}`},
		{name: "upsert of the replacement's _id", statement: `q:{a:1},u:{b:1,_id:7},upsert:true`, n: 1, want: `{_id:7,b:1}`},
		{name: "upsert by a pipeline", statement: `q:{_id:7,a:1},u:[{$set:{b:{$add:['$a',1]}}}],upsert:true`, n: 1, want: `{_id:7,a:1,b:2}`},
		{name: "upsert with the _id of the update", statement: `q:{a:1},u:{$set:{_id:7}},upsert:true`, n: 1, want: `{_id:7,a:1}`},
		{name: "upsert with another _id", statement: `q:{_id:7},u:{$set:{_id:8}},upsert:true`, code: 66, text: `Performing an update on the path '_id' would modify the immutable field '_id'`},
		{name: "upsert of a conflict with the query", statement: `q:{_id:1,a:5},u:{$push:{a:1}},upsert:true`, code: 2, text: `The field 'a' must be an array but is of type int in document {_id: 1}`},
		{name: "upsert of one field twice", statement: `q:{$and:[{a:1},{a:2}]},u:{$set:{b:1}},upsert:true`, code: 54, text: `cannot infer query fields to set, path 'a' is matched twice`},
		{name: "upsert at the matched element", statement: `q:{_id:1,a:[1]},u:{$set:{'a.$':1}},upsert:true`, code: 2, text: `The positional operator did not find the match needed from the query.`},
		{name: "upsert of an array as _id", statement: `q:{_id:[1]},u:{$set:{a:1}},upsert:true`, code: 53, text: `The '_id' value cannot be of type array`},
		{name: "upsert of a dollar by operators", statement: `q:{_id:7},u:{$set:{$a:1,b:2}},upsert:true`, n: 1, want: `{_id:7,$a:1,b:2}`},
		{name: "upsert of a dollar by a replacement", statement: `q:{_id:7},u:{b:1,$a:2},upsert:true`, n: 1, want: `{_id:7,b:1,$a:2}`},
		{name: "upsert of a dollar before 5.0", statement: `q:{_id:7},u:{$set:{$a:1}},upsert:true`, wire: 9, code: 52, text: `is not valid for storage.`},
		{name: "upsert of a replacement with a dollar before 5.0", statement: `q:{_id:7},u:{b:1,$a:2},upsert:true`, wire: 9, code: 52, text: `is not valid for storage.`},
		{name: "upsert by a pipeline that fails", statement: `q:{_id:7},u:[{$set:{a:{$divide:[1,0]}}}],upsert:true`, code: 2, text: `can't $divide by zero`},
		{name: "upsert that finds", docs: `{_id:1,a:1}`, statement: `q:{_id:1},u:{$set:{a:2},$setOnInsert:{b:1}},upsert:true`, n: 1, modified: 1, want: `{_id:1,a:2}`},
		{name: "array filters", docs: `{_id:1,a:[{g:1},{g:5}]}`, statement: `q:{},u:{$set:{'a.$[x].h':1}},arrayFilters:[{'x.g':{$gt:2}}]`, n: 1, modified: 1, want: `{_id:1,a:[{g:1},{g:5,h:1}]}`},
		{name: "empty operator before 5.0", docs: `{_id:1}`, statement: `q:{},u:{$set:{}}`, wire: 9, code: 9, text: `'$set' is empty. You must specify a field like so: {$set: {<field>: ...}}`, want: `{_id:1}`},
	})
}

// TestValidatorsCompileSchemas inserts into a collection with a schema.
func TestValidatorsCompileSchemas(t *testing.T) {
	for d, want := range map[string]int32{`{_id:1,a:1}`: 0, `{_id:1,a:'x'}`: 121, `{_id:1}`: 121} {
		reply, err := run(t, 25, `{create:'c',validator:{$jsonSchema:{required:['a'],properties:{a:{bsonType:'int'}}}}}`, `{insert:'c',documents:[`+d+`]}`)
		if err != nil {
			t.Fatal(err)
		}
		failure, _ := reply.Lookup("writeErrors", "0").DocumentOK()
		if code, _ := failure.Lookup("code").Int32OK(); code != want {
			t.Errorf("%s: got %s, want code %d", d, reply, want)
		}
	}
	_, err := run(t, 25, `{create:'c',validator:{$jsonSchema:{foo:1}}}`)
	if e := status.From(err); e == nil || e.Code != 9 {
		t.Errorf("a wrong schema: got %s", fmt.Sprint(err))
	}
}

// TestErrorsOnDocumentsSayWhatTheServerWasDoing checks the words before the text, which differ by command and version.
func TestErrorsOnDocumentsSayWhatTheServerWasDoing(t *testing.T) {
	tests := []struct {
		name, command string
		wire          int32
		code          int32
		text          string
	}{
		{"findAndModify", `{findAndModify:'c',query:{},update:{$inc:{a:1}}}`, 25, 14, `Plan executor error during findAndModify :: caused by :: Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string`},
		{"findAndModify of 4.2", `{findAndModify:'c',query:{},update:{$inc:{a:1}}}`, 8, 14, `Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string`},
		{"findAndModify that inserts", `{findAndModify:'c',query:{_id:7},update:{$set:{_id:8}},upsert:true}`, 25, 66, `Plan executor error during findAndModify :: caused by :: Performing an update on the path '_id' would modify the immutable field '_id'`},
		{"findAndModify that does not parse", `{findAndModify:'c',query:{},update:{$foo:{a:1}}}`, 25, 9, `Unknown modifier: $foo. Expected a valid update modifier or pipeline-style update specified as an array`},
		{"find", `{find:'c',projection:{'b.$':1}}`, 25, 51246, `Executor error during find command: db.c :: caused by :: positional operator '.$' couldn't find a matching element in the array`},
		{"find before 8.0", `{find:'c',projection:{'b.$':1}}`, 21, 51246, `Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := run(t, tt.wire, `{insert:'c',documents:[{_id:1,a:'x',b:[1]}]}`, tt.command)
			if e := status.From(err); e == nil || int32(e.Code) != tt.code || e.Message != tt.text {
				t.Errorf("got %v, want %d %s", err, tt.code, tt.text)
			}
		})
	}
}
