package agg_test

import (
	"strings"
	"testing"
)

const three = `[{_id:1,a:3,t:['x','y']},{_id:2,a:1,t:[]},{_id:3,a:2}]`

func TestPlacesOfStages(t *testing.T) {
	check(t, []outcome{
		gives("an empty pipeline", three, `[]`, three),
		refuses("a stage that is a number", `[1]`, 14, "Each element of the 'pipeline' array must be an object"),
		refuses("an empty stage", `[{}]`, 40323, "A pipeline stage specification object must contain exactly one field."),
		refuses("two stages in one", `[{$match:{},$limit:1}]`, 40323, ""),
		refuses("an unknown stage", `[{$foo:1}]`, 40324, "Unrecognized pipeline stage name: '$foo'"),
		refuses("a stage that is left out", `[{$rankFusion:{}}]`, 40324, "mongotest does not have it"),
		refuses("a later unknown stage before an $out in the wrong place", `[{$out:'x'},{$foo:1}]`, 40324, ""),
		refuses("$out that is not last", `[{$out:'x'},{$match:{}}]`, 40601, "$out can only be the final stage in the pipeline"),
		refuses("$merge that is not last", `[{$merge:'x'},{$match:{}}]`, 40601, "$merge can only"),
		refuses("$documents that is not first", `[{$match:{}},{$documents:[]}]`, 40602, "$documents is only valid as the first stage in a pipeline"),
		refuses("$collStats that is not first", `[{$match:{}},{$collStats:{count:{}}}]`, 40602, "$collStats is only valid"),
		refuses("$unionWith before 4.4", `[{$unionWith:'x'}]`, 40324, "Unrecognized pipeline stage name: '$unionWith'").on(8),
		refuses("$documents before 5.1", `[{$documents:[]}]`, 40324, "").on(13),
		refuses("too many stages", `[`+strings.Repeat(`{$match:{}},`, 1000)+`{$match:{}}]`, 9, "no longer than 1000 stages"),
		gives("many stages on 4.4", three, `[`+strings.Repeat(`{$match:{}},`, 1000)+`{$limit:1},{$project:{_id:1}}]`, `[{_id:1}]`).on(9),
		refuses("$out in $lookup", `[{$lookup:{from:'names',pipeline:[{$out:'x'}],as:'j'}}]`, 51047, "$out is not allowed within a $lookup's sub-pipeline"),
		refuses("$merge in $unionWith", `[{$unionWith:{coll:'names',pipeline:[{$merge:'x'}]}}]`, 31441, "$merge is not allowed within a $unionWith's sub-pipeline"),
		refuses("$facet in $facet", `[{$facet:{a:[{$facet:{b:[]}}]}}]`, 40600, "$facet is not allowed to be used within a $facet stage"),
		refuses("$out in $facet", `[{$facet:{a:[{$out:'x'}]}}]`, 40600, "$out is not allowed"),
		refuses("$collStats in $facet", `[{$facet:{a:[{$collStats:{}}]}}]`, 40600, ""),
		refuses("$documents in $facet", `[{$facet:{a:[{$documents:[]}]}}]`, 40600, ""),
		refuses("too deep", strings.Repeat(`[{$unionWith:{coll:'x',pipeline:`, 25)+`[]`+strings.Repeat(`}}]`, 25), 232, "Limit is 20"),
		refuses("a constant expression that fails", `[{$project:{x:{$divide:[1,0]}}}]`, 2, "Failed to optimize pipeline :: caused by :: can't $divide by zero").of(`[]`),
		refuses("an expression that is wrong", `[{$set:{x:{$foo:1}}}]`, 168, "Invalid $set :: caused by :: Unrecognized expression '$foo'"),
		gives("an expression that fails for no document", `[]`, `[{$set:{x:{$divide:['$a',0]}}}]`, `[]`),
	})
}

