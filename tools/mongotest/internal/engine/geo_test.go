package engine_test

import "testing"

func TestRangeOf2DIndex(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{at:'2d'},name:'at'},{key:{small:'2d',n:1},name:'small',min:-1.5,max:10}]}`)
	for _, fits := range []string{`{at:[180,-180]}`, `{at:{lng:1,lat:95}}`, `{at:[[1,1],[2,2]]}`, `{small:[10,-1.5]}`, `{at:null}`, `{at:'x'}`, `{at:[]}`} {
		s.want(t, `{insert:'c',documents:[`+fits+`]}`, `{n:1}`)
	}
	for _, outside := range []string{`{at:[180.1,0]}`, `{at:{lng:0,lat:-181}}`, `{at:[[1,1],[200,2]]}`} {
		s.wantWriteFailure(t, `{insert:'c',documents:[`+outside+`]}`, 13027, `point not in interval of [ -180, 180 ]`)
	}
	s.wantWriteFailure(t, `{insert:'c',documents:[{small:[0,11]}]}`, 13027, `point not in interval of [ -1.5, 10 ]`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{at:[180,-180]},u:{$set:{at:[181,0]}}}]}`, 13027, `point not in interval`)
	s.run(t, `{insert:'d',documents:[{at:[0,0]},{at:[0,500]}]}`)
	s.wantFailure(t, `{createIndexes:'d',indexes:[{key:{at:'2d'},name:'at'}]}`, 13027, `point not in interval of [ -180, 180 ]`)
	s.run(t, `{createIndexes:'d',indexes:[{key:{at:'2d'},name:'at',max:500}]}`)
}

// newPlaces starts a server with points and shapes around the coordinates 0, 0.
func newPlaces(t testing.TB) *server {
	s := newServer(t)
	s.run(t, `{createIndexes:'p',indexes:[{key:{at:'2dsphere'},name:'at'},{key:{flat:'2d'},name:'flat'}]}`)
	s.run(t, `{insert:'p',documents:[
		{_id:1,at:{type:'Point',coordinates:[0,0]},flat:[0,0]},
		{_id:2,at:{type:'Point',coordinates:[0,1]},flat:[0,1]},
		{_id:3,at:{type:'Point',coordinates:[0.5,0]},flat:{x:0.5,y:0}},
		{_id:4,at:{type:'LineString',coordinates:[[2,-1],[2,1]]},flat:[2,0]},
		{_id:5,at:{type:'Polygon',coordinates:[[[3,-1],[5,-1],[5,1],[3,1],[3,-1]],[[3.5,-0.5],[4.5,-0.5],[4.5,0.5],[3.5,0.5],[3.5,-0.5]]]},flat:[4,0]},
		{_id:6,at:[10,10],flat:[10,10],n:1},
		{_id:7}]}`)
	return s
}

