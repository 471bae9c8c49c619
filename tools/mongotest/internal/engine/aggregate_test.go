package engine_test

import "testing"

func TestAggregateStages(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,k:'a',n:1,tags:['x','y']},{_id:2,k:'b',n:2,tags:[]},{_id:3,k:'a',n:3},{_id:4,k:'b',n:4,tags:['x']}]}`)
	s.run(t, `{insert:'names',documents:[{_id:'a',name:'Ada'},{_id:'b',name:'Bob'}]}`)
	s.run(t, `{create:'short',viewOn:'names',pipeline:[{$project:{name:0}}]}`)
	tests := []struct{ name, pipeline, want string }{
		{"$match and $project", `[{$match:{n:{$gt:2}}},{$project:{n:1,double:{$multiply:['$n',2]}}}]`, `[{_id:3,n:3,double:6},{_id:4,n:4,double:8}]`},
		{"$project exclusion", `[{$match:{_id:3}},{$project:{n:0}}]`, `[{_id:3,k:'a'}]`},
		{"$addFields nested", `[{$match:{_id:3}},{$addFields:{'a.b':1,k:'z'}}]`, `[{_id:3,k:'z',n:3,a:{b:1}}]`},
		{"$set and $unset", `[{$match:{_id:3}},{$set:{m:'$n'}},{$unset:['k','n']}]`, `[{_id:3,m:3}]`},
		{"$$REMOVE", `[{$match:{_id:3}},{$set:{k:'$$REMOVE'}}]`, `[{_id:3,n:3}]`},
		{"$group", `[{$group:{_id:'$k',total:{$sum:'$n'},avg:{$avg:'$n'},all:{$push:'$n'},first:{$first:'$n'},n:{$count:{}}}},{$sort:{_id:1}}]`,
			`[{_id:'a',total:4,avg:2.0,all:[1,3],first:1,n:2},{_id:'b',total:6,avg:3.0,all:[2,4],first:2,n:2}]`},
		{"$group all", `[{$group:{_id:null,max:{$max:'$n'},min:{$min:'$n'},set:{$addToSet:'$k'}}}]`, `[{_id:null,max:4,min:1,set:['a','b']}]`},
		{"$sort, $skip and $limit", `[{$sort:{k:-1,n:1}},{$skip:1},{$limit:2},{$project:{_id:1}}]`, `[{_id:4},{_id:1}]`},
		{"$unwind", `[{$unwind:'$tags'},{$project:{tags:1}}]`, `[{_id:1,tags:'x'},{_id:1,tags:'y'},{_id:4,tags:'x'}]`},
		{"$unwind keeping", `[{$unwind:{path:'$tags',preserveNullAndEmptyArrays:true,includeArrayIndex:'i'}},{$project:{tags:1,i:1}}]`,
			`[{_id:1,tags:'x',i:{$numberLong:'0'}},{_id:1,tags:'y',i:{$numberLong:'1'}},{_id:2,i:null},{_id:3,i:null},{_id:4,tags:'x',i:{$numberLong:'0'}}]`},
		{"$lookup by fields", `[{$match:{_id:1}},{$lookup:{from:'names',localField:'k',foreignField:'_id',as:'who'}},{$project:{who:1}}]`, `[{_id:1,who:[{_id:'a',name:'Ada'}]}]`},
		{"$lookup by pipeline", `[{$match:{_id:2}},{$lookup:{from:'names',let:{key:'$k'},pipeline:[{$match:{$expr:{$eq:['$_id','$$key']}}},{$project:{_id:0}}],as:'who'}},{$project:{who:1}}]`, `[{_id:2,who:[{name:'Bob'}]}]`},
		{"$lookup of a missing field finds null", `[{$match:{_id:1}},{$lookup:{from:'names',localField:'nope',foreignField:'nope',as:'who'}},{$project:{n:{$size:'$who'}}}]`, `[{_id:1,n:2}]`},
		{"$lookup of an array", `[{$limit:1},{$set:{k:['a','b']}},{$lookup:{from:'names',localField:'k',foreignField:'_id',as:'who'}},{$project:{who:'$who.name'}}]`, `[{_id:1,who:['Ada','Bob']}]`},
		{"$lookup of a view", `[{$match:{_id:1}},{$lookup:{from:'short',localField:'k',foreignField:'_id',as:'who'}},{$project:{who:1}}]`, `[{_id:1,who:[{_id:'a'}]}]`},
		{"$count", `[{$match:{k:'a'}},{$count:'n'}]`, `[{n:2}]`},
		{"$sortByCount", `[{$unwind:'$tags'},{$sortByCount:'$tags'}]`, `[{_id:'x',count:2},{_id:'y',count:1}]`},
		{"$replaceRoot", `[{$match:{_id:1}},{$replaceRoot:{newRoot:{v:'$n'}}}]`, `[{v:1}]`},
		{"$replaceWith", `[{$match:{_id:1}},{$replaceWith:{v:'$k'}}]`, `[{v:'a'}]`},
		{"$facet", `[{$facet:{n:[{$count:'n'}],top:[{$sort:{n:-1}},{$limit:1},{$project:{_id:1}}]}}]`, `[{n:[{n:4}],top:[{_id:4}]}]`},
		{"$unionWith", `[{$match:{_id:1}},{$project:{_id:1}},{$unionWith:{coll:'names',pipeline:[{$project:{_id:1}}]}}]`, `[{_id:1},{_id:'a'},{_id:'b'}]`},
		{"$bucket", `[{$bucket:{groupBy:'$n',boundaries:[0,3,10]}}]`, `[{_id:0,count:2},{_id:3,count:2}]`},
		{"empty", `[]`, `[{_id:1,k:'a',n:1,tags:['x','y']},{_id:2,k:'b',n:2,tags:[]},{_id:3,k:'a',n:3},{_id:4,k:'b',n:4,tags:['x']}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:`+tt.pipeline+`}`, tt.want)
		})
	}
	s.wantFound(t, `{aggregate:1,cursor:{},pipeline:[{$documents:[{a:1},{a:2}]},{$match:{a:2}}]}`, `[{a:2}]`)
	s.wantFound(t, `{aggregate:'c',cursor:{},let:{x:3},pipeline:[{$match:{$expr:{$eq:['$n','$$x']}}},{$project:{v:'$$x'}}]}`, `[{_id:3,v:3}]`)
}

func TestAggregateErrors(t *testing.T) {
	s := newServer(t)
	tests := []struct {
		pipeline string
		code     int32
		text     string
	}{
		{`[{$foo:1}]`, 40324, `Unrecognized pipeline stage name: '$foo'`},
		{`[{$match:{},$limit:1}]`, 40323, `must contain exactly one field`},
		{`[1]`, 14, `must be an object`},
		{`[{$limit:0}]`, 15958, `the limit must be positive`},
		{`[{$group:{n:{$sum:1}}}]`, 15955, `a group specification must include an _id`},
		{`[{$group:{_id:1,n:{$foo:1}}}]`, 15952, `unknown group operator '$foo'`},
		{`[{$group:{_id:1,n:1}}]`, 40234, `The field 'n' must be an accumulator object`},
		{`[{$project:{}}]`, 51272, `projection specification must have at least one field`},
		{`[{$project:{a:1,b:0}}]`, 31254, `Cannot do exclusion on field b in inclusion projection`},
		{`[{$project:{a:1,'a.b':1}}]`, 31249, `Path collision at a`},
		{`[{$out:'x'},{$match:{}}]`, 40601, `$out can only be the final stage in the pipeline`},
		{`[{$match:{}},{$documents:[]}]`, 40602, `$documents is only valid as the first stage in a pipeline`},
		{`[{$unwind:'a'}]`, 28818, `should be prefixed with a '$'`},
		{`[{$count:''}]`, 40157, `the count field must be a non-empty string`},
		{`[{$lookup:{from:'x'}}]`, 9, `must specify 'as' field for a $lookup`},
		{`[{$sort:{a:2}}]`, 15975, `must be 1 (for ascending) or -1 (for descending)`},
		{`[{$listSearchIndexes:{}}]`, 31082, `Atlas`},
	}
	for _, tt := range tests {
		s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:`+tt.pipeline+`}`, tt.code, tt.text)
	}
	s.wantFailure(t, `{aggregate:'c',pipeline:[]}`, 9, `The 'cursor' option is required`)
	s.wantFailure(t, `{createSearchIndexes:'c',indexes:[]}`, 31082, `Atlas`)
}