func TestSimpleStages(t *testing.T) {
	check(t, []outcome{
		refuses("$match of a number", `[{$match:1}]`, 15959, "the match filter must be an expression in an object"),
		refuses("$project of a number", `[{$project:1}]`, 15969, ""),
		refuses("$project of nothing", `[{$project:{}}]`, 51272, "Invalid $project :: caused by :: projection specification must have at least one field"),
		refuses("$project of a position", `[{$project:{'t.$':1}}]`, 31324, "Cannot use positional projection in aggregation projection"),
		refuses("$addFields of a number", `[{$addFields:1}]`, 40272, "$addFields specification stage must be an object, got int"),
		refuses("$set of a number", `[{$set:1}]`, 40272, "$set specification stage"),
		refuses("$set of nothing", `[{$set:{}}]`, 40177, "Invalid $set :: caused by :: specification must have at least one field"),
		gives("$set", three, `[{$set:{b:'$a','c.d':1}},{$limit:1}]`, `[{_id:1,a:3,t:['x','y'],b:3,c:{d:1}}]`),
		gives("$unset of one", three, `[{$unset:'t'},{$limit:1}]`, `[{_id:1,a:3}]`),
		refuses("$unset of a number", `[{$unset:1}]`, 31002, ""),
		refuses("$unset of nothing", `[{$unset:[]}]`, 31119, ""),
		refuses("$unset of numbers", `[{$unset:[1]}]`, 31120, ""),
		gives("$sort", three, `[{$sort:{a:1}},{$project:{_id:1}}]`, `[{_id:2},{_id:3},{_id:1}]`),
		refuses("$sort of a number", `[{$sort:1}]`, 15973, ""),
		refuses("$sort of nothing", `[{$sort:{}}]`, 15976, ""),
		refuses("$sort by two", `[{$sort:{a:2}}]`, 15975, ""),
		gives("$limit and $skip", three, `[{$skip:1},{$limit:1},{$project:{_id:1}}]`, `[{_id:2}]`),
		gives("$limit of a double", three, `[{$limit:1.0},{$project:{_id:1}}]`, `[{_id:1}]`),
		refuses("$limit of zero", `[{$limit:0}]`, 15958, "the limit must be positive"),
		refuses("$limit of a text", `[{$limit:'x'}]`, 5107201, `invalid argument to $limit stage: Expected a number in: $limit: "x"`),
		refuses("$limit of half", `[{$limit:1.5}]`, 5107201, "Expected an integer: $limit: 1.5"),
		refuses("$limit below zero", `[{$limit:-1}]`, 5107201, "Expected a non-negative number in: $limit: -1"),
		refuses("$limit beyond a long", `[{$limit:1e100}]`, 5107201, "Cannot represent as a 64-bit integer"),
		refuses("$limit of a text on 4.4", `[{$limit:'x'}]`, 15957, "the limit must be specified as a number").on(9),
		refuses("$limit below zero on 4.4", `[{$limit:-1}]`, 15958, "").on(9),
		refuses("$skip below zero", `[{$skip:-1}]`, 5107200, "Expected a non-negative number in: $skip: -1"),
		refuses("$skip of a text", `[{$skip:'x'}]`, 5107200, ""),
		refuses("$skip below zero on 4.4", `[{$skip:-1}]`, 15956, "").on(9),
		gives("$count", three, `[{$count:'n'}]`, `[{n:3}]`),
		gives("$count of nothing", `[]`, `[{$count:'n'}]`, `[]`),
		refuses("$count of a number", `[{$count:1}]`, 40156, ""),
		refuses("$count without a name", `[{$count:''}]`, 40157, ""),
		refuses("$count with a dollar", `[{$count:'$n'}]`, 40158, ""),
		refuses("$count with a dot", `[{$count:'a.b'}]`, 40160, ""),
		gives("$sortByCount", `[{k:1},{k:2},{k:2},{}]`, `[{$sortByCount:'$k'},{$limit:1}]`, `[{_id:2,count:2}]`),
		refuses("$sortByCount of a document", `[{$sortByCount:{a:1}}]`, 40147, ""),
		refuses("$sortByCount of a text", `[{$sortByCount:'a'}]`, 40148, ""),
		refuses("$sortByCount of a number", `[{$sortByCount:1}]`, 40149, ""),
		gives("$sample of more than there are", `[{_id:1}]`, `[{$sample:{size:5}}]`, `[{_id:1}]`),
		refuses("$sample of a number", `[{$sample:1}]`, 28745, ""),
		refuses("$sample of a text", `[{$sample:{size:'x'}}]`, 28746, ""),
		refuses("$sample of none", `[{$sample:{size:0}}]`, 28747, ""),
		refuses("$sample with more", `[{$sample:{size:1,x:1}}]`, 28748, ""),
		refuses("$sample without a size", `[{$sample:{}}]`, 28749, ""),
		gives("$replaceRoot", three, `[{$replaceRoot:{newRoot:{v:'$a'}}},{$limit:1}]`, `[{v:3}]`),
		refuses("$replaceRoot of a number", `[{$replaceRoot:1}]`, 40229, ""),
		refuses("$replaceRoot without newRoot", `[{$replaceRoot:{}}]`, 40414, "BSON field '$replaceRoot.newRoot' is missing but a required field"),
		refuses("$replaceRoot with more", `[{$replaceRoot:{newRoot:{},x:1}}]`, 40415, ""),
		refuses("$replaceRoot by a number", `[{$replaceRoot:{newRoot:'$a'}}]`, 40228,
			"'newRoot' expression  must evaluate to an object, but resulting value was: 1. Type of resulting value: 'int'. Input document: { _id: 1, a: 1 }"),
		refuses("$replaceWith by missing", `[{$replaceWith:'$b'}]`, 40228, "'replacement document'  must evaluate to an object, but resulting value was: MISSING. Type of resulting value: 'missing'."),
		gives("$documents", `[]`, `[{$documents:[{a:1},{a:{$add:[1,1]}}]},{$match:{a:2}}]`, `[{a:2}]`),
		refuses("$documents of a number", `[{$documents:1}]`, 5858203, "an array is expected"),
		refuses("$documents of numbers", `[{$documents:[1]}]`, 40228, ""),
	})
}