func TestGeospatialQueries(t *testing.T) {
	s := newPlaces(t)
	const square = `{$geometry:{type:'Polygon',coordinates:[[[-0.1,-0.1],[1.1,-0.1],[1.1,1.1],[-0.1,1.1],[-0.1,-0.1]]]}}`
	checkAnswers(t, s, []answer{
		{"within a polygon", `{find:'p',filter:{at:{$geoWithin:` + square + `}}}`, "ids", "1 2 3"},
		{"a line is within when all of it is", `{find:'p',filter:{at:{$geoWithin:{$geometry:{type:'Polygon',coordinates:[[[1.5,-2],[2.5,-2],[2.5,0.5],[1.5,0.5],[1.5,-2]]]}}}}}`, "ids", ""},
		{"and here it is", `{find:'p',filter:{at:{$geoWithin:{$geometry:{type:'Polygon',coordinates:[[[1.5,-2],[2.5,-2],[2.5,2],[1.5,2],[1.5,-2]]]}}}}}`, "ids", "4"},
		{"within a box", `{find:'p',filter:{flat:{$geoWithin:{$box:[[0,0],[1,1]]}}}}`, "ids", "1 2 3"},
		{"within a legacy polygon", `{find:'p',filter:{flat:{$within:{$polygon:[[-1,-1],[3,-1],[3,0.5]]}}}}`, "ids", "4"},
		{"within a circle", `{find:'p',filter:{flat:{$geoWithin:{$center:[[0,0],1]}}}}`, "ids", "1 2 3"},
		{"within a circle of the sphere", `{find:'p',filter:{at:{$geoWithin:{$centerSphere:[[0,0],0.01]}}}}`, "ids", "1 3"},
		{"not within", `{find:'p',filter:{at:{$not:{$geoWithin:` + square + `}}}}`, "ids", "4 5 6 7"},
		{"a line meets a line and a polygon", `{find:'p',filter:{at:{$geoIntersects:{$geometry:{type:'LineString',coordinates:[[1,0.2],[3.2,0.2]]}}}}}`, "ids", "4 5"},
		{"a point in a hole meets nothing", `{find:'p',filter:{at:{$geoIntersects:{$geometry:{type:'Point',coordinates:[4,0]}}}}}`, "ids", ""},
		{"a point in a polygon", `{find:'p',filter:{at:{$geoIntersects:{$geometry:{type:'Point',coordinates:[3.2,0]}}}}}`, "ids", "5"},
		{"near", `{find:'p',filter:{at:{$near:{$geometry:{type:'Point',coordinates:[0,0]}}}}}`, "ids", "1 3 2 4 5 6"},
		{"near, within bounds", `{find:'p',filter:{at:{$nearSphere:{$geometry:{type:'Point',coordinates:[0,0]},$minDistance:1,$maxDistance:120000}}}}`, "ids", "3 2"},
		{"near a legacy point", `{find:'p',filter:{flat:{$near:[4,0],$maxDistance:3.6}}}`, "ids", "5 4 3"},
		{"near in radians", `{find:'p',filter:{at:{$nearSphere:[0,1],$maxDistance:0.018}}}`, "ids", "2 1"},
		{"near with another condition", `{find:'p',filter:{at:{$near:{$geometry:{type:'Point',coordinates:[0,0]}}},n:1}}`, "ids", "6"},
		{"near, but sorted and limited", `{find:'p',filter:{at:{$near:{$geometry:{type:'Point',coordinates:[0,0]},$maxDistance:120000}}},sort:{_id:-1},limit:2}`, "ids", "3 2"},
		{"the plan", `{explain:{find:'p',filter:{at:{$near:{$geometry:{type:'Point',coordinates:[0,0]}}}}}}`, "queryPlanner winningPlan stage", `'GEO_NEAR_2DSPHERE'`},
		{"$geoNear", `{aggregate:'p',cursor:{},pipeline:[{$geoNear:{near:{type:'Point',coordinates:[0,0]},distanceField:'d.m',includeLocs:'d.at',maxDistance:60000,key:'at'}},{$set:{'d.m':{$round:'$d.m'}}},{$match:{_id:{$ne:1}}},{$project:{d:1}}]}`,
			"cursor firstBatch", `[{_id:3,d:{m:55659.0,at:{type:'Point',coordinates:[0.5,0]}}}]`},
		{"$geoNear on the flat map, with a query and a factor", `{aggregate:'p',cursor:{},pipeline:[{$geoNear:{near:[0,0],distanceField:'d',key:'flat',query:{_id:{$gt:3}},distanceMultiplier:2}},{$limit:1},{$project:{d:1}}]}`, "cursor firstBatch", `[{_id:4,d:4.0}]`},
		{"an update of the nearest", `{findAndModify:'p',query:{at:{$near:{$geometry:{type:'Point',coordinates:[9,9]}}}},update:{$set:{hit:true}},fields:{_id:1}}`, "value", `{_id:6}`},
	})
}

