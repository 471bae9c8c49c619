package expr_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
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

const sample = `{_id:1,a:5,b:2.5,s:'Hello, World',n:null,arr:[3,1,2],docs:[{x:1,q:2},{x:2},{y:3}],d:{x:{y:7}},t:true,
	when:{$date:'2024-02-29T13:45:30.123Z'},dec:{$numberDecimal:'1.50'},oid:{$oid:'507f1f77bcf86cd799439011'}}`

// values are expressions with their results; an empty result is a missing value.
var values = []struct{ expr, want string }{
	{`'$a'`, `5`},
	{`'$d.x.y'`, `7`},
	{`'$docs.x'`, `[1,2]`},
	{`'$missing'`, ``},
	{`'$$ROOT._id'`, `1`},
	{`{$literal:'$a'}`, `'$a'`},
	{`{x:'$a',y:'$missing',z:[1,'$missing']}`, `{x:5,z:[1,null]}`},
	{`{$add:['$a',1,2.5]}`, `8.5`},
	{`{$add:['$a','$dec']}`, `{$numberDecimal:'6.50'}`},
	{`{$add:['$when',1000]}`, `{$date:'2024-02-29T13:45:31.123Z'}`},
	{`{$add:['$a','$n']}`, `null`},
	{`{$add:[2147483647,1]}`, `{$numberLong:'2147483648'}`},
	{`{$subtract:['$when','$when']}`, `{$numberLong:'0'}`},
	{`{$multiply:['$a',2]}`, `10`},
	{`{$divide:['$a',2]}`, `2.5`},
	{`{$mod:[-7,3]}`, `-1`},
	{`{$abs:-4}`, `4`},
	{`{$ceil:1.2}`, `2.0`},
	{`{$floor:-1.2}`, `-2.0`},
	{`{$round:[2.345,2]}`, `2.35`},
	{`{$round:2.5}`, `2.0`},
	{`{$round:[1234,-2]}`, `1200`},
	{`{$trunc:[7.89,1]}`, `7.8`},
	{`{$pow:[2,10]}`, `1024`},
	{`{$sqrt:16}`, `4.0`},
	{`{$eq:['$a',5.0]}`, `true`},
	{`{$gt:['x',100]}`, `true`},
	{`{$lt:['$missing',null]}`, `true`},
	{`{$cmp:[1,2]}`, `-1`},
	{`{$and:[1,'$t']}`, `true`},
	{`{$or:[0,'$n']}`, `false`},
	{`{$not:['$t']}`, `false`},
	{`{$cond:[{$gt:['$a',3]},'big','small']}`, `'big'`},
	{`{$cond:{if:false,then:1,else:2}}`, `2`},
	{`{$ifNull:['$n','$missing','x']}`, `'x'`},
	{`{$switch:{branches:[{case:{$eq:['$a',1]},then:'one'},{case:{$eq:['$a',5]},then:'five'}],default:'other'}}`, `'five'`},
	{`{$let:{vars:{p:'$a',q:2},in:{$multiply:['$$p','$$q']}}}`, `10`},
	{`{$map:{input:'$arr',as:'e',in:{$add:['$$e','$a']}}}`, `[8,6,7]`},
	{`{$map:{input:'$docs',in:'$$this.x'}}`, `[1,2,null]`},
	{`{$filter:{input:'$arr',as:'e',cond:{$gte:['$$e',2]}}}`, `[3,2]`},
	{`{$filter:{input:'$arr',cond:true,limit:1}}`, `[3]`},
	{`{$reduce:{input:'$arr',initialValue:0,in:{$add:['$$value','$$this']}}}`, `6`},
	{`{$concat:['a','$s']}`, `'aHello, World'`},
	{`{$concat:['a','$n']}`, `null`},
	{`{$toUpper:'$s'}`, `'HELLO, WORLD'`},
	{`{$strLenCP:'grün'}`, `4`},
	{`{$strLenBytes:'grün'}`, `5`},
	{`{$substrCP:['grün',1,2]}`, `'rü'`},
	{`{$substrBytes:['$s',0,5]}`, `'Hello'`},
	{`{$split:['a-b-c','-']}`, `['a','b','c']`},
	{`{$indexOfCP:['$s','World']}`, `7`},
	{`{$indexOfBytes:['$s','z']}`, `-1`},
	{`{$trim:{input:'  x '}}`, `'x'`},
	{`{$ltrim:{input:'xxy',chars:'x'}}`, `'y'`},
	{`{$replaceAll:{input:'a.b.c',find:'.',replacement:'-'}}`, `'a-b-c'`},
	{`{$regexMatch:{input:'$s',regex:'^hello',options:'i'}}`, `true`},
	{`{$regexFind:{input:'$s',regex:'W(o)'}}`, `{match:'Wo',idx:7,captures:['o']}`},
	{`{$size:'$arr'}`, `3`},
	{`{$arrayElemAt:['$arr',-1]}`, `2`},
	{`{$arrayElemAt:['$arr',9]}`, ``},
	{`{$first:'$arr'}`, `3`},
	{`{$last:'$arr'}`, `2`},
	{`{$concatArrays:['$arr',[9]]}`, `[3,1,2,9]`},
	{`{$isArray:['$arr']}`, `true`},
	{`{$in:[2,'$arr']}`, `true`},
	{`{$indexOfArray:['$arr',2]}`, `2`},
	{`{$range:[0,10,3]}`, `[0,3,6,9]`},
	{`{$reverseArray:'$arr'}`, `[2,1,3]`},
	{`{$slice:['$arr',1,1]}`, `[1]`},
	{`{$slice:['$arr',-2]}`, `[1,2]`},
	{`{$sortArray:{input:'$arr',sortBy:1}}`, `[1,2,3]`},
	{`{$zip:{inputs:[[1,2],['a']]}}`, `[[1,'a']]`},
	{`{$setUnion:['$arr',[4,1]]}`, `[1,2,3,4]`},
	{`{$setIntersection:['$arr',[4,1]]}`, `[1]`},
	{`{$setDifference:['$arr',[1]]}`, `[3,2]`},
	{`{$setEquals:['$arr',[1,2,3,3]]}`, `true`},
	{`{$setIsSubset:[[1],'$arr']}`, `true`},
	{`{$anyElementTrue:[[0,1]]}`, `true`},
	{`{$sum:'$arr'}`, `6`},
	{`{$avg:['$a',10]}`, `7.5`},
	{`{$max:'$arr'}`, `3`},
	{`{$min:['$a',2,null]}`, `2`},
	{`{$stdDevPop:[[2,4,4,4,5,5,7,9]]}`, `2.0`},
	{`{$mergeObjects:['$d',{z:1}]}`, `{x:{y:7},z:1}`},
	{`{$objectToArray:{a:1}}`, `[{k:'a',v:1}]`},
	{`{$arrayToObject:[[['a',1],['b',2]]]}`, `{a:1,b:2}`},
	{`{$getField:'a'}`, `5`},
	{`{$getField:{field:'x',input:'$d'}}`, `{y:7}`},
	{`{$setField:{field:'q',input:'$d',value:3}}`, `{x:{y:7},q:3}`},
	{`{$unsetField:{field:'x',input:'$d'}}`, `{}`},
	{`{$type:'$missing'}`, `'missing'`},
	{`{$type:'$dec'}`, `'decimal'`},
	{`{$isNumber:'$a'}`, `true`},
	{`{$toString:'$oid'}`, `'507f1f77bcf86cd799439011'`},
	{`{$toString:'$when'}`, `'2024-02-29T13:45:30.123Z'`},
	{`{$toInt:'42'}`, `42`},
	{`{$toInt:3.9}`, `3`},
	{`{$toLong:'$when'}`, `{$numberLong:'1709214330123'}`},
	{`{$toDouble:'1.5'}`, `1.5`},
	{`{$toDecimal:1}`, `{$numberDecimal:'1'}`},
	{`{$toBool:0}`, `false`},
	{`{$toDate:'2024-01-02'}`, `{$date:'2024-01-02T00:00:00Z'}`},
	{`{$convert:{input:'abc',to:'int',onError:'bad'}}`, `'bad'`},
	{`{$convert:{input:null,to:'int',onNull:0}}`, `0`},
	{`{$year:'$when'}`, `2024`},
	{`{$month:{date:'$when'}}`, `2`},
	{`{$hour:{date:'$when',timezone:'America/New_York'}}`, `8`},
	{`{$hour:{date:'$when',timezone:'+05:30'}}`, `19`},
	{`{$dayOfWeek:'$when'}`, `5`},
	{`{$dayOfYear:'$when'}`, `60`},
	{`{$week:'$when'}`, `8`},
	{`{$isoWeek:'$when'}`, `9`},
	{`{$millisecond:'$when'}`, `123`},
	{`{$dateToString:{date:'$when',format:'%Y-%m-%d %H:%M'}}`, `'2024-02-29 13:45'`},
	{`{$dateToString:{date:'$when'}}`, `'2024-02-29T13:45:30.123Z'`},
	{`{$dateFromString:{dateString:'29/02/2024',format:'%d/%m/%Y'}}`, `{$date:'2024-02-29T00:00:00Z'}`},
	{`{$dateFromParts:{year:2024,month:13}}`, `{$date:'2025-01-01T00:00:00Z'}`},
	{`{$dateToParts:{date:'$when'}}`, `{year:2024,month:2,day:29,hour:13,minute:45,second:30,millisecond:123}`},
	{`{$dateAdd:{startDate:'$when',unit:'year',amount:1}}`, `{$date:'2025-02-28T13:45:30.123Z'}`},
	{`{$dateSubtract:{startDate:'$when',unit:'hour',amount:14}}`, `{$date:'2024-02-28T23:45:30.123Z'}`},
	{`{$dateDiff:{startDate:{$dateFromParts:{year:2023,month:12,day:31}},endDate:'$when',unit:'month'}}`, `{$numberLong:'2'}`},
	{`{$dateTrunc:{date:'$when',unit:'month'}}`, `{$date:'2024-02-01T00:00:00Z'}`},
	{`{$dateTrunc:{date:'$when',unit:'minute',binSize:30}}`, `{$date:'2024-02-29T13:30:00Z'}`},
	{`'$$NOW'`, `{$date:'1970-01-01T00:00:01Z'}`},
	{`'$$user.name'`, `'Ada'`},
}

