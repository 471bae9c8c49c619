package agg_test

import "testing"

func TestSortByOfWindows(t *testing.T) {
	check(t, []outcome{
		gives("null counts as none", `[{_id:1,n:1}]`, `[{$setWindowFields:{sortBy:null,output:{r:{$sum:'$n'}}}}]`, `[{_id:1,n:1,r:1}]`),
		gives("an empty one is enough for documents", `[{_id:1,n:1},{_id:2,n:2}]`,
			`[{$setWindowFields:{sortBy:{},output:{r:{$sum:'$n',window:{documents:[-1,0]}}}}}]`, `[{_id:1,n:1,r:1},{_id:2,n:2,r:3}]`),
		refuses("but not for ranks", `[{$setWindowFields:{sortBy:{},output:{r:{$rank:{}}}}}]`, 5371602, "exactly one element"),
		refuses("nor for ranges", `[{$setWindowFields:{sortBy:{},output:{r:{$sum:'$a',window:{range:[0,1]}}}}}]`, 5339902, "single field"),
	})
}

func TestCodesOfWindows(t *testing.T) {
	const days = `[{_id:1,t:{$date:'2024-01-01T00:00:00Z'},n:1,s:'x'}]`
	field := func(f string) string { return `[{$setWindowFields:{sortBy:{t:1},output:{r:{` + f + `}}}}]` }
	by := func(key, f string) string {
		return `[{$setWindowFields:{sortBy:{` + key + `:1},output:{r:{` + f + `}}}}]`
	}
	slope := func(op, rest string) string { return op + `:{input:'$n'` + rest + `},window:{documents:[-1,0]}` }
	check(t, []outcome{
		refuses("a range of dates without a unit", field(`$sum:'$n',window:{range:[-1,0]}`), 5429413, "unit").of(days),
		refuses("a range of numbers with a unit", by("n", `$sum:'$n',window:{range:[-1,0],unit:'day'}`), 5429513, "Date").of(days),
		refuses("a unit that is a number", field(`$sum:'$n',window:{range:[-1,0],unit:5}`), 9, "string").of(days),
		refuses("a unit that is null", field(`$sum:'$n',window:{range:[-1,0],unit:null}`), 9, "string").of(days),
		refuses("an unknown unit", field(`$sum:'$n',window:{range:[-1,0],unit:'x'}`), 9, "unknown time unit").of(days),
		refuses("a slope over numbers with a unit", by("n", slope("$derivative", `,unit:'hour'`)), 5624900, "Date").of(days),
		refuses("a slope over dates without a unit", field(slope("$derivative", "")), 5624901, "unit").of(days),
		refuses("a slope over texts", by("s", slope("$derivative", "")), 5624902, "numeric").of(days),
		refuses("a slope whose unit is a number", field(slope("$derivative", `,unit:5`)), 9, "string").of(days),
		refuses("an area over numbers with a unit", by("n", slope("$integral", `,unit:'hour'`)), 5423901, "Date").of(days),
		refuses("an area over dates without a unit", field(slope("$integral", "")), 5423902, "numeric").of(days),
		refuses("a rank with another argument", field(`$rank:{},x:1`), 5371601, "neither a window"),
		refuses("a rank beside another", field(`$rank:{},$denseRank:{}`), 5371601, "neither a window"),
		refuses("a rank with a window", field(`$documentNumber:{},window:{documents:[0,1]}`), 5371601, "neither a window"),
		refuses("a rank of something", field(`$rank:1`), 5371603, "{}"),
		refuses("a shift with a window", field(`$shift:{output:'$n',by:1},window:{documents:[0,1]}`), 9, "window"),
		refuses("a moving average with a window", field(`$expMovingAvg:{input:'$n',N:2},window:{documents:[0,1]}`), 9, "window"),
		refuses("a percentile of nothing", field(`$percentile:5`), 7429703, "must be an object"),
		refuses("a median of nothing", field(`$median:5`), 7436100, "must be an object"),
		refuses("a unit of $densify", `[{$densify:{field:'a',range:{step:1,unit:5,bounds:'full'}}}]`, 14, "$densify.range.unit"),
	})
}

// A deviation over a window that slides has no value while an infinite number is in it; over one that only grows it is NaN for good.
func TestDeviationsOfInfinity(t *testing.T) {
	const values = `[{_id:1,n:{$numberDouble:'Infinity'}},{_id:2,n:10},{_id:3,n:20}]`
	over := func(bounds string) string {
		return `[{$setWindowFields:{sortBy:{_id:1},output:{r:{$stdDevPop:'$n',window:{documents:` + bounds + `}}}}},{$project:{r:{$ifNull:[{$toString:'$r'},null]}}}]`
	}
	check(t, []outcome{
		gives("a window that slides", values, over(`[-1,0]`), `[{_id:1,r:null},{_id:2,r:null},{_id:3,r:'5'}]`),
		gives("a window that shrinks", values, over(`['current','unbounded']`), `[{_id:1,r:null},{_id:2,r:'5'},{_id:3,r:'0'}]`),
		gives("a window that grows", values, over(`['unbounded','current']`), `[{_id:1,r:'NaN'},{_id:2,r:'NaN'},{_id:3,r:'NaN'}]`),
	})
}

func TestCodesOfOutputs(t *testing.T) {
	check(t, []outcome{
		refuses("an empty $merge", `[{$merge:''}]`, 5786800, "empty"),
		refuses("into nothing", `[{$merge:{into:''}}]`, 5786800, "empty"),
		refuses("into a number", `[{$merge:{into:5}}]`, 51178, "'into'"),
		refuses("into a database", `[{$merge:{into:{db:'d'}}}]`, 5786801, "'coll'"),
		refuses("into null", `[{$merge:{into:{db:'d',coll:null}}}]`, 5786801, "'coll'"),
		refuses("into a collection without a name", `[{$merge:{into:{coll:''}}}]`, 5786801, "'coll'"),
		refuses("into a collection that is a number", `[{$merge:{into:{coll:5}}}]`, 14, "coll"),
		refuses("$out without a database", `[{$out:{coll:'x'}}]`, 40414, "$out.db"),
		refuses("$out with null", `[{$out:{db:'d',coll:null}}]`, 40414, "$out.coll"),
		refuses("$out with a name twice", `[{$out:{db:'d',coll:'x',coll:'x'}}]`, 40413, "$out.coll"),
		refuses("a count named _id", `[{$count:'_id'}]`, 9039800, "_id"),
		gives("as it was before 8.1", `[{a:1}]`, `[{$count:'_id'}]`, `[{_id:1}]`).on(25),
		refuses("a sort key twice", `[{$sort:{a:1,a:-1}}]`, 7472500, "duplicate"),
		gives("as it was before 7.0", `[{a:1}]`, `[{$sort:{a:1,a:-1}}]`, `[{a:1}]`).on(17),
	})
}