func TestGeospatialMistakes(t *testing.T) {
	s := newPlaces(t)
	s.run(t, `{insert:'c',documents:[{_id:1,at:[1,1]}]}`)
	for _, tt := range []struct {
		name, command string
		code          int32
		text          string
	}{
		{"near without an index", `{find:'c',filter:{at:{$near:[0,0]}}}`, 291, "unable to find index for $geoNear query"},
		{"near in a pipeline", `{aggregate:'p',pipeline:[{$match:{at:{$near:[0,0]}}}],cursor:{}}`, 5626500, "not allowed in this context"},
		{"near no point", `{find:'p',filter:{at:{$near:{$geometry:{type:'LineString',coordinates:[[0,0],[1,1]]}}}}}`, 2, "point"},
		{"an open ring", `{find:'p',filter:{at:{$geoWithin:{$geometry:{type:'Polygon',coordinates:[[[0,0],[1,0],[1,1],[0,1]]]}}}}}`, 2, "Loop is not closed"},
		{"a latitude beyond the pole", `{find:'p',filter:{at:{$geoIntersects:{$geometry:{type:'Point',coordinates:[0,91]}}}}}`, 2, "out of bounds"},
		{"unknown shape", `{find:'p',filter:{at:{$geoWithin:{$star:1}}}}`, 2, "unknown geo specifier"},
		{"$geoNear without an index", `{aggregate:'c',pipeline:[{$geoNear:{near:[0,0],distanceField:'d'}}],cursor:{}}`, 27, "requires a 2d or 2dsphere index"},
		{"$geoNear without a field", `{aggregate:'p',pipeline:[{$geoNear:{near:[0,0]}}],cursor:{}}`, 16606, "distanceField"},
		{"$geoNear later", `{aggregate:'p',pipeline:[{$match:{}},{$geoNear:{near:[0,0],distanceField:'d'}}],cursor:{}}`, 40602, "first stage"},
		{"an index over what is no shape", `{createIndexes:'c',indexes:[{key:{_id:'2dsphere'},name:'x'}]}`, 16755, "Can't extract geo keys"},
	} {
		t.Run(tt.name, func(t *testing.T) { s.wantFailure(t, tt.command, tt.code, tt.text) })
	}
	s.want(t, `{insert:'p',documents:[{_id:9,at:{type:'Point',coordinates:[0,100]}}]}`, `16755`, "writeErrors", "0", "code")
}

// A search by region uses the index of its kind.
func TestExplainOfRegions(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{loc:'2dsphere'},name:'s'},{key:{at:'2d'},name:'f'},{key:{type:1,where:'2dsphere'},name:'t'}]}`)
	s.run(t, `{insert:'c',documents:[{_id:1,loc:{type:'Point',coordinates:[1,1]},at:[1,1]}]}`)
	const square = `{$geometry:{type:'Polygon',coordinates:[[[0,0],[0,2],[2,2],[2,0],[0,0]]]}}`
	plan := []string{"queryPlanner", "winningPlan"}
	for _, tt := range []struct{ name, filter, index string }{
		{"within a polygon", `{loc:{$geoWithin:` + square + `}}`, `'s'`},
		{"across a polygon", `{loc:{$geoIntersects:` + square + `},x:1}`, `'s'`},
		{"within a circle on the sphere", `{loc:{$geoWithin:{$centerSphere:[[0,0],1]}}}`, `'s'`},
		{"within a box", `{at:{$geoWithin:{$box:[[0,0],[2,2]]}}}`, `'f'`},
		{"behind another field", `{type:1,where:{$geoWithin:` + square + `}}`, `'t'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			explain := `{explain:{find:'c',filter:` + tt.filter + `}}`
			s.want(t, explain, `'FETCH'`, append(plan, "stage")...)
			s.want(t, explain, `'IXSCAN'`, append(plan, "inputStage", "stage")...)
			s.want(t, explain, tt.index, append(plan, "inputStage", "indexName")...)
		})
	}
	for _, tt := range []struct{ name, filter string }{
		{"a box needs a flat map", `{loc:{$geoWithin:{$box:[[0,0],[2,2]]}}}`},
		{"a polygon on the sphere", `{at:{$geoWithin:` + square + `}}`},
		{"the first field is open", `{where:{$geoWithin:` + square + `}}`},
		{"not within", `{loc:{$not:{$geoWithin:` + square + `}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.want(t, `{explain:{find:'c',filter:`+tt.filter+`}}`, `'COLLSCAN'`, append(plan, "stage")...)
		})
	}
}

// A pipeline that begins with $geoNear, and an $or with a region, use the indexes too.
func TestExplainOfNearAndBranches(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{loc:'2dsphere'},name:'s'},{key:{at:'2d'},name:'f'},{key:{n:1},name:'n'}]}`)
	s.run(t, `{insert:'c',documents:[{_id:1,loc:{type:'Point',coordinates:[1,1]},at:[1,1],n:5},{_id:2,loc:{type:'Point',coordinates:[50,1]},n:1},{_id:3,loc:{type:'Point',coordinates:[50,2]},n:7}]}`)
	const point, square = `{type:'Point',coordinates:[0,0]}`, `{$geometry:{type:'Polygon',coordinates:[[[0,0],[0,2],[2,2],[2,0],[0,0]]]}}`
	near := func(stages string) string {
		return `{explain:{aggregate:'c',cursor:{},pipeline:[` + stages + `]}}`
	}
	const onSphere = `{$geoNear:{near:` + point + `,distanceField:'d',key:'loc',maxDistance:500000,query:{n:5}}}`
	or := `{find:'c',filter:{$or:[{n:1},{loc:{$geoWithin:` + square + `}}]}}`
	checkAnswers(t, s, []answer{
		{"on the sphere", near(onSphere), "stages 0 $geoNearCursor queryPlanner winningPlan", `{isCached:false,stage:'GEO_NEAR_2DSPHERE',keyPattern:{loc:'2dsphere'},indexName:'s',indexVersion:2}`},
		{"its query", near(onSphere), "stages 0 $geoNearCursor queryPlanner parsedQuery", `{$and:[{n:{$eq:5}},{loc:{$nearSphere:{$geometry:` + point + `,$maxDistance:500000}}}]}`},
		{"what it finds", near(onSphere), "stages 0 $geoNearCursor executionStats nReturned", `1`},
		{"nothing else", near(onSphere), "stages 1", `null`},
		{"with a stage after it", near(onSphere + `,{$match:{n:1}}`), "stages 1", `{$match:{n:1}}`},
		{"on the flat map", near(`{$geoNear:{near:[0,0],distanceField:'d',key:'at'}}`), "stages 0 $geoNearCursor queryPlanner winningPlan stage", `'GEO_NEAR_2D'`},
		{"a find", `{explain:{find:'c',filter:{at:{$near:[0,0]}}}}`, "queryPlanner winningPlan indexName", `'f'`},
		{"a branch with a region", `{explain:` + or + `}`, "queryPlanner winningPlan inputStage inputStages 1 inputStage indexName", `'s'`},
		{"the branch beside it", `{explain:` + or + `}`, "queryPlanner winningPlan inputStage inputStages 0 indexName", `'n'`},
		{"the documents of both", or, "ids", "2 1"},
	})
}

