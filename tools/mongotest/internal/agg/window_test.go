package agg_test

import "testing"

const (
	days   = `[{_id:1,d:3,n:30,p:'a'},{_id:2,d:1,n:10,p:'a'},{_id:3,d:2,n:20,p:'a'},{_id:4,d:1,n:5,p:'b'},{_id:5,d:1,n:7,p:'b'},{_id:6,d:5,n:null,p:'b'}]`
	scaled = `[{a:1},{a:5},{a:13},{a:21}]`
	hours  = `[{_id:1,t:{$date:'2024-01-01T00:00:00Z'},n:1},{_id:2,t:{$date:'2024-01-01T01:00:00Z'},n:3},{_id:3,t:{$date:'2024-01-01T03:00:00Z'},n:9}]`
)

func window(rest string) string {
	return `[{$setWindowFields:{partitionBy:'$p',sortBy:{d:1},output:{r:{` + rest + `}}}},{$project:{r:1}}]`
}

func TestWindowFunctions(t *testing.T) {
	check(t, []outcome{
		gives("the whole partition", days, `[{$setWindowFields:{partitionBy:'$p',output:{s:{$sum:'$n'},c:{$count:{}}}}},{$project:{s:1,c:1}}]`,
			`[{_id:1,s:60,c:3},{_id:2,s:60,c:3},{_id:3,s:60,c:3},{_id:4,s:12,c:3},{_id:5,s:12,c:3},{_id:6,s:12,c:3}]`),
		gives("no partition, no order", `[{_id:2,n:1},{_id:1,n:2}]`, `[{$setWindowFields:{output:{'x.y':{$max:'$n'}}}}]`, `[{_id:2,n:1,x:{y:2}},{_id:1,n:2,x:{y:2}}]`),
		gives("a running total", days, window(`$sum:'$n',window:{documents:['unbounded','current']}`), `[{_id:2,r:10},{_id:3,r:30},{_id:1,r:60},{_id:4,r:5},{_id:5,r:12},{_id:6,r:12}]`),
		gives("neighbours", days, window(`$push:'$n',window:{documents:[-1,1]}`), `[{_id:2,r:[10,20]},{_id:3,r:[10,20,30]},{_id:1,r:[20,30]},{_id:4,r:[5,7]},{_id:5,r:[5,7,null]},{_id:6,r:[7,null]}]`),
		gives("a window beyond the end", days, window(`$push:'$n',window:{documents:[2,3]}`), `[{_id:2,r:[30]},{_id:3,r:[]},{_id:1,r:[]},{_id:4,r:[null]},{_id:5,r:[]},{_id:6,r:[]}]`),
		gives("an average of nothing", days, window(`$avg:'$n',window:{documents:[-3,-2]}`), `[{_id:2,r:null},{_id:3,r:null},{_id:1,r:10.0},{_id:4,r:null},{_id:5,r:null},{_id:6,r:5.0}]`),
		gives("a range", days, window(`$sum:'$n',window:{range:[-1,0]}`), `[{_id:2,r:10},{_id:3,r:30},{_id:1,r:50},{_id:4,r:12},{_id:5,r:12},{_id:6,r:0}]`),
		gives("a range of equal values", days, window(`$push:'$n',window:{range:[0,0]}`), `[{_id:2,r:[10]},{_id:3,r:[20]},{_id:1,r:[30]},{_id:4,r:[5,7]},{_id:5,r:[5,7]},{_id:6,r:[null]}]`),
		gives("a range of time", hours, `[{$setWindowFields:{sortBy:{t:1},output:{r:{$sum:'$n',window:{range:[-2,'current'],unit:'hour'}}}}},{$project:{r:1}}]`, `[{_id:1,r:1},{_id:2,r:4},{_id:3,r:12}]`),
		gives("ranks", days, window(`$rank:{}`), `[{_id:2,r:{$numberLong:'1'}},{_id:3,r:{$numberLong:'2'}},{_id:1,r:{$numberLong:'3'}},{_id:4,r:{$numberLong:'1'}},{_id:5,r:{$numberLong:'1'}},{_id:6,r:{$numberLong:'3'}}]`),
		gives("dense ranks", days, window(`$denseRank:{}`), `[{_id:2,r:{$numberLong:'1'}},{_id:3,r:{$numberLong:'2'}},{_id:1,r:{$numberLong:'3'}},{_id:4,r:{$numberLong:'1'}},{_id:5,r:{$numberLong:'1'}},{_id:6,r:{$numberLong:'2'}}]`),
		gives("numbers", days, window(`$documentNumber:{}`), `[{_id:2,r:{$numberLong:'1'}},{_id:3,r:{$numberLong:'2'}},{_id:1,r:{$numberLong:'3'}},{_id:4,r:{$numberLong:'1'}},{_id:5,r:{$numberLong:'2'}},{_id:6,r:{$numberLong:'3'}}]`),
		gives("shift", days, window(`$shift:{output:'$n',by:-1,default:'none'}`), `[{_id:2,r:'none'},{_id:3,r:10},{_id:1,r:20},{_id:4,r:'none'},{_id:5,r:5},{_id:6,r:7}]`),
		gives("moving average", days, window(`$expMovingAvg:{input:'$n',N:3}`), `[{_id:2,r:10},{_id:3,r:15.0},{_id:1,r:22.5},{_id:4,r:5},{_id:5,r:6.0},{_id:6,r:6.0}]`),
		gives("derivative", hours, `[{$setWindowFields:{sortBy:{t:1},output:{r:{$derivative:{input:'$n',unit:'hour'},window:{documents:[-1,0]}}}}},{$project:{r:1}}]`, `[{_id:1,r:null},{_id:2,r:2.0},{_id:3,r:3.0}]`),
		gives("integral", hours, `[{$setWindowFields:{sortBy:{t:1},output:{r:{$integral:{input:'$n',unit:'hour'},window:{documents:['unbounded','current']}}}}},{$project:{r:1}}]`, `[{_id:1,r:0.0},{_id:2,r:2.0},{_id:3,r:14.0}]`),
		gives("covariance", `[{_id:1,x:1,y:2},{_id:2,x:2,y:4},{_id:3,x:3,y:6}]`, `[{$setWindowFields:{output:{p:{$covariancePop:['$x','$y']},s:{$covarianceSamp:['$x','$y']}}}},{$limit:1}]`, `[{_id:1,x:1,y:2,p:1.3333333333333333,s:2.0}]`),
		gives("last observation", `[{_id:1,n:5},{_id:2},{_id:3,n:null},{_id:4,n:8}]`, `[{$setWindowFields:{sortBy:{_id:1},output:{n:{$locf:'$n'}}}}]`, `[{_id:1,n:5},{_id:2,n:5},{_id:3,n:5},{_id:4,n:8}]`),
		gives("linear fill", `[{_id:0},{_id:1,n:10},{_id:2},{_id:3,n:null},{_id:5,n:50},{_id:6}]`, `[{$setWindowFields:{sortBy:{_id:1},output:{n:{$linearFill:'$n'}}}}]`, `[{_id:0,n:null},{_id:1,n:10},{_id:2,n:20.0},{_id:3,n:30.0},{_id:5,n:50},{_id:6,n:null}]`),
		gives("percentiles", days, window(`$percentile:{input:'$n',p:[0.5,1],method:'approximate'}`), `[{_id:2,r:[20.0,30.0]},{_id:3,r:[20.0,30.0]},{_id:1,r:[20.0,30.0]},{_id:4,r:[5.0,7.0]},{_id:5,r:[5.0,7.0]},{_id:6,r:[5.0,7.0]}]`),
		gives("scaled values", scaled, `[{$setWindowFields:{sortBy:{a:1},output:{r:{$minMaxScaler:'$a'}}}}]`, `[{a:1,r:0.0},{a:5,r:0.2},{a:13,r:0.6},{a:21,r:1.0}]`).on(27),
		gives("scaled to bounds", scaled, `[{$setWindowFields:{sortBy:{a:1},output:{r:{$minMaxScaler:{input:'$a',min:-100,max:{$add:[50,50]}},window:{documents:['unbounded','current']}}}}}]`, `[{a:1,r:-100.0},{a:5,r:100.0},{a:13,r:100.0},{a:21,r:100.0}]`).on(27),
		gives("scaled in windows that move", scaled, `[{$setWindowFields:{sortBy:{a:1},output:{r:{$minMaxScaler:{input:'$a'},window:{documents:[-1,1]}}}}}]`, `[{a:1,r:0.0},{a:5,r:0.3333333333333333},{a:13,r:0.5},{a:21,r:1.0}]`).on(27),
		refuses("a scaled text", `[{$setWindowFields:{output:{a:{$minMaxScaler:'$b'}}}}]`, 10487001, "$minMaxScaler").of(`[{_id:1,b:'x'}]`).on(27),
		refuses("a scaler without input", `[{$setWindowFields:{output:{a:{$minMaxScaler:{min:1,max:2}}}}}]`, 40414, "$minMaxScaler.input").on(27),
		refuses("an unknown argument of a scaler", `[{$setWindowFields:{output:{a:{$minMaxScaler:{input:1,x:2}}}}}]`, 40415, "$minMaxScaler.x").on(27),
		refuses("a bound that is no number", `[{$setWindowFields:{output:{a:{$minMaxScaler:{input:1,max:'x'}}}}}]`, 9, "'max'").on(27),
		refuses("a bound that varies", `[{$setWindowFields:{output:{a:{$minMaxScaler:{input:1,max:'$b'}}}}}]`, 9, "'max'").on(27),
		refuses("bounds in the wrong order", `[{$setWindowFields:{output:{a:{$minMaxScaler:{input:1,min:1,max:1}}}}}]`, 9, "less than 'max'").on(27),
		refuses("a scaler before 8.2", `[{$setWindowFields:{output:{a:{$minMaxScaler:1}}}}]`, 9, "Unrecognized window function").on(25),
		refuses("no document", `[{$setWindowFields:5}]`, 9, "must be an object"),
		refuses("no output", `[{$setWindowFields:{}}]`, 40414, "output"),
		refuses("unknown argument", `[{$setWindowFields:{x:1,output:{}}}]`, 40415, "$setWindowFields.x"),
		refuses("unknown function", `[{$setWindowFields:{output:{a:{$foo:1}}}}]`, 9, "Unrecognized window function, $foo"),
		refuses("two functions", `[{$setWindowFields:{output:{a:{$sum:1,$avg:1}}}}]`, 9, "two functions"),
		refuses("bounds the wrong way round", `[{$setWindowFields:{sortBy:{a:1},output:{a:{$sum:1,window:{documents:[1,-1]}}}}}]`, 5339900, "Lower bound must not exceed upper bound"),
		refuses("documents without an order", `[{$setWindowFields:{output:{a:{$sum:1,window:{documents:[-1,1]}}}}}]`, 5339901, "sortBy"),
		refuses("range over two fields", `[{$setWindowFields:{sortBy:{a:1,b:1},output:{a:{$sum:1,window:{range:[-1,1]}}}}}]`, 5339902, "single field"),
		refuses("rank without an order", `[{$setWindowFields:{output:{a:{$rank:{}}}}}]`, 5371602, "sortBy"),
		refuses("rank with a window", `[{$setWindowFields:{sortBy:{a:1},output:{a:{$rank:{},window:{documents:['unbounded','current']}}}}}]`, 5371601, "window"),
		refuses("a range of texts", `[{$setWindowFields:{sortBy:{b:1},output:{a:{$sum:1,window:{range:[-1,1]}}}}}]`, 5429414, "number").of(`[{_id:1,b:'x'}]`),
		refuses("a partition by arrays", `[{$setWindowFields:{partitionBy:'$b',output:{a:{$sum:1}}}}]`, 14, "array").of(`[{_id:1,b:[1]}]`),
		refuses("an old server", `[{$setWindowFields:{output:{}}}]`, 40324, "Unrecognized pipeline stage name").on(9),
	})
}