func TestEval(t *testing.T) {
	scope := (&expr.Scope{Now: time.UnixMilli(1000)}).With(map[string]bson.RawValue{"user": doc(t, `{v:{name:'Ada'}}`).Lookup("v")})
	for _, tt := range values {
		t.Run(tt.expr, func(t *testing.T) {
			node, err := expr.Compile(doc(t, `{v:`+tt.expr+`}`).Lookup("v"), scope)
			if err != nil {
				t.Fatal(err)
			}
			got, err := node.Eval(doc(t, sample))
			if err != nil {
				t.Fatal(err)
			}
			var want bson.RawValue
			if tt.want != "" {
				want = doc(t, `{v:`+tt.want+`}`).Lookup("v")
			}
			if !got.Equal(want) {
				t.Errorf("got %s, want %s", status.TextOf(got), status.TextOf(want))
			}
		})
	}
}

func TestEvalErrors(t *testing.T) {
	tests := []struct {
		expr string
		code int32
		text string
	}{
		{`{$foo:1}`, 168, `Unrecognized expression '$foo'`},
		{`{$add:[1],$sum:1}`, 15983, `must have exactly one field`},
		{`{$divide:[1]}`, 16020, `Expression $divide takes exactly 2 arguments. 1 were passed in.`},
		{`{$divide:[1,0]}`, 2, `can't $divide by zero`},
		{`{$mod:[1,0]}`, 16610, `can't $mod by zero`},
		{`{$add:['x',1]}`, 14, `$add only supports numeric or date types, not string`},
		{`{$concat:[1]}`, 16702, `$concat only supports strings, not int`},
		{`'$$nope'`, 17276, `Use of undefined variable: nope`},
		{`{$size:1}`, 17124, `The argument to $size must be an array, but was of type: int`},
		{`{$toInt:'x'}`, 241, `Failed to parse number 'x' in $convert with no onError value`},
		{`{$switch:{branches:[{case:false,then:1}]}}`, 40066, `$switch could not find a matching branch`},
		{`{$map:{input:1,in:1}}`, 16883, `input to $map must be an array not int`},
		{`{$let:{vars:{a:1}}}`, 16877, `Missing 'in' parameter to $let`},
		{`{$in:[1,2]}`, 40081, `$in requires an array as a second argument, found: int`},
		{`'$a..b'`, 15998, `may not be empty strings`},
		{`{$hour:{date:'$when',timezone:'Nowhere/City'}}`, 40485, `unrecognized time zone identifier`},
	}
	for _, tt := range tests {
		node, err := expr.Compile(doc(t, `{v:`+tt.expr+`}`).Lookup("v"), nil)
		if err == nil {
			_, err = node.Eval(doc(t, sample))
		}
		if err == nil {
			t.Errorf("%s: no error", tt.expr)
			continue
		}
		if e := status.From(err); int32(e.Code) != tt.code || !strings.Contains(e.Message, tt.text) {
			t.Errorf("%s: got %d %s, want %d %s", tt.expr, e.Code, e.Message, tt.code, tt.text)
		}
	}
}

