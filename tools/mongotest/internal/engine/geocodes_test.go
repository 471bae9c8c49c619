package engine_test

import "testing"

// newFlatAndRound makes a collection with an index for flat points and one for shapes.
func newFlatAndRound(t *testing.T) *server {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,p:[1,1],g:{type:'Point',coordinates:[1,1]}},{_id:2,p:[2,2],g:{type:'Point',coordinates:[2,2]}}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{p:'2d'},name:'p'},{key:{g:'2dsphere'},name:'g'}]}`)
	return s
}

func TestMistakesOfGeoNear(t *testing.T) {
	list := []mistake{
		{"no near", `distanceField:'d',key:'p'`, 5860400, "'near'", 0},
		{"near is a number", `near:5,distanceField:'d'`, 5860401, "to a point", 0},
		{"near of an old server", `near:5,distanceField:'d'`, 16605, "'near'", 13},
		{"near is a field", `near:'$p',distanceField:'d'`, 5860402, "constant", 0},
		{"no distanceField", `near:[1,1],key:'p'`, 16606, "distanceField", 0},
		{"a distanceField that is a number", `near:[1,1],key:'p',distanceField:5`, 16606, "distanceField", 0},
		{"includeLocs that is a number", `near:[1,1],key:'p',distanceField:'d',includeLocs:5`, 16607, "includeLocs", 0},
		{"a key that is a number", `near:[1,1],key:5,distanceField:'d'`, 14, "key", 0},
		{"an empty key", `near:[1,1],key:'',distanceField:'d'`, 2, "key", 0},
		{"a text as the greatest distance", `near:[1,1],key:'p',distanceField:'d',maxDistance:'x'`, 7555702, "$maxDistance", 0},
		{"a field as the greatest distance", `near:[1,1],key:'p',distanceField:'d',maxDistance:'$_id'`, 7555702, "$maxDistance", 0},
		{"a field as the least distance", `near:[1,1],key:'p',distanceField:'d',minDistance:'$_id'`, 7555701, "$minDistance", 0},
		{"a multiplier that is a text", `near:[1,1],key:'p',distanceField:'d',distanceMultiplier:'x'`, 14, "distanceMultiplier", 0},
		{"a negative multiplier", `near:[1,1],key:'p',distanceField:'d',distanceMultiplier:-1`, 2, "distanceMultiplier", 0},
		{"start", `near:[1,1],key:'p',distanceField:'d',start:1`, 50856, "start", 0},
		{"num", `near:[1,1],key:'p',distanceField:'d',num:1`, 50857, "num", 0},
		{"limit", `near:[1,1],key:'p',distanceField:'d',limit:1`, 50858, "limit", 0},
		{"a query with $near", `near:[1,1],key:'p',distanceField:'d',query:{p:{$near:[1,1]}}`, 5626500, "not allowed", 0},
	}
	for i := range list {
		list[i].command = `{aggregate:'c',pipeline:[{$geoNear:{` + list[i].command + `}}],cursor:{}}`
	}
	newFlatAndRound(t).check(t, list)
}

func TestMistakesOfNear(t *testing.T) {
	const point = `$geometry:{type:'Point',coordinates:[1,1]}`
	list := []mistake{
		{"a text beside a legacy point", `{p:{$near:[1,1],$maxDistance:'x'}}`, 16895, "maxDistance", 0},
		{"a negative distance beside it", `{p:{$near:[1,1],$maxDistance:-1}}`, 16896, "maxDistance", 0},
		{"a text as the least distance", `{p:{$near:[1,1],$minDistance:'x'}}`, 16893, "minDistance", 0},
		{"a negative least distance", `{p:{$near:[1,1],$minDistance:-1}}`, 16894, "minDistance", 0},
		{"a text beside a shape", `{g:{$near:{` + point + `,$maxDistance:'x'}}}`, 2, "maxDistance", 0},
		{"another operator beside it", `{g:{$near:{` + point + `},$eq:5}}`, 34413, "$eq", 0},
		{"another operator inside", `{g:{$near:{` + point + `,$foo:5}}}`, 2, "$foo", 0},
		{"two fields", `{g:{$near:{` + point + `}},p:{$near:[1,1]}}`, 2, "Too many", 0},
		{"two kinds", `{g:{$near:{` + point + `},$nearSphere:{` + point + `}}}`, 2, "Too many", 0},
		{"two conditions", `{$and:[{g:{$near:{` + point + `}}},{g:{$near:{` + point + `}}}]}`, 2, "Too many", 0},
		{"an alternative", `{$or:[{g:{$near:{` + point + `}}},{a:1}]}`, 2, "top-level", 0},
	}
	for i := range list {
		list[i].command = `{find:'c',filter:` + list[i].command + `}`
	}
	newFlatAndRound(t).check(t, list)
}

func TestMistakesOfShapes(t *testing.T) {
	list := []mistake{
		{"edges that cross", `type:'Polygon',coordinates:[[[0,0],[1,1],[1,0],[0,1],[0,0]]]`, 2, "cross", 0},
		{"a hole along the border", `type:'Polygon',coordinates:[[[0,0],[5,0],[5,5],[0,5],[0,0]],[[0,0],[0,2],[2,2],[2,0],[0,0]]]`, 2, "hole", 0},
		{"a hole outside", `type:'Polygon',coordinates:[[[0,0],[1,0],[1,1],[0,1],[0,0]],[[-1,-1],[-1,2],[2,2],[2,-1],[-1,-1]]]`, 2, "hole", 0},
		{"a ring of two places", `type:'Polygon',coordinates:[[[0,0],[1,0],[1,0],[0,0]]]`, 2, "3 different", 0},
		{"a line of one place", `type:'LineString',coordinates:[[1,1],[1,1]]`, 2, "2 vertices", 0},
		{"no points", `type:'MultiPoint',coordinates:[]`, 2, "at least 1", 0},
		{"a place that is no number", `type:'Point',coordinates:[{$numberDouble:'NaN'},0]`, 2, "out of bounds", 0},
		{"an unknown system", `type:'Point',coordinates:[1,1],crs:{type:'name',properties:{name:'x'}}`, 2, "CRS", 0},
		{"a system without a name", `type:'Point',coordinates:[1,1],crs:{type:'name'}`, 2, "CRS", 0},
		{"a system of another type", `type:'Point',coordinates:[1,1],crs:{type:'x'}`, 2, "CRS", 0},
		{"the direction of a point", `type:'Point',coordinates:[1,1],crs:{type:'name',properties:{name:'urn:x-mongodb:crs:strictwinding:EPSG:4326'}}`, 2, "winding", 0},
	}
	for i := range list {
		list[i].command = `{find:'c',filter:{g:{$geoIntersects:{$geometry:{` + list[i].command + `}}}}}`
	}
	newFlatAndRound(t).check(t, list)
}

func TestDirectionOfPolygons(t *testing.T) {
	s := newFlatAndRound(t)
	s.run(t, `{insert:'c',documents:[{_id:3,g:{type:'Point',coordinates:[0.5,0.5]}}]}`)
	within := func(ring string) string {
		return `{find:'c',projection:{_id:1},sort:{_id:1},filter:{g:{$geoWithin:{$geometry:{type:'Polygon',coordinates:[` + ring +
			`],crs:{type:'name',properties:{name:'urn:x-mongodb:crs:strictwinding:EPSG:4326'}}}}}}}`
	}
	s.wantFound(t, within(`[[0,0],[0.9,0],[0.9,0.9],[0,0.9],[0,0]]`), `[{_id:3}]`)
	s.wantFound(t, within(`[[0,0],[0,0.9],[0.9,0.9],[0.9,0],[0,0]]`), `[{_id:1},{_id:2}]`)
}

func TestPointsOfFlatIndexes(t *testing.T) {
	s := newFlatAndRound(t)
	s.wantWriteFailure(t, `{insert:'c',documents:[{p:['a',1]}]}`, 16804, "not in correct format")
	s.wantWriteFailure(t, `{insert:'c',documents:[{p:[1]}]}`, 13068, "only has 1 element")
	s.wantWriteFailure(t, `{insert:'c',documents:[{p:[1,'a']}]}`, 13026, "legacy coordinate pairs")
	s.run(t, `{insert:'c',documents:[{p:[]},{p:null},{p:[[1,1],[2,2]]}]}`)
}
