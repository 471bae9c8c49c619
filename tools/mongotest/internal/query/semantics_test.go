package query_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// matchCase is a query with documents that it finds and documents that it does not find. wire is the version, 0 the newest.
type matchCase struct {
	name, filter string
	wire         int32
	yes, no      []string
}

func testMatches(t *testing.T, tests []matchCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := query.Compile(doc(t, tt.filter), query.Options{Scope: &expr.Scope{WireVersion: tt.wire}})
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

func TestEquality(t *testing.T) {
	testMatches(t, []matchCase{
		{"null does not find undefined", `{a:null}`, 0, []string{`{}`, `{a:null}`}, []string{`{a:{$undefined:true}}`}},
		{"null finds undefined before 8.0", `{a:null}`, 21, []string{`{}`, `{a:{$undefined:true}}`, `{a:[{$undefined:true}]}`}, []string{`{a:0}`}},
		{"null at a position", `{'a.0':null}`, 0, []string{`{a:[null]}`, `{}`, `{a:1}`}, []string{`{a:[1]}`, `{a:[]}`}},
		{"null below a position finds the document that lacks the position", `{'a.0.b':null}`, 0, []string{`{a:[{b:1}]}`}, []string{`{a:[1]}`}},
		{"not null", `{a:{$ne:null}}`, 0, []string{`{a:1}`, `{a:[]}`}, []string{`{}`, `{a:null}`, `{a:[1,null]}`}},
		{"NaN", `{a:{$numberDouble:'NaN'}}`, 0, []string{`{a:{$numberDouble:'NaN'}}`, `{a:{$numberDecimal:'NaN'}}`}, []string{`{a:1}`, `{}`}},
		{"negative zero", `{a:0}`, 0, []string{`{a:{$numberDouble:'-0.0'}}`, `{a:{$numberDecimal:'-0'}}`, `{a:{$numberDecimal:'0E+3'}}`}, []string{`{a:false}`, `{a:''}`, `{a:null}`}},
		{"long beyond the doubles", `{a:{$numberLong:'9007199254740993'}}`, 0, []string{`{a:{$numberDecimal:'9007199254740993'}}`}, []string{`{a:{$numberDouble:'9007199254740992'}}`}},
		{"decimal of a fraction is no double", `{a:{$numberDecimal:'0.1'}}`, 0, []string{`{a:{$numberDecimal:'0.10'}}`}, []string{`{a:0.1}`}},
		{"nested documents compare with all their fields in order", `{a:{b:{c:1},d:2}}`, 0, []string{`{a:{b:{c:1},d:2}}`, `{a:{b:{c:1.0},d:2}}`}, []string{`{a:{d:2,b:{c:1}}}`, `{a:{b:{c:1},d:2,e:3}}`}},
		{"empty document", `{a:{}}`, 0, []string{`{a:{}}`, `{a:[{}]}`}, []string{`{a:[]}`, `{a:{b:1}}`, `{}`}},
		{"empty array", `{a:[]}`, 0, []string{`{a:[]}`, `{a:[[]]}`, `{a:[1,[]]}`}, []string{`{a:{}}`, `{a:null}`, `{}`, `{a:[1]}`}},
		{"array in a document in an array", `{'a.b':[1,2]}`, 0, []string{`{a:[{b:[1,2]}]}`, `{a:[{b:[[1,2]]}]}`}, []string{`{a:[{b:1},{b:2}]}`, `{a:{b:[2,1]}}`}},
		{"regular expression is a pattern", `{a:{$regularExpression:{pattern:'^x',options:''}}}`, 0, []string{`{a:'xy'}`, `{a:['y','x']}`, `{a:{$regularExpression:{pattern:'^x',options:''}}}`, `{a:{$symbol:'xz'}}`}, []string{`{a:'y'}`, `{}`, `{a:{$regularExpression:{pattern:'^x',options:'i'}}}`}},
		{"$eq of a regular expression is no pattern", `{a:{$eq:{$regularExpression:{pattern:'^x',options:''}}}}`, 0, []string{`{a:{$regularExpression:{pattern:'^x',options:''}}}`}, []string{`{a:'xy'}`}},
		{"symbol equals string", `{a:'x'}`, 0, []string{`{a:{$symbol:'x'}}`}, []string{`{a:{$code:'x'}}`}},
		{"MinKey", `{a:{$minKey:1}}`, 0, []string{`{a:{$minKey:1}}`}, []string{`{}`, `{a:null}`}},
		{"timestamp is no date", `{a:{$timestamp:{t:1,i:0}}}`, 0, []string{`{a:{$timestamp:{t:1,i:0}}}`}, []string{`{a:{$date:{$numberLong:'1000'}}}`}},
		{"binary with its subtype", `{a:{$binary:{base64:'AQ==',subType:'00'}}}`, 0, []string{`{a:{$binary:{base64:'AQ==',subType:'00'}}}`}, []string{`{a:{$binary:{base64:'AQ==',subType:'05'}}}`}},
		{"empty field name", `{'':1}`, 0, []string{`{'':1}`}, []string{`{}`, `{a:1}`}},
		{"all conditions on one field", `{a:{$gt:1},b:1,'c.d':2}`, 0, []string{`{a:2,b:1,c:{d:2}}`}, []string{`{a:2,b:1}`}},
		{"dollar in a document that does not begin with one", `{a:{b:1,$gt:2}}`, 0, []string{`{a:{b:1,$gt:2}}`}, []string{`{a:3}`}},
		{"reference with its fields in another order", `{a:{$id:1,$ref:'c'}}`, 0, []string{`{a:{$id:1,$ref:'c'}}`}, []string{`{a:{$ref:'c',$id:1}}`}},
		{"fields of a reference at the top", `{$ref:'c',$id:1}`, 0, []string{`{$ref:'c',$id:1,x:1}`}, []string{`{$ref:'d',$id:1}`}},
	})
}

func TestRanges(t *testing.T) {
	testMatches(t, []matchCase{
		{"$lt MaxKey finds all but MaxKey, missing fields too", `{a:{$lt:{$maxKey:1}}}`, 0, []string{`{}`, `{a:1}`, `{a:null}`, `{a:{$minKey:1}}`}, []string{`{a:{$maxKey:1}}`}},
		{"$gte MinKey", `{a:{$gte:{$minKey:1}}}`, 0, []string{`{a:{$minKey:1}}`, `{}`, `{a:'x'}`}, nil},
		{"$gt MaxKey", `{a:{$gt:{$maxKey:1}}}`, 0, nil, []string{`{a:{$maxKey:1}}`, `{a:1}`, `{}`}},
		{"$lt of an array compares arrays", `{a:{$lt:[5]}}`, 0, []string{`{a:[4,9]}`, `{a:[]}`}, []string{`{a:[6]}`, `{a:4}`}},
		{"$gt of a document compares documents", `{a:{$gt:{b:1}}}`, 0, []string{`{a:{b:2}}`, `{a:{c:0}}`, `{a:[{b:2}]}`, `{a:{b:'x'}}`}, []string{`{a:{b:1}}`, `{a:{a:5}}`, `{a:5}`}},
		{"$lte null", `{a:{$lte:null}}`, 0, []string{`{}`, `{a:null}`}, []string{`{a:0}`}},
		{"$gt null", `{a:{$gt:null}}`, 0, nil, []string{`{}`, `{a:null}`, `{a:0}`, `{a:'x'}`}},
		{"$gt false", `{a:{$gt:false}}`, 0, []string{`{a:true}`}, []string{`{a:false}`, `{a:1}`, `{}`}},
		{"$gt string by bytes", `{a:{$gt:'B'}}`, 0, []string{`{a:'b'}`, `{a:'BA'}`}, []string{`{a:'A'}`, `{a:'B'}`}},
		{"$lte NaN", `{a:{$lte:{$numberDouble:'NaN'}}}`, 0, []string{`{a:{$numberDouble:'NaN'}}`, `{a:{$numberDecimal:'NaN'}}`}, []string{`{a:1}`, `{a:{$numberDouble:'-Infinity'}}`}},
		{"$lt of infinity leaves NaN out", `{a:{$lt:{$numberDouble:'Infinity'}}}`, 0, []string{`{a:1}`, `{a:{$numberLong:'9223372036854775807'}}`, `{a:{$numberDecimal:'1E+6000'}}`}, []string{`{a:{$numberDouble:'NaN'}}`, `{a:{$numberDecimal:'Infinity'}}`}},
		{"$gt NaN", `{a:{$gt:{$numberDouble:'NaN'}}}`, 0, nil, []string{`{a:1}`, `{a:{$numberDouble:'NaN'}}`}},
		{"dates", `{a:{$gte:{$date:'2020-01-01T00:00:00Z'}}}`, 0, []string{`{a:{$date:'2020-01-01T00:00:00Z'}}`}, []string{`{a:{$date:'2019-12-31T23:59:59.999Z'}}`, `{a:{$timestamp:{t:2000000000,i:1}}}`}},
		{"ObjectIds", `{a:{$lt:{$oid:'600000000000000000000000'}}}`, 0, []string{`{a:{$oid:'5fffffffffffffffffffffff'}}`}, []string{`{a:{$oid:'600000000000000000000000'}}`, `{a:'5'}`}},
		{"binary by length first", `{a:{$gt:{$binary:{base64:'/w==',subType:'00'}}}}`, 0, []string{`{a:{$binary:{base64:'AAA=',subType:'00'}}}`}, []string{`{a:{$binary:{base64:'AQ==',subType:'00'}}}`}},
	})
}

func TestLists(t *testing.T) {
	testMatches(t, []matchCase{
		{"$in finds elements and whole arrays", `{a:{$in:[[1,2],3]}}`, 0, []string{`{a:[1,2]}`, `{a:[[1,2]]}`, `{a:[9,3]}`, `{a:3.0}`}, []string{`{a:1}`, `{a:[2,1]}`}},
		{"$in null", `{a:{$in:[null]}}`, 0, []string{`{}`, `{a:null}`, `{a:[null]}`}, []string{`{a:[]}`, `{a:0}`}},
		{"$in nothing", `{a:{$in:[]}}`, 0, nil, []string{`{}`, `{a:null}`, `{a:[]}`}},
		{"$nin nothing", `{a:{$nin:[]}}`, 0, []string{`{}`, `{a:1}`}, nil},
		{"$nin null", `{a:{$nin:[null,1]}}`, 0, []string{`{a:2}`, `{a:[]}`}, []string{`{}`, `{a:null}`, `{a:[2,1]}`}},
		{"$nin regex", `{a:{$nin:[{$regularExpression:{pattern:'^x',options:''}}]}}`, 0, []string{`{a:'y'}`, `{}`, `{a:5}`}, []string{`{a:'xy'}`, `{a:['y','xz']}`}},
		{"$in documents", `{a:{$in:[{b:1}]}}`, 0, []string{`{a:{b:1}}`, `{a:[{b:1}]}`}, []string{`{a:{b:1,c:1}}`}},
		{"$in reference", `{a:{$in:[{$ref:'c',$id:1}]}}`, 0, []string{`{a:{$ref:'c',$id:1}}`}, []string{`{a:1}`}},
		{"$in NaN and decimals", `{a:{$in:[{$numberDouble:'NaN'},{$numberDecimal:'1.0'}]}}`, 0, []string{`{a:{$numberDecimal:'NaN'}}`, `{a:1}`}, []string{`{a:0}`}},
		{"$all with a nested array", `{a:{$all:[[1],2]}}`, 0, []string{`{a:[[1],2]}`}, []string{`{a:[1,2]}`, `{a:[[1]]}`}},
		{"$all null", `{a:{$all:[null]}}`, 0, []string{`{}`, `{a:null}`, `{a:[1,null]}`}, []string{`{a:[1]}`, `{a:[]}`}},
		{"$all regex", `{a:{$all:[{$regularExpression:{pattern:'^x',options:''}},'b']}}`, 0, []string{`{a:['xy','b']}`}, []string{`{a:['b']}`, `{a:'xy'}`}},
		{"$all over several documents", `{'a.b':{$all:[1,2]}}`, 0, []string{`{a:[{b:1},{b:2}]}`, `{a:{b:[2,1]}}`}, []string{`{a:[{b:1}]}`}},
		{"$all of documents with unknown operators", `{a:{$all:[{$foo:1}]}}`, 0, []string{`{a:{$foo:1}}`}, []string{`{a:1}`}},
		{"$not $all", `{a:{$not:{$all:[1,2]}}}`, 0, []string{`{a:[1]}`, `{}`}, []string{`{a:[1,2]}`}},
		{"$size of nothing", `{a:{$size:0}}`, 0, []string{`{a:[]}`}, []string{`{}`, `{a:null}`, `{a:[1]}`, `{a:'x'}`}},
		{"$size of a whole double", `{a:{$size:2.0}}`, 0, []string{`{a:[1,2]}`}, []string{`{a:[1]}`}},
		{"$size does not look into elements", `{a:{$size:2}}`, 0, []string{`{a:[[1],[2]]}`}, []string{`{a:[[1,2]]}`}},
		{"$size through an array of documents", `{'a.b':{$size:1}}`, 0, []string{`{a:[{b:[1,2]},{b:[3]}]}`}, []string{`{a:[{b:3}]}`}},
	})
}

func TestElemMatch(t *testing.T) {
	testMatches(t, []matchCase{
		{"operators meet in one element", `{a:{$elemMatch:{$gte:2,$lt:3}}}`, 0, []string{`{a:[2.5]}`}, []string{`{a:[1,5]}`, `{a:2.5}`, `{a:[]}`, `{}`}},
		{"$ne in an element", `{a:{$elemMatch:{$ne:1}}}`, 0, []string{`{a:[1,2]}`}, []string{`{a:[1,1]}`, `{a:[]}`, `{a:2}`}},
		{"$not in an element", `{a:{$elemMatch:{$not:{$gt:5}}}}`, 0, []string{`{a:[9,1]}`}, []string{`{a:[9]}`, `{a:[]}`}},
		{"elements that are arrays are not expanded", `{a:{$elemMatch:{$gt:1}}}`, 0, []string{`{a:[[5],2]}`}, []string{`{a:[[5]]}`}},
		{"$elemMatch in $elemMatch", `{a:{$elemMatch:{$elemMatch:{$gt:1}}}}`, 0, []string{`{a:[[5]]}`}, []string{`{a:[5]}`}},
		{"$size in an element", `{a:{$elemMatch:{$size:2}}}`, 0, []string{`{a:[[1,2]]}`}, []string{`{a:[1,2]}`}},
		{"$or in documents", `{a:{$elemMatch:{$or:[{x:1},{y:2}]}}}`, 0, []string{`{a:[{x:1}]}`, `{a:[{y:2}]}`}, []string{`{a:[{x:2}]}`, `{a:{x:1}}`}},
		{"$and after a field", `{a:{$elemMatch:{x:1,$and:[{y:2}]}}}`, 0, []string{`{a:[{x:1,y:2}]}`}, []string{`{a:[{x:1},{y:2}]}`}},
		{"$nor", `{a:{$elemMatch:{$nor:[{x:1}]}}}`, 0, []string{`{a:[{x:2}]}`, `{a:[{}]}`}, []string{`{a:[{x:1}]}`, `{a:[5]}`}},
		{"nothing asked of a document", `{a:{$elemMatch:{}}}`, 0, []string{`{a:[{}]}`, `{a:[[]]}`}, []string{`{a:[1]}`, `{a:[]}`}},
		{"documents by position of an inner array", `{a:{$elemMatch:{'0':5}}}`, 0, []string{`{a:[[5]]}`, `{a:[{'0':5}]}`}, []string{`{a:[5]}`}},
		{"through an array of documents", `{'a.b':{$elemMatch:{$gt:1,$lt:3}}}`, 0, []string{`{a:[{b:[9]},{b:[2]}]}`}, []string{`{a:[{b:2}]}`}},
		{"reference fields", `{a:{$elemMatch:{$ref:'c',x:1}}}`, 0, []string{`{a:[{$ref:'c',x:1}]}`}, []string{`{a:[{$ref:'d',x:1}]}`}},
		{"$not $elemMatch", `{a:{$not:{$elemMatch:{x:1}}}}`, 0, []string{`{a:[{x:2}]}`, `{}`, `{a:1}`}, []string{`{a:[{x:1}]}`}},
		{"$in in an element", `{a:{$elemMatch:{$in:[1,null]}}}`, 0, []string{`{a:[1]}`, `{a:[null]}`}, []string{`{a:[2]}`, `{}`}},
		{"$jsonSchema of an element", `{a:{$elemMatch:{$jsonSchema:{required:['x']}}}}`, 0, []string{`{a:[{x:1}]}`}, []string{`{a:[{y:1}]}`}},
	})
}

func TestLogic(t *testing.T) {
	testMatches(t, []matchCase{
		{"$not regex", `{a:{$not:{$regularExpression:{pattern:'^x',options:''}}}}`, 0, []string{`{a:'y'}`, `{}`, `{a:1}`}, []string{`{a:'xy'}`, `{a:['y','x']}`}},
		{"$not $regex", `{a:{$not:{$regex:'^X',$options:'i'}}}`, 0, []string{`{a:'y'}`}, []string{`{a:'xy'}`}},
		{"$not $not", `{a:{$not:{$not:{$gt:5}}}}`, 0, []string{`{a:6}`}, []string{`{a:5}`, `{}`}},
		{"$not $exists", `{a:{$not:{$exists:true}}}`, 0, []string{`{}`}, []string{`{a:null}`}},
		{"$not $ne", `{a:{$not:{$ne:1}}}`, 0, []string{`{a:1}`, `{a:[2,1]}`}, []string{`{a:2}`, `{}`}},
		{"$nor of two", `{$nor:[{a:1},{b:{$exists:true}}]}`, 0, []string{`{}`, `{a:2}`}, []string{`{a:1}`, `{b:1}`}},
		{"$or in $and", `{$and:[{$or:[{a:1},{a:2}]},{$or:[{b:1},{b:2}]}]}`, 0, []string{`{a:1,b:2}`}, []string{`{a:1}`, `{b:2}`}},
		{"operators beside $or", `{a:1,$or:[{b:1},{c:1}]}`, 0, []string{`{a:1,c:1}`}, []string{`{c:1}`}},
		{"$and of an empty document", `{$and:[{}]}`, 0, []string{`{}`, `{a:1}`}, nil},
		{"$or with an empty document", `{$or:[{a:1},{}]}`, 0, []string{`{}`}, nil},
		{"$alwaysTrue", `{$alwaysTrue:1}`, 0, []string{`{}`}, nil},
		{"$alwaysFalse", `{$alwaysFalse:1}`, 0, nil, []string{`{}`}},
		{"$sampleRate all", `{$sampleRate:1.0}`, 0, []string{`{}`, `{a:1}`}, nil},
		{"$sampleRate none", `{$sampleRate:0}`, 0, nil, []string{`{}`, `{a:1}`}},
		{"$rand in $expr", `{$expr:{$lt:[{$rand:{}},1]}}`, 0, []string{`{}`}, nil},
		{"$expr sees no elements", `{$expr:{$eq:['$a',1]}}`, 0, []string{`{a:1}`}, []string{`{a:[1]}`, `{}`}},
		{"$expr compares missing with null", `{$expr:{$eq:['$a',null]}}`, 0, []string{`{a:null}`}, []string{`{}`}},
		{"$expr with fields", `{a:{$gt:1},$expr:{$lt:['$a','$b']}}`, 0, []string{`{a:2,b:3}`}, []string{`{a:1,b:3}`, `{a:3,b:2}`}},
		{"$comment anywhere at the top", `{$comment:{x:1},$or:[{a:1,$comment:2}]}`, 0, []string{`{a:1}`}, []string{`{}`}},
	})
}

func TestTypesAndNumbers(t *testing.T) {
	testMatches(t, []matchCase{
		{"$exists with null", `{a:{$exists:null}}`, 0, []string{`{}`}, []string{`{a:1}`}},
		{"$exists with a string", `{a:{$exists:''}}`, 0, []string{`{a:1}`}, []string{`{}`}},
		{"$exists through an array", `{'a.b':{$exists:true}}`, 0, []string{`{a:[{c:1},{b:null}]}`}, []string{`{a:[{c:1}]}`, `{a:[]}`}},
		{"$exists at a position", `{'a.1':{$exists:true}}`, 0, []string{`{a:[1,2]}`}, []string{`{a:[1]}`, `{a:1}`}},
		{"$type number", `{a:{$type:'number'}}`, 0, []string{`{a:1}`, `{a:{$numberLong:'1'}}`, `{a:1.5}`, `{a:{$numberDecimal:'1'}}`, `{a:['x',1]}`}, []string{`{a:'1'}`, `{a:true}`, `{}`}},
		{"$type by codes", `{a:{$type:[1,16]}}`, 0, []string{`{a:1.5}`, `{a:1}`}, []string{`{a:{$numberLong:'1'}}`}},
		{"$type MinKey", `{a:{$type:-1}}`, 0, []string{`{a:{$minKey:1}}`}, []string{`{a:{$maxKey:1}}`, `{}`}},
		{"$type MaxKey", `{a:{$type:127}}`, 0, []string{`{a:{$maxKey:1}}`}, []string{`{a:{$minKey:1}}`}},
		{"$type of arrays", `{a:{$type:4}}`, 0, []string{`{a:[]}`, `{a:[[1]]}`}, []string{`{a:1}`}},
		{"$type of an element that is an array", `{a:{$elemMatch:{$type:'array'}}}`, 0, []string{`{a:[[1]]}`}, []string{`{a:[1]}`}},
		{"$type undefined and null", `{a:{$type:['undefined','null']}}`, 0, []string{`{a:null}`, `{a:{$undefined:true}}`}, []string{`{}`}},
		{"$type javascript and symbol", `{a:{$type:['javascript','symbol','javascriptWithScope','dbPointer','regex']}}`, 0, []string{`{a:{$code:'x'}}`, `{a:{$symbol:'x'}}`, `{a:{$code:'x',$scope:{}}}`, `{a:{$regularExpression:{pattern:'x',options:''}}}`}, []string{`{a:'x'}`}},
		{"$mod of negatives", `{a:{$mod:[3,-1]}}`, 0, []string{`{a:-4}`, `{a:-1.9}`}, []string{`{a:4}`, `{a:2}`}},
		{"$mod truncates its operands", `{a:{$mod:[3.9,1.9]}}`, 0, []string{`{a:4}`, `{a:{$numberDecimal:'7.5'}}`}, []string{`{a:3}`}},
		{"$mod by minus one", `{a:{$mod:[-1,0]}}`, 0, []string{`{a:{$numberLong:'-9223372036854775808'}}`, `{a:5}`}, nil},
		{"$mod of what is no number", `{a:{$mod:[2,0]}}`, 0, []string{`{a:[1,2]}`}, []string{`{a:{$numberDouble:'NaN'}}`, `{a:{$numberDouble:'Infinity'}}`, `{a:1e300}`, `{a:null}`, `{}`}},
		{"$bitsAllSet negative numbers", `{a:{$bitsAllSet:[0,63,200]}}`, 0, []string{`{a:-1}`, `{a:{$numberLong:'-1'}}`}, []string{`{a:1}`, `{a:-2}`}},
		{"$bitsAllClear of nothing", `{a:{$bitsAllClear:[]}}`, 0, []string{`{a:5}`, `{a:{$binary:{base64:'AA==',subType:'00'}}}`}, []string{`{a:'x'}`, `{}`}},
		{"$bitsAnySet of nothing", `{a:{$bitsAnySet:0}}`, 0, nil, []string{`{a:5}`}},
		{"$bitsAllSet by a mask", `{a:{$bitsAllSet:50}}`, 0, []string{`{a:54}`, `{a:54.0}`, `{a:{$binary:{base64:'Ng==',subType:'00'}}}`, `{a:[1,54]}`}, []string{`{a:20}`, `{a:54.5}`}},
		{"$bitsAllSet by binary", `{a:{$bitsAllSet:{$binary:{base64:'MA==',subType:'00'}}}}`, 0, []string{`{a:54}`, `{a:-1}`}, []string{`{a:16}`}},
		{"$bitsAnyClear beyond binary", `{a:{$bitsAnyClear:[100]}}`, 0, []string{`{a:{$binary:{base64:'/w==',subType:'00'}}}`, `{a:5}`}, []string{`{a:-1}`}},
	})
}

func TestPatterns(t *testing.T) {
	testMatches(t, []matchCase{
		{"i", `{a:{$regex:'ab',$options:'i'}}`, 0, []string{`{a:'xABx'}`}, []string{`{a:'b'}`}},
		{"m", `{a:{$regex:'^b',$options:'m'}}`, 0, []string{`{a:'a\nb'}`}, []string{`{a:'ab'}`}},
		{"without m", `{a:{$regex:'^b'}}`, 0, []string{`{a:'b'}`}, []string{`{a:'a\nb'}`}},
		{"s", `{a:{$regex:'a.b',$options:'s'}}`, 0, []string{`{a:'a\nb'}`}, nil},
		{"without s", `{a:{$regex:'a.b'}}`, 0, []string{`{a:'axb'}`}, []string{`{a:'a\nb'}`}},
		{"x", `{a:{$regex:'a\\ b c # more\nd',$options:'x'}}`, 0, []string{`{a:'a bcd'}`}, []string{`{a:'abcd'}`}},
		{"u", `{a:{$regex:'é',$options:'u'}}`, 0, []string{`{a:'café'}`}, []string{`{a:'cafe'}`}},
		{"several", `{a:{$options:'im',$regex:'^B'}}`, 0, []string{`{a:'a\nb'}`}, nil},
		{"regular expression as $regex", `{a:{$regex:{$regularExpression:{pattern:'X',options:'i'}}}}`, 0, []string{`{a:'x'}`}, []string{`{a:'y'}`}},
		{"regular expression and $options", `{a:{$regex:{$regularExpression:{pattern:'X',options:''}},$options:'i'}}`, 0, []string{`{a:'x'}`}, []string{`{a:'y'}`}},
		{"$regex beside other operators", `{a:{$regex:'x',$nin:['xy']}}`, 0, []string{`{a:'xz'}`}, []string{`{a:'xy'}`}},
		{"end before a last newline", `{a:{$regex:'a$'}}`, 0, []string{`{a:'a'}`, `{a:'a\n'}`}, []string{`{a:'ab'}`, `{a:'a\n\n'}`}},
		{"end in a class and escaped", `{a:{$regex:'[$]\\$'}}`, 0, []string{`{a:'x$$'}`}, []string{`{a:'$'}`}},
		{"named group", `{a:{$regex:'(?<y>\\d{4})-(?:\\d+)'}}`, 0, []string{`{a:'2024-01'}`}, []string{`{a:'24-01'}`}},
		{"text that does not begin so", `{a:{$regex:'^(?!ab|c)'}}`, 0, []string{`{a:'xab'}`, `{a:''}`}, []string{`{a:'abx'}`, `{a:'cx'}`}},
		{"text without a word", `{a:{$regex:'^((?!ab).)*$',$options:'i'}}`, 0, []string{`{a:'xa'}`, `{a:''}`}, []string{`{a:'xABx'}`, `{a:'x\ny'}`}},
		{"text with two words", `{a:{$regex:'^(?=.*[)x])(?=.*b)a'}}`, 0, []string{`{a:'a)b'}`, `{a:'abx'}`}, []string{`{a:'ab'}`, `{a:'bx'}`}},
		{"empty", `{a:{$regex:''}}`, 0, []string{`{a:''}`, `{a:'x'}`}, []string{`{a:1}`, `{}`}},
	})
}

func TestPaths(t *testing.T) {
	testMatches(t, []matchCase{
		{"position or name", `{'a.0':1}`, 0, []string{`{a:[1]}`, `{a:{'0':1}}`, `{a:[{'0':1}]}`, `{a:[5,{'0':1}]}`}, []string{`{a:[2,1]}`, `{a:1}`}},
		{"a position does not expand its array", `{'a.0':5}`, 0, []string{`{a:[5]}`}, []string{`{a:[[5]]}`}},
		{"an array at a position", `{'a.0':[5]}`, 0, []string{`{a:[[5]]}`}, []string{`{a:[5]}`}},
		{"two positions", `{'a.0.1':5}`, 0, []string{`{a:[[4,5]]}`, `{a:[{'1':5}]}`}, []string{`{a:[5]}`, `{a:[[5]]}`}},
		{"position with leading zero is a name", `{'a.01':5}`, 0, []string{`{a:{'01':5}}`, `{a:[{'01':5}]}`}, []string{`{a:[1,5]}`}},
		{"arrays in arrays are not walked", `{'a.b':1}`, 0, nil, []string{`{a:[[{b:1}]]}`}},
		{"arrays in arrays by position", `{'a.0.b':1}`, 0, []string{`{a:[[{b:1}]]}`, `{a:[{b:1}]}`}, []string{`{a:[{b:2},{b:1}]}`}},
		{"three levels", `{'a.b.c':1}`, 0, []string{`{a:[{b:[{c:1}]}]}`, `{a:{b:{c:[2,1]}}}`}, []string{`{a:[{b:[[{c:1}]]}]}`}},
		{"through a scalar", `{'a.b':{$exists:false}}`, 0, []string{`{a:1}`, `{a:'x'}`, `{a:[1,2]}`}, []string{`{a:{b:1}}`}},
		{"$ne needs all elements", `{'a.b':{$ne:1}}`, 0, []string{`{a:[{b:2}]}`, `{a:[]}`, `{}`}, []string{`{a:[{b:2},{b:1}]}`}},
	})
}

// TestPositionIsThatOfTheOutermostArray checks what the positional operator gets.
func TestPositionIsThatOfTheOutermostArray(t *testing.T) {
	tests := []struct {
		name, filter, doc string
		want              int
	}{
		{"array in an array of documents", `{'a.b':2}`, `{a:[{b:[1]},{b:[1,2]}]}`, 1},
		{"$elemMatch below an array", `{'a.b':{$elemMatch:{$eq:2}}}`, `{a:[{b:[1]},{b:[1,2]}]}`, 1},
		{"named position", `{'a.1':2}`, `{a:[1,2]}`, -1},
		{"array below a named position", `{'a.1.b':2}`, `{a:[{},{b:[1,1,2]}]}`, 2},
		{"the last condition counts", `{a:1,b:2}`, `{a:[1],b:[1,2]}`, 1},
		{"a condition without an array keeps it", `{a:2,b:5}`, `{a:[1,2],b:5}`, 1},
		{"$or on one field is an $in", `{$or:[{a:2},{a:3}]}`, `{a:[1,2]}`, 1},
		{"the first element of such an $or", `{$or:[{a:2},{a:3}]}`, `{a:[1,3,2]}`, 1},
		{"below an $or on two fields", `{$or:[{a:2},{b:3}]}`, `{a:[1,2]}`, -1},
		{"below an $or with another operator", `{$or:[{a:2},{a:{$gt:5}}]}`, `{a:[1,2]}`, -1},
		{"$or of one", `{$or:[{a:2}]}`, `{a:[1,2]}`, 1},
		{"below $nor", `{$nor:[{a:3}]}`, `{a:[1,2]}`, -1},
		{"$ne", `{a:{$ne:3}}`, `{a:[1,2]}`, -1},
		{"$in", `{a:{$in:[2,3]}}`, `{a:[1,2]}`, 1},
		{"$all", `{a:{$all:[2,1]}}`, `{a:[1,2]}`, 0},
		{"$elemMatch of documents with arrays", `{a:{$elemMatch:{b:2}}}`, `{a:[{b:[0,1]},{b:[0,1,2]}]}`, 1},
		{"whole array", `{a:[1,2]}`, `{a:[1,2]}`, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := query.Compile(doc(t, tt.filter), query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var m query.Match
			if ok, err := f.Test(&m, doc(t, tt.doc)); !ok || err != nil || m.Position != tt.want {
				t.Errorf("matched %v, %v at %d, want %d", ok, err, m.Position, tt.want)
			}
		})
	}
}

func testRefusals(t *testing.T, plain bool, tests []refusal) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.filter, func(t *testing.T) {
			_, err := query.Compile(doc(t, tt.filter), query.Options{Scope: &expr.Scope{WireVersion: tt.wire}, Plain: plain})
			if err == nil {
				t.Fatal("no error")
			}
			if e := status.From(err); int32(e.Code) != tt.code || !strings.HasPrefix(e.Message, tt.text) {
				t.Errorf("got %d %s, want %d %s", e.Code, e.Message, tt.code, tt.text)
			}
		})
	}
}