func TestUnwind(t *testing.T) {
	check(t, []outcome{
		gives("elements", three, `[{$unwind:'$t'}]`, `[{_id:1,a:3,t:'x'},{_id:1,a:3,t:'y'}]`),
		gives("a scalar is one element", three, `[{$limit:1},{$unwind:{path:'$a',includeArrayIndex:'i'}},{$unset:'t'}]`, `[{_id:1,a:3,i:null}]`),
		gives("null is none", `[{t:null}]`, `[{$unwind:'$t'}]`, `[]`),
		gives("kept", `[{_id:1,t:null},{_id:2,t:[]},{_id:3},{_id:4,t:['x']}]`, `[{$unwind:{path:'$t',preserveNullAndEmptyArrays:true,includeArrayIndex:'i'}}]`,
			`[{_id:1,t:null,i:null},{_id:2,i:null},{_id:3,i:null},{_id:4,t:'x',i:{$numberLong:'0'}}]`),
		gives("within documents", `[{d:{t:[1,2],u:0}}]`, `[{$unwind:'$d.t'}]`, `[{d:{t:1,u:0}},{d:{t:2,u:0}}]`),
		gives("not through arrays", `[{d:[{t:[1,2]}]}]`, `[{$unwind:'$d.t'}]`, `[]`),
		gives("not at a position", `[{d:[[1,2]]}]`, `[{$unwind:'$d.0'}]`, `[]`),
		gives("an index within a document", `[{t:[5]}]`, `[{$unwind:{path:'$t',includeArrayIndex:'x.i'}}]`, `[{t:5,x:{i:{$numberLong:'0'}}}]`),
		refuses("a number", `[{$unwind:1}]`, 15981, "got int"),
		refuses("a path that is a number", `[{$unwind:{path:1}}]`, 28808, ""),
		refuses("keeping by a number", `[{$unwind:{path:'$a',preserveNullAndEmptyArrays:1}}]`, 28809, ""),
		refuses("an index without a name", `[{$unwind:{path:'$a',includeArrayIndex:''}}]`, 28810, ""),
		refuses("more", `[{$unwind:{path:'$a',x:1}}]`, 28811, ""),
		refuses("nothing", `[{$unwind:{}}]`, 28812, ""),
		refuses("a name without a dollar", `[{$unwind:'a'}]`, 28818, "should be prefixed with a '$': a"),
		refuses("an index with a dollar", `[{$unwind:{path:'$a',includeArrayIndex:'$i'}}]`, 28822, ""),
		refuses("a dot at the end", `[{$unwind:'$a.'}]`, 40353, ""),
		refuses("a dollar alone", `[{$unwind:'$'}]`, 40352, ""),
		refuses("a variable", `[{$unwind:'$$a'}]`, 16410, ""),
	})
}

func TestFacetAndRedact(t *testing.T) {
	check(t, []outcome{
		gives("facets see all documents", three, `[{$facet:{n:[{$count:'n'}],s:[{$sort:{a:1}},{$project:{_id:1}}],all:[{$project:{_id:1}}]}}]`,
			`[{n:[{n:3}],s:[{_id:2},{_id:3},{_id:1}],all:[{_id:1},{_id:2},{_id:3}]}]`),
		gives("facets of nothing", `[]`, `[{$facet:{n:[{$count:'n'}]}}]`, `[{n:[]}]`),
		refuses("$facet of nothing", `[{$facet:{}}]`, 40169, ""),
		refuses("$facet of a number", `[{$facet:{a:1}}]`, 40170, "arguments to $facet must be arrays, a is type int"),
		refuses("$facet of numbers", `[{$facet:{a:[1]}}]`, 40171, ""),
		refuses("a facet with a dollar", `[{$facet:{$a:[]}}]`, 16410, "must follow the naming rules"),
		refuses("a facet with a dot", `[{$facet:{'a.b':[]}}]`, 16412, ""),
		gives("descend", `[{l:1,a:{l:5},b:[{l:1,c:{l:9}},{l:7},8]}]`, `[{$redact:{$cond:[{$gt:['$l',3]},'$$PRUNE','$$DESCEND']}}]`, `[{l:1,b:[{l:1},8]}]`),
		gives("keep", `[{l:1,a:{l:5}},{l:9}]`, `[{$redact:{$cond:[{$eq:['$l',1]},'$$KEEP','$$PRUNE']}}]`, `[{l:1,a:{l:5}}]`),
		gives("the root stays the same", `[{l:1,a:{l:5}}]`, `[{$redact:{$cond:[{$eq:['$$ROOT.l','$l']},'$$DESCEND','$$PRUNE']}}]`, `[{l:1}]`),
		refuses("neither", `[{$redact:'$a'}]`, 17053, "but returned 1"),
	})
}