func TestFill(t *testing.T) {
	const gaps = `[{_id:1,p:'a',n:1},{_id:2,p:'a'},{_id:3,p:'a',n:5},{_id:4,p:'b',n:null},{_id:5,p:'b',n:7}]`
	check(t, []outcome{
		gives("values", gaps, `[{$fill:{output:{n:{value:0},q:{value:'$p'}}}}]`, `[{_id:1,p:'a',n:1,q:'a'},{_id:2,p:'a',n:0,q:'a'},{_id:3,p:'a',n:5,q:'a'},{_id:4,p:'b',n:0,q:'b'},{_id:5,p:'b',n:7,q:'b'}]`),
		gives("lines", gaps, `[{$fill:{sortBy:{_id:1},partitionByFields:['p'],output:{n:{method:'linear'}}}}]`, `[{_id:1,p:'a',n:1},{_id:2,p:'a',n:3.0},{_id:3,p:'a',n:5},{_id:4,p:'b',n:null},{_id:5,p:'b',n:7}]`),
		gives("last values", gaps, `[{$fill:{sortBy:{_id:1},partitionBy:'$p',output:{n:{method:'locf'}}}}]`, `[{_id:1,p:'a',n:1},{_id:2,p:'a',n:1},{_id:3,p:'a',n:5},{_id:4,p:'b',n:null},{_id:5,p:'b',n:7}]`),
		refuses("no output", `[{$fill:{}}]`, 40414, "output"),
		refuses("empty output", `[{$fill:{output:{}}}]`, 6050203, "empty"),
		refuses("an unknown argument", `[{$fill:{output:{a:{x:1}}}}]`, 40415, "unknown field"),
		refuses("neither value nor method", `[{$fill:{output:{a:{}}}}]`, 6050200, "exactly one"),
		refuses("both value and method", `[{$fill:{output:{a:{value:1,method:'locf'}}}}]`, 6050200, "exactly one"),
		refuses("an unknown method", `[{$fill:{output:{a:{method:'x'}}}}]`, 6050202, "locf or linear"),
		refuses("no document", `[{$fill:1}]`, 9, "must be an object"),
		gives("last values without an order", `[{_id:1,n:1},{_id:2}]`, `[{$fill:{output:{n:{method:'locf'}}}}]`, `[{_id:1,n:1},{_id:2,n:1}]`),
		refuses("two partitions", `[{$fill:{partitionBy:'$a',partitionByFields:['a'],output:{a:{value:1}}}}]`, 6050204, "Maximum one"),
		refuses("a line without an order", `[{$fill:{output:{a:{method:'linear'}}}}]`, 605001, "sortBy"),
		refuses("an old server", `[{$fill:{output:{a:{value:1}}}}]`, 40324, "Unrecognized pipeline stage name").on(15),
	})
}