func TestRulesOfNear(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,g:[0,0]},{_id:2,g:[3,0]}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{g:'2d'},name:'g'}]}`)
	near := func(stage, let string) string {
		return `{aggregate:'c',cursor:{},let:` + let + `,pipeline:[{$geoNear:{distanceField:'d',key:'g',` + stage + `}},{$project:{_id:1}}]}`
	}
	s.wantFound(t, near(`near:[0,0],minDistance:{$add:[1,1]},maxDistance:'$$m'`, `{m:5}`), `[{_id:2}]`)
	s.wantFound(t, near(`near:'$$p',maxDistance:{$literal:1}`, `{p:[0,0]}`), `[{_id:1}]`)
	s.wantFailure(t, near(`near:'$$p'`, `{p:5}`), 5860401, "evaluate to a point")
	s.wantFailure(t, near(`near:5`, `{}`), 5860401, "to a point")
	s.wantFound(t, `{find:'c',filter:{g:{$near:[0,0,1]}},projection:{_id:1}}`, `[{_id:1}]`)
	s.wantFound(t, `{find:'c',filter:{g:{$near:[0,0,1],$maxDistance:9}},projection:{_id:1}}`, `[{_id:1},{_id:2}]`)
	s.wantFailure(t, `{find:'c',filter:{g:{$near:{$geometry:{type:'Point',coordinates:[0,0]},$foo:1}}}}`, 2, "invalid argument in geo near query: $foo")
	s.wantFailure(t, `{find:'c',filter:{$or:[{g:{$near:[0,0]}},{_id:1}]}}`, 2, "geo $near must be top-level expr")
	s.wantFailure(t, `{find:'c',filter:{$nor:[{g:{$near:[0,0]}}]}}`, 2, "geo $near must be top-level expr")
	s.wantFailure(t, `{createIndexes:'x',indexes:[{key:{g:'2d',h:'2d'},name:'g'}]}`, 16800, "can't have 2 geo fields")
}