type refusal struct {
	filter string
	wire   int32
	code   int32
	text   string
}

func TestRefusals(t *testing.T) {
	testRefusals(t, false, []refusal{
		{`{$foo:1}`, 0, 2, "unknown top level operator: $foo. If you have a field name that starts with a '$' symbol, consider using $getField or $setField."},
		{`{$gt:1}`, 9, 2, "unknown top level operator: $gt"},
		{`{$not:{a:1}}`, 0, 2, "unknown top level operator: $not. If you are trying to negate an entire expression, use $nor."},
		{`{$sampleRate:1}`, 8, 2, "unknown top level operator: $sampleRate"},
		{`{a:{$foo:1}}`, 0, 2, "unknown operator: $foo"},
		{`{a:{$gt:1,b:2}}`, 0, 2, "unknown operator: b"},
		{`{a:{$comment:'x'}}`, 0, 2, "unknown operator: $comment"},
		{`{a:{$ref:'c'}}`, 0, 2, "unknown operator: $ref"},
		{`{a:{$where:'1'}}`, 0, 2, "$where cannot be applied to a field"},
		{`{$and:{}}`, 0, 2, "$and must be an array"},
		{`{$nor:[]}`, 0, 2, "$and/$or/$nor must be a nonempty array"},
		{`{$or:[1]}`, 0, 2, "$or/$and/$nor entries need to be full objects"},
		{`{a:{$undefined:true}}`, 0, 2, "cannot compare to undefined"},
		{`{a:{$gt:{$undefined:true}}}`, 0, 2, "cannot compare to undefined"},
		{`{a:{$in:[{$undefined:true}]}}`, 0, 2, "InMatchExpression equality cannot be undefined"},
		{`{a:{$gt:{$regularExpression:{pattern:'x',options:''}}}}`, 0, 2, "Can't have RegEx as arg to predicate over field 'a'."},
		{`{a:{$ne:{$regularExpression:{pattern:'x',options:''}}}}`, 0, 2, "Can't have regex as arg to $ne."},
		{`{a:{$nin:1}}`, 0, 2, "$nin needs an array"},
		{`{a:{$nin:[{$gt:1}]}}`, 0, 2, "cannot nest $ under $in"},
		{`{a:{$not:[]}}`, 0, 2, "$not needs a regex or a document"},
		{`{a:{$not:{b:1}}}`, 0, 2, "unknown operator: b"},
		{`{a:{$all:{}}}`, 0, 2, "$all needs an array"},
		{`{a:{$all:[{$gt:1}]}}`, 0, 2, "no $ expressions in $all"},
		{`{a:{$all:[1,{$elemMatch:{x:1}}]}}`, 0, 2, "no $ expressions in $all"},
		{`{a:{$all:[{$elemMatch:{x:1}},1]}}`, 0, 2, "$all/$elemMatch has to be consistent"},
		{`{a:{$elemMatch:[]}}`, 0, 2, "$elemMatch needs an Object"},
		{`{a:{$elemMatch:{$gt:1,x:1}}}`, 0, 2, "unknown operator: x"},
		{`{a:{$elemMatch:{x:1,$gt:1}}}`, 0, 2, "unknown top level operator: $gt"},
		{`{a:{$elemMatch:{$expr:true}}}`, 0, 2, "$expr can only be applied to the top-level document"},
		{`{a:{$elemMatch:{$where:'1'}}}`, 0, 2, "$where can only be applied to the top-level document"},
		{`{a:{$elemMatch:{$text:{$search:'x'}}}}`, 0, 2, "$text can only be applied to the top-level document"},
		{`{a:{$elemMatch:{$sampleRate:0.5}}}`, 0, 2, "$sampleRate can only be applied to the top-level document"},
	})
}