func TestDensify(t *testing.T) {
	const steps = `[{_id:1,v:0,p:'a'},{_id:2,v:4,p:'a'},{_id:3,v:3,p:'a'},{_id:4,v:6,p:'b'},{_id:5,p:'a'}]`
	check(t, []outcome{
		gives("from the first to the last", steps, `[{$densify:{field:'v',range:{step:2,bounds:'full'}}},{$project:{v:1}}]`, `[{_id:5},{_id:1,v:0},{v:2},{_id:3,v:3},{_id:2,v:4},{_id:4,v:6}]`),
		gives("each partition as far as all", steps, `[{$densify:{field:'v',partitionByFields:['p'],range:{step:2,bounds:'full'}}}]`,
			`[{_id:5,p:'a'},{_id:1,v:0,p:'a'},{p:'a',v:2},{_id:3,v:3,p:'a'},{_id:2,v:4,p:'a'},{p:'a',v:6},{p:'b',v:0},{p:'b',v:2},{p:'b',v:4},{_id:4,v:6,p:'b'}]`),
		gives("each partition by itself", steps, `[{$densify:{field:'v',partitionByFields:['p'],range:{step:1,bounds:'partition'}}},{$project:{v:1}}]`,
			`[{_id:5},{_id:1,v:0},{v:1},{v:2},{_id:3,v:3},{_id:2,v:4},{_id:4,v:6}]`),
		gives("bounds", `[{_id:1,v:1},{_id:2,v:9}]`, `[{$densify:{field:'v',range:{step:2,bounds:[2,7]}}}]`, `[{_id:1,v:1},{v:2},{v:4},{v:6},{_id:2,v:9}]`),
		gives("days", `[{_id:1,t:{$date:'2024-01-31T00:00:00Z'}},{_id:2,t:{$date:'2024-03-31T00:00:00Z'}}]`, `[{$densify:{field:'t',range:{step:1,unit:'month',bounds:'full'}}}]`,
			`[{_id:1,t:{$date:'2024-01-31T00:00:00Z'}},{t:{$date:'2024-02-29T00:00:00Z'}},{_id:2,t:{$date:'2024-03-31T00:00:00Z'}}]`),
		refuses("no field", `[{$densify:{range:{step:1,bounds:'full'}}}]`, 40414, "field"),
		refuses("no step", `[{$densify:{field:'a',range:{bounds:'full'}}}]`, 40414, "step"),
		refuses("no bounds", `[{$densify:{field:'a',range:{step:1}}}]`, 40414, "bounds"),
		refuses("partitions by the field", `[{$densify:{field:'a',partitionByFields:['b','a'],range:{step:1,bounds:'full'}}}]`, 8993000, "being densified"),
		refuses("partitions inside the field", `[{$densify:{field:'a',partitionByFields:['a.b'],range:{step:1,bounds:'full'}}}]`, 8993000, "being densified"),
		refuses("no step forward", `[{$densify:{field:'a',range:{step:0,bounds:'full'}}}]`, 5733401, "strictly positive"),
		refuses("unknown bounds", `[{$densify:{field:'a',range:{step:1,bounds:'x'}}}]`, 5946802, "full"),
		refuses("bounds the wrong way round", `[{$densify:{field:'a',range:{step:1,bounds:[2,1]}}}]`, 5733402, "ascending"),
		refuses("a text", `[{$densify:{field:'a',range:{step:1,bounds:'full'}}}]`, 5733201, "numeric").of(`[{_id:1,a:'x'}]`),
		refuses("dates without a unit", `[{$densify:{field:'a',range:{step:1,bounds:'full'}}}]`, 6053600, "unit").of(`[{_id:1,a:{$date:'2024-01-01T00:00:00Z'}}]`),
		refuses("too many", `[{$densify:{field:'a',range:{step:1,bounds:[0,1000000]}}}]`, 5897900, "over the limit"),
	})
}

