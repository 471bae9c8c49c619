package expr_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// outcome is the result of an expression on a server of a wire version: a value, or a code and a part of the message.
// Zero is the newest server.
type outcome struct {
	name, expr, want string
	code             int32
	wire             int32
}

func gives(name, e, want string) outcome { return outcome{name: name, expr: e, want: want} }
func refuses(name, e string, code int32, text string) outcome {
	return outcome{name: name, expr: e, want: text, code: code}
}

// on returns the outcome for a server of another version.
func (o outcome) on(wire int32) outcome { o.wire = wire; return o }

func check(t *testing.T, outcomes []outcome) {
	t.Helper()
	in := doc(t, sample)
	for _, o := range outcomes {
		t.Run(o.name, func(t *testing.T) {
			var got bson.RawValue
			node, err := expr.Compile(doc(t, `{v:`+o.expr+`}`).Lookup("v"), &expr.Scope{WireVersion: o.wire})
			if err == nil {
				got, err = node.Eval(in)
			}
			if o.code != 0 {
				if e := status.From(err); err == nil || int32(e.Code) != o.code || !strings.Contains(e.Message, o.want) {
					t.Fatalf("%s: got %s, %v, want %d %s", o.expr, status.TextOf(got), err, o.code, o.want)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", o.expr, err)
			}
			var want bson.RawValue
			if o.want != "" {
				want = doc(t, `{v:`+o.want+`}`).Lookup("v")
			}
			if !got.Equal(want) {
				t.Errorf("%s: got %s %s, want %s %s", o.expr, got.Type, status.TextOf(got), want.Type, status.TextOf(want))
			}
		})
	}
}

func TestArithmeticTypes(t *testing.T) {
	check(t, []outcome{
		gives("nothing to add", `{$add:[]}`, `0`),
		gives("int and long", `{$add:[1,{$numberLong:'2'}]}`, `{$numberLong:'3'}`),
		gives("an int that overflows on the way is an int again", `{$add:[2147483647,1,-1]}`, `2147483647`),
		gives("a long that overflows is a double", `{$add:[{$numberLong:'9223372036854775807'},1]}`, `9223372036854775808.0`),
		gives("decimal wins over double", `{$add:[{$numberDecimal:'1'},0.5]}`, `{$numberDecimal:'1.5'}`),
		gives("null before a string", `{$add:[null,'x']}`, `null`),
		refuses("a string before null", `{$add:['x',null]}`, 14, "$add only supports numeric or date types, not string"),
		refuses("a string on 5.0", `{$add:['x']}`, 16554, "$add only supports").on(13),
		gives("missing", `{$add:[1,'$missing']}`, `null`),
		gives("a double is rounded for a date", `{$add:['$when',0.6]}`, `{$date:'2024-02-29T13:45:30.124Z'}`),
		refuses("two dates", `{$add:['$when','$when']}`, 16612, "only one date"),
		refuses("a date overflows", `{$add:['$when',{$numberLong:'9223372036854775807'}]}`, 15, "date overflow"),
		gives("date minus int", `{$subtract:['$when',1000]}`, `{$date:'2024-02-29T13:45:29.123Z'}`),
		refuses("int minus date", `{$subtract:[1,'$when']}`, 14, "can't $subtract date from int"),
		refuses("date minus string", `{$subtract:['$when','x']}`, 14, "can't $subtract string from Date"),
		refuses("date minus string on 5.0", `{$subtract:['$when','x']}`, 16613, "").on(13),
		gives("long minus long overflows", `{$subtract:[{$numberLong:'-9223372036854775808'},1]}`, `-9223372036854775808.0`),
		gives("nothing to multiply", `{$multiply:[]}`, `1`),
		gives("zero after an overflow of int is an int", `{$multiply:[2147483647,2,0]}`, `0`),
		gives("long times long overflows", `{$multiply:[{$numberLong:'4611686018427387904'},4]}`, `18446744073709551616.0`),
		refuses("multiply a bool", `{$multiply:[true,1]}`, 14, "not bool"),
		gives("ints divide to a double", `{$divide:[4,2]}`, `2.0`),
		gives("divide null", `{$divide:[null,0]}`, `null`),
		refuses("divide by zero", `{$divide:['$a',0]}`, 2, "can't $divide by zero"),
		refuses("divide by zero on 4.4", `{$divide:['$a',0]}`, 16608, "can't $divide by zero").on(9),
		refuses("divide a string", `{$divide:['x',1]}`, 14, "$divide only supports numeric types, not string and int"),
		gives("mod of doubles", `{$mod:[5.5,2]}`, `1.5`),
		gives("mod of a long", `{$mod:[{$numberLong:'7'},4]}`, `{$numberLong:'3'}`),
		refuses("mod by zero", `{$mod:['$a',0]}`, 16610, "can't $mod by zero"),
		refuses("mod by a decimal zero", `{$mod:['$a',{$numberDecimal:'0'}]}`, 5733415, "can't $mod by zero"),
		refuses("mod of a string", `{$mod:['x',1]}`, 16611, "not string and int"),
		gives("abs of the least int is a long", `{$abs:-2147483648}`, `{$numberLong:'2147483648'}`),
		refuses("abs of the least long", `{$abs:{$numberLong:'-9223372036854775808'}}`, 28680, "can't take $abs of long long min"),
		refuses("abs of a string", `{$abs:'x'}`, 28765, "$abs only supports numeric types, not string"),
		gives("ceil of an int", `{$ceil:3}`, `3`),
		gives("floor of a decimal", `{$floor:{$numberDecimal:'-1.5'}}`, `{$numberDecimal:'-2'}`),
		gives("round to even", `{$round:3.5}`, `4.0`),
		gives("round of null", `{$round:[null,1]}`, `null`),
		gives("round to a null place", `{$round:[1.5,null]}`, `null`),
		refuses("round of a string", `{$round:'x'}`, 51081, "$round only supports numeric types, not string"),
		refuses("round to half a place", `{$round:[1.5,0.5]}`, 51082, "precision argument to  $round must be a integral value"),
		refuses("round too far", `{$round:[1.5,101]}`, 51083, "value must be in [-20, 100]"),
		refuses("round a long beyond its type", `{$round:[{$numberLong:'9223372036854775807'},-1]}`, 51080, "invalid conversion"),
		refuses("round of three", `{$round:[1,2,3]}`, 28667, "takes at least 1 arguments, and at most 2, but 3 were passed in."),
		gives("trunc", `{$trunc:[-1.79,1]}`, `-1.7`),
		gives("trunc of a long to tens", `{$trunc:[{$numberLong:'1239'},-1]}`, `{$numberLong:'1230'}`),
	})
}

func TestRealFunctions(t *testing.T) {
	check(t, []outcome{
		gives("pow of ints", `{$pow:[2,10]}`, `1024`),
		gives("pow of ints to a long", `{$pow:[2,40]}`, `{$numberLong:'1099511627776'}`),
		gives("pow beyond a long", `{$pow:[2,63]}`, `9223372036854775808.0`),
		gives("pow down to the least long", `{$pow:[-2,63]}`, `{$numberLong:'-9223372036854775808'}`),
		gives("pow with a long exponent", `{$pow:[2,{$numberLong:'3'}]}`, `{$numberLong:'8'}`),
		gives("pow with a negative exponent", `{$pow:[2,-1]}`, `0.5`),
		gives("pow of one", `{$pow:[1,-5]}`, `1`),
		gives("pow of minus one", `{$pow:[-1,-3]}`, `-1`),
		gives("pow zero zero", `{$pow:[0,0]}`, `1`),
		gives("pow of decimals", `{$pow:[{$numberDecimal:'1.1'},2]}`, `{$numberDecimal:'1.210000000000000000000000000000000'}`),
		gives("pow with a fraction", `{$pow:[{$numberDecimal:'2'},0.5]}`, `{$numberDecimal:'1.414213562373095048801688724209698'}`),
		refuses("pow of zero", `{$pow:[0,-1]}`, 28764, "base of 0 and a negative exponent"),
		refuses("pow of a string", `{$pow:['x',1]}`, 28762, "$pow's base must be numeric, not string"),
		refuses("pow to a string", `{$pow:[1,'x']}`, 28763, "$pow's exponent must be numeric, not string"),
		gives("sqrt of a decimal", `{$sqrt:{$numberDecimal:'2'}}`, `{$numberDecimal:'1.414213562373095048801688724209698'}`),
		gives("sqrt of zero", `{$sqrt:0}`, `0.0`),
		refuses("sqrt of a negative", `{$sqrt:-1}`, 28714, "greater than or equal to 0"),
		gives("exp", `{$exp:0}`, `1.0`),
		gives("exp of a decimal", `{$exp:{$numberDecimal:'1'}}`, `{$numberDecimal:'2.718281828459045235360287471352662'}`),
		gives("ln of a decimal", `{$ln:{$numberDecimal:'10'}}`, `{$numberDecimal:'2.302585092994045684017991454684364'}`),
		gives("ln of NaN", `{$ln:{$numberDouble:'NaN'}}`, `{$numberDouble:'NaN'}`),
		refuses("ln of zero", `{$ln:0}`, 28766, "$ln's argument must be a positive number, but is 0"),
		gives("log10", `{$log10:1000}`, `3.0`),
		refuses("log10 of a negative", `{$log10:-1.5}`, 28761, "but is -1.5"),
		gives("log", `{$log:[8,2]}`, `3.0`),
		gives("log of null", `{$log:[null,'x']}`, `null`),
		refuses("log of a string", `{$log:['x',2]}`, 28756, "$log's argument must be numeric"),
		refuses("log to a string", `{$log:[2,'x']}`, 28757, "$log's base must be numeric"),
		refuses("log of zero", `{$log:[0,2]}`, 28758, "positive number, but is 0"),
		refuses("log to one", `{$log:[2,1]}`, 28759, "positive number not equal to 1, but is 1"),
		gives("sin", `{$sin:0}`, `0.0`),
		gives("sin of a decimal", `{$sin:{$numberDecimal:'0'}}`, `{$numberDecimal:'0'}`),
		gives("cos of null", `{$cos:null}`, `null`),
		refuses("cos of infinity", `{$cos:{$numberDouble:'Infinity'}}`, 50989, "cannot apply $cos to inf, value must in (-inf,inf)"),
		refuses("acos out of its domain", `{$acos:2}`, 50989, "cannot apply $acos to 2, value must in [-1,1]"),
		refuses("acosh out of its domain", `{$acosh:0}`, 50989, "value must in [1,inf]"),
		gives("atan2", `{$atan2:[0,1]}`, `0.0`),
		refuses("atan2 of a string", `{$atan2:['x',1]}`, 51044, "$atan2 only supports numeric types, not string"),
		refuses("atan2 with a string", `{$atan2:[1,'x']}`, 51045, ""),
		gives("degrees", `{$radiansToDegrees:0}`, `0.0`),
		gives("radians of a decimal", `{$degreesToRadians:{$numberDecimal:'180'}}`, `{$numberDecimal:'3.141592653589793238462643383279503'}`),
		gives("and of bits", `{$bitAnd:[6,3]}`, `2`),
		gives("and of no bits", `{$bitAnd:[]}`, `-1`),
		gives("or of bits with a long", `{$bitOr:[4,{$numberLong:'1'}]}`, `{$numberLong:'5'}`),
		gives("xor of bits", `{$bitXor:[6,3]}`, `5`),
		gives("not of bits", `{$bitNot:0}`, `-1`),
		gives("bits of null", `{$bitAnd:[1,null]}`, `null`),
		refuses("bits of a double", `{$bitAnd:[1,1.5]}`, 14, "$bitAnd only supports int and long operands."),
		refuses("not of a double", `{$bitNot:1.5}`, 14, "not: double."),
		refuses("not of a string", `{$bitNot:'x'}`, 28765, ""),
		refuses("bits before 6.3", `{$bitAnd:[1]}`, 168, "Unrecognized expression '$bitAnd'").on(17),
	})
}

func TestFieldPaths(t *testing.T) {
	deep := strings.Repeat("a.", 200) + "a"
	check(t, []outcome{
		refuses("a dollar alone", `'$'`, 16872, "'$' by itself is not a valid FieldPath"),
		refuses("two dollars", `'$$'`, 9, "empty variable names are not allowed"),
		refuses("two dollars on 4.4", `'$$'`, 16869, "empty variable names").on(9),
		refuses("a variable that is a number", `'$$1'`, 9, "starts with an invalid character for a variable name"),
		refuses("an undefined variable", `'$$nope'`, 17276, "Use of undefined variable: nope"),
		refuses("an undefined system variable", `'$$NOPE'`, 17276, "Use of undefined variable: NOPE"),
		refuses("a variable of $redact", `'$$KEEP'`, 17276, ""),
		refuses("cluster time of a standalone", `'$$CLUSTER_TIME'`, 51144, "'$$CLUSTER_TIME' is not available"),
		refuses("a dot at the end", `'$a.'`, 40353, "FieldPath must not end with a '.'."),
		refuses("a dot at the end of a variable", `'$$ROOT.'`, 40353, ""),
		refuses("a dot at the beginning", `'$.a'`, 15998, "FieldPath field names may not be empty strings."),
		refuses("a dollar within", `'$a.$b'`, 16410, "may not start with '$'. Consider using $getField or $setField."),
		refuses("a path that is too long", `'$`+deep+`'`, 15, "FieldPath is too long"),
		gives("a reference's $id", `'$a.$id'`, ``),
		gives("through an array", `'$docs.x'`, `[1,2]`),
		gives("an array in an array is left out", `{$let:{vars:{v:[[{a:1}],{a:2}]},in:'$$v.a'}}`, `[2]`),
		gives("through a scalar", `'$a.b'`, ``),
		gives("a number is a name", `'$arr.0'`, `[]`),
		gives("removed", `'$$REMOVE'`, ``),
		gives("current", `'$$CURRENT.a'`, `5`),
		gives("another current", `{$let:{vars:{CURRENT:'$d'},in:'$x.y'}}`, `7`),
		refuses("a name with a dot", `{'a.b':1}`, 16412, "may not contain '.'"),
		refuses("an operator behind a field", `{a:1,$add:[1]}`, 16410, "may not start with '$'"),
		refuses("two operators", `{$add:[1],$abs:1}`, 15983, "must have exactly one field"),
		refuses("a field twice", `{a:1,a:2}`, 16406, "duplicate field name"),
		gives("an empty document", `{}`, `{}`),
		gives("missing in a document", `{a:'$missing'}`, `{}`),
		gives("missing in an array", `['$missing']`, `[null]`),
		refuses("unknown", `{$foo:1}`, 168, "Unrecognized expression '$foo'"),
		refuses("javascript", `{$function:{body:'',args:[],lang:'js'}}`, 168, "mongotest does not have it"),
		refuses("text scores", `{$meta:'textScore'}`, 40218, "query requires text score metadata"),
		refuses("too deep", strings.Repeat(`{$not:`, 190)+`1`+strings.Repeat(`}`, 190), 15, "maximum nested object depth"),
	})
}

func TestConditions(t *testing.T) {
	check(t, []outcome{
		gives("numbers of all types", `{$eq:[1,{$numberDecimal:'1.0'}]}`, `true`),
		gives("missing is below null", `{$cmp:['$missing',null]}`, `-1`),
		gives("null is below numbers", `{$lt:[null,{$numberDouble:'-Infinity'}]}`, `true`),
		gives("NaN is below numbers", `{$lt:[{$numberDouble:'NaN'},-1]}`, `true`),
		gives("documents compare by type first", `{$gt:[{a:'x'},{a:1}]}`, `true`),
		refuses("eq of one", `{$eq:[1]}`, 16020, "Expression $eq takes exactly 2 arguments. 1 were passed in."),
		gives("and of nothing", `{$and:[]}`, `true`),
		gives("or of nothing", `{$or:[]}`, `false`),
		gives("an empty string is true", `{$and:['']}`, `true`),
		gives("not of an array", `{$not:[[]]}`, `false`),
		refuses("cond of two", `{$cond:[1,2]}`, 16020, "Expression $cond takes exactly 3 arguments. 2 were passed in."),
		refuses("cond without if", `{$cond:{then:1,else:2}}`, 17080, "Missing 'if' parameter to $cond"),
		refuses("cond without then", `{$cond:{if:1,else:2}}`, 17081, ""),
		refuses("cond without else", `{$cond:{if:1,then:2}}`, 17082, ""),
		refuses("cond with more", `{$cond:{if:1,then:2,else:3,x:1}}`, 17083, "Unrecognized parameter to $cond: x"),
		gives("cond evaluates one branch", `{$cond:['$a','$a',{$divide:['$a','$missing0']}]}`, `5`),
		gives("ifNull of three", `{$ifNull:[null,'$missing',3]}`, `3`),
		refuses("ifNull of three on 4.4", `{$ifNull:[null,null,3]}`, 16020, "takes exactly 2 arguments. 3 were").on(9),
		refuses("ifNull of one", `{$ifNull:[1]}`, 1257300, "$ifNull needs at least two arguments, had: 1"),
		refuses("switch of a number", `{$switch:1}`, 40060, "found: int"),
		refuses("switch without an array", `{$switch:{branches:1}}`, 40061, ""),
		refuses("a branch that is a number", `{$switch:{branches:[1]}}`, 40062, ""),
		refuses("a branch with more", `{$switch:{branches:[{case:1,then:1,x:1}]}}`, 40063, "found an unknown argument to a branch: x"),
		refuses("a branch without case", `{$switch:{branches:[{then:1}]}}`, 40064, ""),
		refuses("a branch without then", `{$switch:{branches:[{case:1}]}}`, 40065, ""),
		refuses("switch without a match", `{$switch:{branches:[{case:{$eq:['$a',1]},then:1}]}}`, 40066, "no default was specified"),
		refuses("switch with more", `{$switch:{branches:[{case:1,then:1}],x:1}}`, 40067, "found an unknown argument: x"),
		refuses("switch without branches", `{$switch:{branches:[]}}`, 40068, "requires at least one branch"),
		refuses("a constant part is computed at once", `{$cond:['$t',1,{$divide:[1,0]}]}`, 2, "can't $divide by zero"),
	})
}

func TestVariables(t *testing.T) {
	check(t, []outcome{
		gives("an inner variable hides an outer one", `{$let:{vars:{x:1},in:{$let:{vars:{x:2},in:'$$x'}}}}`, `2`),
		gives("variables do not see one another", `{$let:{vars:{x:1},in:{$let:{vars:{x:2,y:'$$x'},in:'$$y'}}}}`, `1`),
		gives("a missing variable", `{$let:{vars:{x:'$missing'},in:{$type:'$$x'}}}`, `'missing'`),
		gives("loops in loops", `{$map:{input:[1,2],as:'i',in:{$map:{input:[10,20],as:'j',in:{$add:['$$i','$$j']}}}}}`, `[[11,21],[12,22]]`),
		refuses("let of a number", `{$let:1}`, 16874, ""),
		refuses("let with more", `{$let:{vars:{},in:1,x:1}}`, 16875, ""),
		refuses("let without vars", `{$let:{in:1}}`, 16876, ""),
		refuses("let without in", `{$let:{vars:{}}}`, 16877, ""),
		refuses("a variable in capitals", `{$let:{vars:{Xy:1},in:1}}`, 9, "'Xy' starts with an invalid character for a user variable name"),
		refuses("a variable in capitals on 4.4", `{$let:{vars:{Xy:1},in:1}}`, 16867, "").on(9),
		refuses("a variable with a dash", `{$let:{vars:{'x-y':1},in:1}}`, 9, "contains an invalid character for a variable name: '-'"),
		refuses("map of a number", `{$map:1}`, 16878, ""),
		refuses("map with more", `{$map:{input:[],in:1,x:1}}`, 16879, "Unrecognized parameter to $map: x"),
		refuses("map without input", `{$map:{in:1}}`, 16880, ""),
		refuses("map without in", `{$map:{input:[]}}`, 16882, ""),
		refuses("map over a string", `{$map:{input:'x',in:1}}`, 16883, "input to $map must be an array not string"),
		gives("map over null", `{$map:{input:null,in:1}}`, `null`),
		refuses("filter of a number", `{$filter:1}`, 28646, ""),
		refuses("filter with more", `{$filter:{input:[],cond:1,x:1}}`, 28647, ""),
		refuses("filter without input", `{$filter:{cond:1}}`, 28648, ""),
		refuses("filter without cond", `{$filter:{input:[]}}`, 28650, ""),
		refuses("filter over a string", `{$filter:{input:'x',cond:1}}`, 28651, ""),
		gives("filter with a null limit", `{$filter:{input:[1,2],cond:true,limit:null}}`, `[1,2]`),
		gives("filter stops at its limit", `{$filter:{input:['$a','$s'],cond:{$gt:[{$abs:'$$this'},0]},limit:1}}`, `[5]`),
		refuses("filter with half a limit", `{$filter:{input:[1],cond:1,limit:1.5}}`, 327391, "32-bit integral value"),
		refuses("filter with a limit of zero", `{$filter:{input:[1],cond:1,limit:0}}`, 327392, "must be greater than 0"),
		refuses("filter with a limit on 5.0", `{$filter:{input:[1],cond:1,limit:1}}`, 28647, "Unrecognized parameter to $filter: limit").on(13),
		refuses("reduce of a number", `{$reduce:1}`, 40075, ""),
		refuses("reduce with more", `{$reduce:{input:[],initialValue:1,in:1,x:1}}`, 40076, ""),
		refuses("reduce without input", `{$reduce:{initialValue:1,in:1}}`, 40077, ""),
		refuses("reduce without initialValue", `{$reduce:{input:[],in:1}}`, 40078, ""),
		refuses("reduce without in", `{$reduce:{input:[],initialValue:1}}`, 40079, ""),
		refuses("reduce over a string", `{$reduce:{input:'x',initialValue:1,in:1}}`, 40080, `found: "x"`),
		gives("reduce over null", `{$reduce:{input:null,initialValue:1,in:1}}`, `null`),
		gives("reduce over nothing", `{$reduce:{input:[],initialValue:1,in:2}}`, `1`),
		refuses("rand of a number", `{$rand:1}`, 10065, "invalid parameter: expected an object ($rand)"),
		refuses("rand with arguments", `{$rand:{x:1}}`, 3040501, "does not currently accept arguments"),
		gives("rand", `{$lt:[{$rand:{}},1]}`, `true`),
	})
}