func TestOutAndMerge(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:11},{_id:2,x:22},{_id:3,x:33}]}`)
	s.run(t, `{insert:'o',documents:[{_id:9,old:true},{_id:2,keep:1}]}`)
	s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[{$match:{_id:{$gt:1}}},{$merge:{into:'o'}}]}`, `[]`)
	s.wantFound(t, `{find:'o',sort:{_id:1}}`, `[{_id:2,keep:1,x:22},{_id:3,x:33},{_id:9,old:true}]`)
	s.run(t, `{aggregate:'c',cursor:{},pipeline:[{$merge:{into:'o',whenMatched:'replace',whenNotMatched:'discard'}}]}`)
	s.wantFound(t, `{find:'o',sort:{_id:1}}`, `[{_id:2,x:22},{_id:3,x:33},{_id:9,old:true}]`)
	s.run(t, `{aggregate:'c',cursor:{},pipeline:[{$merge:{into:'o',whenMatched:[{$set:{sum:{$add:['$x','$$new.x']}}}]}}]}`)
	s.wantFound(t, `{find:'o',filter:{_id:3}}`, `[{_id:3,x:33,sum:66}]`)
	s.run(t, `{aggregate:'c',cursor:{},pipeline:[{$sort:{x:1}},{$out:'o'}]}`)
	s.wantFound(t, `{find:'o'}`, `[{_id:1,x:11},{_id:2,x:22},{_id:3,x:33}]`)
	s.wantFailure(t, `{aggregate:'c',cursor:{},pipeline:[{$merge:{into:'o',on:'x'}}]}`, 51183, `Cannot find index`)
}

func TestViews(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:1},{_id:2,x:2},{_id:3,x:3}]}`)
	s.run(t, `{create:'v',viewOn:'c',pipeline:[{$match:{x:{$gt:1}}}]}`)
	s.run(t, `{create:'vv',viewOn:'v',pipeline:[{$addFields:{y:'$x'}}]}`)
	s.wantFound(t, `{find:'v'}`, `[{_id:2,x:2},{_id:3,x:3}]`)
	s.wantFound(t, `{find:'vv',filter:{y:3},projection:{_id:0}}`, `[{x:3,y:3}]`)
	s.wantFound(t, `{aggregate:'v',pipeline:[{$count:'n'}],cursor:{}}`, `[{n:2}]`)
	s.want(t, `{count:'v',query:{x:3}}`, `{n:1}`)
	s.want(t, `{distinct:'v',key:'x'}`, `{values:[2,3]}`)
	s.wantFailure(t, `{insert:'v',documents:[{}]}`, 166, `Namespace db.v is a view, not a collection`)
	s.wantWriteFailure(t, `{update:'v',updates:[{q:{},u:{$set:{a:1}}}]}`, 166, `is a view`)
}