func TestPercentiles(t *testing.T) {
	const numbers = `[{_id:1,n:5},{_id:2,n:1},{_id:3,n:3},{_id:4,n:'x'},{_id:5,n:7}]`
	check(t, []outcome{
		gives("as accumulators", numbers, `[{$group:{_id:null,m:{$median:{input:'$n',method:'approximate'}},p:{$percentile:{input:'$n',p:[0,0.25,0.9],method:'approximate'}}}}]`, `[{_id:null,m:3.0,p:[1.0,1.0,7.0]}]`),
		gives("of nothing", `[{_id:1}]`, `[{$group:{_id:null,m:{$median:{input:'$n',method:'approximate'}},p:{$percentile:{input:'$n',p:[0.5],method:'approximate'}}}}]`, `[{_id:null,m:null,p:[null]}]`),
		gives("as expressions", `[{_id:1,l:[4,1,3]}]`, `[{$project:{m:{$median:{input:'$l',method:'approximate'}},p:{$percentile:{input:9,p:[0.5],method:'approximate'}}}}]`, `[{_id:1,m:3.0,p:[9.0]}]`),
		gives("between two values", `[{_id:1,l:[1,2]}]`, `[{$project:{m:{$median:{input:'$l',method:'continuous'}}}}]`, `[{_id:1,m:1.5}]`),
		refuses("another method", `[{$group:{_id:null,m:{$median:{input:'$n',method:'exact'}}}}]`, 2, "approximate"),
		refuses("a method to come", `[{$group:{_id:null,m:{$median:{input:'$n',method:'discrete'}}}}]`, 2, "approximate").on(25),
		refuses("no p", `[{$group:{_id:null,m:{$percentile:{input:'$n',method:'approximate'}}}}]`, 40414, "p"),
		refuses("p out of range", `[{$group:{_id:null,m:{$percentile:{input:'$n',p:[2],method:'approximate'}}}}]`, 7750303, "[0.0, 1.0]"),
		refuses("an old server", `[{$group:{_id:null,m:{$median:{input:'$n',method:'approximate'}}}}]`, 15952, "unknown group operator").on(20),
	})
}

