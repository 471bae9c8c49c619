package agg_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// FuzzPipeline runs any pipeline, written as extended JSON, and one that is put together from a random number: nothing may
// panic, and the output must be BSON.
func FuzzPipeline(f *testing.F) {
	for i, s := range []string{
		`[{$match:{a:{$gt:1}}},{$sort:{a:-1}},{$limit:2}]`, `[{$unwind:{path:'$t',includeArrayIndex:'x.y'}},{$group:{_id:'$t',n:{$sum:1}}}]`,
		`[{$lookup:{from:'names',let:{a:'$a'},pipeline:[{$match:{$expr:{$eq:['$v','$$a']}}}],as:'j'}}]`,
		`[{$graphLookup:{from:'graph',startWith:'$t',connectFromField:'to',connectToField:'_id',as:'r'}}]`,
		`[{$facet:{a:[{$count:'n'}],b:[{$bucketAuto:{groupBy:'$a',buckets:2}}]}}]`, `[{$redact:{$cond:['$a','$$DESCEND','$$PRUNE']}}]`,
		`[{$bucket:{groupBy:'$a',boundaries:[0,2,4],default:'x',output:{t:{$topN:{n:2,sortBy:{a:1},output:'$t'}}}}}]`,
		`[{$merge:{into:'x',on:['a'],whenMatched:[{$set:{b:'$$new.a'}}]}}]`, `[{$unionWith:{coll:'names',pipeline:[{$sample:{size:1}}]}}]`,
	} {
		f.Add(s, uint64(i))
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		quoted := bareKey.ReplaceAllString(strings.ReplaceAll(`{v:`+s+`}`, "'", `"`), `$1"$2":`)
		if d, err := bson.ExtJSONToRaw([]byte(quoted), false); err == nil {
			if v := d.Lookup("v"); !v.IsZero() {
				checkSurvives(t, s)
			}
		}
		g := generator{rand.New(rand.NewPCG(seed, uint64(len(s))))}
		checkSurvives(t, g.pipeline(3))
	})
}

func checkSurvives(t *testing.T, pipeline string) {
	t.Helper()
	in := `[{_id:1,a:3,t:['x','y'],d:{e:[{f:1},{f:2}]}},{_id:2,a:1.5,t:[]},{_id:3,a:null},{_id:4,a:{$date:'2024-02-29T00:00:00Z'},t:'a'}]`
	if v, err := run(t, outcome{in: in, pipeline: pipeline}); err == nil && v.Validate() != nil {
		t.Errorf("invalid result of %s", pipeline)
	}
}

// generator puts pipelines together.
type generator struct{ *rand.Rand }

func (g generator) pick(options ...string) string { return options[g.IntN(len(options))] }

func (g generator) pipeline(depth int) string {
	stages := make([]string, g.IntN(4))
	for i := range stages {
		stages[i] = g.stage(depth)
	}
	return "[" + strings.Join(stages, ",") + "]"
}

func (g generator) stage(depth int) string {
	inner := "[]"
	if depth > 0 {
		inner = g.pipeline(depth - 1)
	}
	e := func() string { return g.expression(depth) }
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf(`{$match:{$expr:%s}}`, e())
	case 1:
		return fmt.Sprintf(`{$project:{x:%s,a:1}}`, e())
	case 2:
		return fmt.Sprintf(`{$set:{'d.g':%s}}`, e())
	case 3:
		op := g.pick("$sum", "$avg", "$min", "$max", "$push", "$addToSet", "$first", "$last", "$mergeObjects", "$stdDevPop")
		return fmt.Sprintf(`{$group:{_id:%s,n:{%s:%s}}}`, e(), op, e())
	case 4:
		return fmt.Sprintf(`{$unwind:{path:'%s',preserveNullAndEmptyArrays:%s}}`, g.path(), g.pick("true", "false"))
	case 5:
		return fmt.Sprintf(`{$lookup:{from:'names',let:{x:%s},pipeline:%s,as:'j'}}`, e(), inner)
	case 6:
		return fmt.Sprintf(`{$facet:{a:%s}}`, inner)
	case 7:
		return fmt.Sprintf(`{$unionWith:{coll:'graph',pipeline:%s}}`, inner)
	case 8:
		return fmt.Sprintf(`{$replaceWith:{x:%s}}`, e())
	case 9:
		return fmt.Sprintf(`{$bucketAuto:{groupBy:{$add:[0,%s]},buckets:%d}}`, e(), 1+g.IntN(4))
	case 10:
		return fmt.Sprintf(`{$sortByCount:{$ifNull:[%s,0]}}`, e())
	}
	return g.pick(`{$sort:{a:1,t:-1}}`, `{$limit:2}`, `{$skip:1}`, `{$count:'n'}`, `{$sample:{size:2}}`, `{$unset:'d.e'}`)
}

func (g generator) path() string {
	return g.pick("$a", "$t", "$d.e.f", "$d", "$_id", "$nope", "$$ROOT")
}

func (g generator) expression(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		return g.pick("'"+g.path()+"'", "1", "-2.5", "'x'", "null", "[1,2]", "{$literal:{a:1}}", "true", "{$numberDecimal:'1.5'}")
	}
	e := func() string { return g.expression(depth - 1) }
	switch g.IntN(4) {
	case 0:
		op := g.pick("$abs", "$size", "$toUpper", "$toInt", "$toDate", "$type", "$year", "$not", "$isArray", "$objectToArray", "$first", "$sin")
		return fmt.Sprintf(`{%s:%s}`, op, e())
	case 1:
		op := g.pick("$add", "$subtract", "$multiply", "$divide", "$mod", "$pow", "$eq", "$cmp", "$concat", "$in", "$arrayElemAt", "$setUnion", "$slice", "$split")
		return fmt.Sprintf(`{%s:[%s,%s]}`, op, e(), e())
	case 2:
		return fmt.Sprintf(`{$map:{input:%s,in:{$ifNull:['$$this',%s]}}}`, e(), e())
	}
	return fmt.Sprintf(`{$cond:[%s,%s,%s]}`, e(), e(), e())
}