// FuzzEval evaluates any expression, written as extended JSON: nothing may panic, and the result must be BSON.
func FuzzEval(f *testing.F) {
	for _, s := range []string{
		`{$map:{input:'$arr',in:{$add:['$$this',1]}}}`, `{$dateTrunc:{date:'$when',unit:'week',binSize:2}}`, `{$slice:['$arr',1,2]}`,
		`{$substrCP:['$s',1,2]}`, `{$switch:{branches:[{case:'$t',then:1}],default:2}}`, `{$convert:{input:'$a',to:'decimal'}}`,
		`{$pow:['$a',3]}`, `{$round:['$dec',1]}`, `{$range:[0,5,2]}`, `{$zip:{inputs:['$arr',[1]],useLongestLength:true}}`,
		`{$setUnion:['$arr',[1]]}`, `{$regexFindAll:{input:'$s',regex:'o'}}`, `{$dateAdd:{startDate:'$when',unit:'month',amount:2}}`,
		`{$arrayToObject:[[{k:'a',v:1}]]}`, `{$reduce:{input:'$arr',initialValue:0,in:{$add:['$$value','$$this']}}}`,
		`{$mod:['$dec',2]}`, `{$divide:['$dec',3]}`, `{$indexOfArray:['$arr',2,0,9]}`, `{$dateFromParts:{year:2024,day:400}}`,
	} {
		f.Add(s)
	}
	in := doc(f, sample)
	f.Fuzz(func(t *testing.T, s string) {
		quoted := bareKey.ReplaceAllString(strings.ReplaceAll(`{v:`+s+`}`, "'", `"`), `$1"$2":`)
		d, err := bson.ExtJSONToRaw([]byte(quoted), false)
		if err != nil {
			return
		}
		node, err := expr.Compile(d.Lookup("v"), nil)
		if err != nil {
			return
		}
		if v, err := node.Eval(in); err == nil && !v.IsZero() && v.Validate() != nil {
			t.Errorf("invalid result of %s", d)
		}
	})
}