// Where a window function takes numbers, one decimal makes the result a decimal.
func TestWindowFunctionsKeepDecimals(t *testing.T) {
	const prices = `[{_id:0,n:{$numberDecimal:'1.5'}},{_id:1},{_id:2,n:2}]`
	series := func(f string) string {
		return `[{$setWindowFields:{sortBy:{_id:1},output:{r:` + f + `}}},{$project:{r:1}}]`
	}
	last := func(f string) string {
		return `[{$setWindowFields:{sortBy:{_id:1},output:{r:` + f + `}}},{$match:{_id:2}},{$project:{r:1}}]`
	}
	check(t, []outcome{
		gives("linear fill", prices, series(`{$linearFill:'$n'}`), `[{_id:0,r:{$numberDecimal:'1.5'}},{_id:1,r:{$numberDecimal:'1.75'}},{_id:2,r:2}]`),
		gives("derivative", prices, last(`{$derivative:{input:'$n'},window:{documents:['unbounded','current']}}`), `[{_id:2,r:{$numberDecimal:'0.25'}}]`),
		gives("integral", prices, last(`{$integral:{input:'$n'},window:{documents:['unbounded','current']}}`), `[{_id:2,r:{$numberDecimal:'3.5'}}]`),
		gives("covariance", `[{_id:1,x:{$numberDecimal:'1'},y:2},{_id:2,x:3,y:4}]`, last(`{$covariancePop:['$x','$y']}`), `[{_id:2,r:{$numberDecimal:'1.00000000000000'}}]`),
		gives("covariance with infinity", `[{_id:1,x:1,y:2},{_id:2,x:{$numberDouble:'Infinity'},y:4}]`, last(`{$covariancePop:['$x','$y']}`), `[{_id:2,r:{$numberDouble:'Infinity'}}]`),
		gives("covariance of no pair", `[{_id:2,x:1}]`, last(`{$covariancePop:'$x'}`), `[{_id:2,r:null}]`),
		gives("covariance of three", `[{_id:2,x:1}]`, last(`{$covarianceSamp:['$x',1,2]}`), `[{_id:2,r:null}]`),
		refuses("a fill between texts", series(`{$linearFill:'$n'}`), 14, "numeric").of(`[{_id:1,n:'x'}]`),
		refuses("a fill over null", `[{$setWindowFields:{sortBy:{x:1},output:{r:{$linearFill:'$n'}}}}]`, 14, "numeric or a date").of(`[{_id:1,n:1}]`),
		refuses("a fill over numbers and dates", series(`{$linearFill:'$n'}`), 14, "all dates").of(`[{_id:1,n:1},{_id:{$date:'2024-01-01T00:00:00Z'},n:2}]`),
		refuses("an integral over numbers with a unit", series(`{$integral:{input:'$n',unit:'hour'}}`), 5423901, "Date").of(`[{_id:1,n:1}]`),
		refuses("an integral over dates without one", series(`{$integral:{input:'$n'}}`), 5423902, "numeric").of(`[{_id:{$date:'2024-01-01T00:00:00Z'},n:1}]`),
		refuses("an unknown argument", series(`{$integral:{input:'$n',x:1}}`), 9, "unexpected argument: x"),
		refuses("an unknown argument of a derivative", series(`{$derivative:{input:'$n',x:1},window:{documents:[-1,0]}}`), 9, "unexpected argument: x"),
	})
}