func TestOperandRefusals(t *testing.T) {
	testRefusals(t, false, []refusal{
		{`{a:{$size:'1'}}`, 0, 2, `Failed to parse $size. Expected a number in: $size: "1"`},
		{`{a:{$size:1.5}}`, 0, 2, "Failed to parse $size. Expected an integer: $size: 1.5"},
		{`{a:{$size:{$numberDouble:'NaN'}}}`, 0, 2, "Failed to parse $size. Expected an integer, but found NaN in: $size: nan.0"},
		{`{a:{$size:{$numberDouble:'Infinity'}}}`, 0, 2, "Failed to parse $size. Cannot represent as a 64-bit integer: $size: inf.0"},
		{`{a:{$size:{$numberLong:'4294967296'}}}`, 0, 2, "Failed to parse $size. Cannot represent $size: 4294967296 in an int"},
		{`{a:{$type:'missing'}}`, 0, 2, "'missing' is not a legal type name. To query for non-existence of a field, use {$exists:false}."},
		{`{a:{$type:'Double'}}`, 0, 2, "Unknown type name alias: Double"},
		{`{a:{$type:0}}`, 0, 2, "Invalid numerical type code: 0. Instead use {$exists:false}."},
		{`{a:{$type:20}}`, 0, 2, "Invalid numerical type code: 20"},
		{`{a:{$type:[]}}`, 0, 9, "$type must match at least one type"},
		{`{a:{$type:true}}`, 0, 14, "type must be represented as a number or a string"},
		{`{a:{$mod:1}}`, 0, 2, "malformed mod, needs to be an array"},
		{`{a:{$mod:[]}}`, 0, 2, "malformed mod, not enough elements"},
		{`{a:{$mod:['x',1]}}`, 0, 2, "malformed mod, divisor not a number"},
		{`{a:{$mod:[1,'x']}}`, 0, 2, "malformed mod, remainder not a number"},
		{`{a:{$mod:[1,1,1]}}`, 0, 2, "malformed mod, too many elements"},
		{`{a:{$mod:[0.5,1]}}`, 0, 2, "divisor cannot be 0"},
		{`{a:{$mod:[{$numberDouble:'NaN'},1]}}`, 0, 2, "malformed mod, divisor value is invalid :: caused by :: Unable to coerce NaN/Inf to integral type"},
		{`{a:{$mod:[1,1e300]}}`, 0, 2, "malformed mod, remainder value is invalid :: caused by :: Out of bounds coercing to integral value"},
		{`{a:{$regex:1}}`, 0, 2, "$regex has to be a string"},
		{`{a:{$regex:'x',$options:1}}`, 0, 2, "$options has to be a string"},
		{`{a:{$options:'i'}}`, 0, 2, "$options needs a $regex"},
		{`{a:{$regex:'x',$options:'g'}}`, 0, 51108, "invalid flag in regex options: g"},
		{`{a:{$regularExpression:{pattern:'x',options:'q'}}}`, 0, 51108, "invalid flag in regex options: q"},
		{`{a:{$regex:'('}}`, 0, 51091, "Regular expression is invalid: "},
		{`{a:{$regex:'a\u0000b'}}`, 0, 2, "Regular expression cannot contain an embedded null byte"},
		{`{a:{$regex:{$regularExpression:{pattern:'x',options:'i'}},$options:'m'}}`, 0, 51075, "options set in both $regex and $options"},
		{`{a:{$options:'m',$regex:{$regularExpression:{pattern:'x',options:'i'}}}}`, 0, 51074, "options set in both $regex and $options"},
		{`{a:{$bitsAllSet:'x'}}`, 0, 2, `$bitsAllSet takes an Array, a number, or a BinData but received: $bitsAllSet: "x"`},
		{`{a:{$bitsAllSet:-1}}`, 0, 9, "Expected a non-negative number in: $bitsAllSet: -1"},
		{`{a:{$bitsAnySet:1.5}}`, 0, 9, "Expected an integer: $bitsAnySet: 1.5"},
		{`{a:{$bitsAllClear:[0,-1]}}`, 0, 2, "Failed to parse bit position. Expected a non-negative number in: 1: -1"},
		{`{a:{$bitsAllClear:['x']}}`, 0, 2, `Failed to parse bit position. Expected a number in: 0: "x"`},
		{`{$alwaysTrue:2}`, 0, 9, "$alwaysTrue must be an integer value of 1"},
		{`{$alwaysFalse:true}`, 0, 9, "Expected a number in: $alwaysFalse: true"},
		{`{$sampleRate:'x'}`, 0, 2, "argument to $sampleRate must be a numeric type"},
		{`{$sampleRate:{$numberDouble:'NaN'}}`, 0, 2, "numeric argument to $sampleRate must be in [0, 1]"},
		{`{$where:'true'}`, 0, 2, "no globalScriptEngine in $where parsing"},
		{`{$text:{$search:'x'}}`, 0, 2, "$text is not allowed in this context"},
		{`{a:{$near:['x',0]}}`, 0, 2, "Point must only contain numeric elements"},
		{`{a:{$gt:1,$near:[0,0]}}`, 0, 2, "near must be first in: "},
		{`{a:{$geoWithin:{}}}`, 0, 2, "geometry must be an object"},
		{`{$expr:'$$x'}`, 0, 17276, "Use of undefined variable: x"},
		{`{$jsonSchema:1}`, 0, 14, "$jsonSchema must be an object"},
		{`{'` + strings.Repeat("a.", 200) + `b':1}`, 0, 5729100, "FieldPath is too long"},
	})
}

func TestRefusalsWhereOnlyPlainConditionsStand(t *testing.T) {
	testRefusals(t, true, []refusal{
		{`{$expr:true}`, 0, 224, "$expr is not allowed in this context"},
		{`{$jsonSchema:{}}`, 0, 224, "$jsonSchema is not allowed in this context"},
		{`{$where:'1'}`, 0, 2, "$where is not allowed in this context"},
		{`{$text:{$search:'x'}}`, 0, 2, "$text is not allowed in this context"},
		{`{a:{$nearSphere:[0,0]}}`, 0, 2, "$geoNear, $near, and $nearSphere are not allowed in this context"},
	})
}