func TestWindowsByRule(t *testing.T) {
	const tied = `[{_id:1,x:1},{_id:2,x:1},{_id:3,x:2}]`
	by := func(f string) string {
		return `[{$setWindowFields:{sortBy:{x:1},output:{r:` + f + `}}},{$project:{r:1}}]`
	}
	check(t, []outcome{
		gives("current is one document", tied, by(`{$push:'$_id',window:{range:['unbounded','current']}}`), `[{_id:1,r:[1]},{_id:2,r:[1,2]},{_id:3,r:[1,2,3]}]`),
		gives("zero is its ties", tied, by(`{$push:'$_id',window:{range:['unbounded',0]}}`), `[{_id:1,r:[1,2]},{_id:2,r:[1,2]},{_id:3,r:[1,2,3]}]`),
		gives("bounds that are expressions", tied, by(`{$push:'$_id',window:{documents:[{$subtract:[0,1]},{$literal:0}]}}`), `[{_id:1,r:[1]},{_id:2,r:[1,2]},{_id:3,r:[2,3]}]`),
		gives("a list to push", tied, by(`{$push:['$_id','$x'],window:{documents:['current','current']}}`), `[{_id:1,r:[[1,1]]},{_id:2,r:[[2,1]]},{_id:3,r:[[3,2]]}]`),
		gives("a list to add", tied, by(`{$addToSet:['$x']}`), `[{_id:1,r:[[1],[2]]},{_id:2,r:[[1],[2]]},{_id:3,r:[[1],[2]]}]`),
		gives("a shift to a missing value", `[{_id:1,x:1,v:5},{_id:2,x:2}]`, by(`{$shift:{output:'$v',by:1,default:'none'}}`), `[{_id:1,r:'none'},{_id:2,r:'none'}]`),
		refuses("a list to push in a group", `[{$group:{_id:1,r:{$push:['$x']}}}]`, 40237, "unary"),
		refuses("bounds that vary", by(`{$sum:1,window:{documents:['$x',0]}}`), 9, "Window bounds must be"),
		refuses("a field inside another", `[{$setWindowFields:{output:{a:{$sum:1},'a.b':{$sum:1}}}}]`, 6307900, "conflicting"),
		refuses("a field around another", `[{$setWindowFields:{output:{'a.b':{$sum:1},a:{$sum:1}}}}]`, 6307900, "conflicting"),
		refuses("numbers over two fields", `[{$setWindowFields:{sortBy:{x:1,y:1},output:{r:{$documentNumber:{}}}}}]`, 5371602, "exactly one element"),
		refuses("a shift without an order", `[{$setWindowFields:{output:{r:{$shift:{output:1,by:1}}}}}]`, 9, "sortBy"),
		refuses("a moving average without an order", `[{$setWindowFields:{output:{r:{$expMovingAvg:{input:1,N:2}}}}}]`, 9, "sortBy"),
		refuses("a count of one", `[{$setWindowFields:{output:{r:{$count:1}}}}]`, 9, "$count"),
	})
}
