package queryanalysis

import (
	"strings"
	"testing"
)

// TestWhatStagesLeave compares a path with a text after each stage that can remove an encrypted field, replace it or copy it. What
// may name nothing any more is refused, what is known to hold no encrypted value passes, and a copy of an encrypted field is compared
// with an encrypted text.
func TestWhatStagesLeave(t *testing.T) {
	const removed, passes, encrypts = "a stage has removed the field", "passes", "encrypts"
	const lookup = `{'$lookup':{'from':'p','localField':'a','foreignField':'a','as':'det'}}`
	for _, c := range []struct{ stage, name, stages, path, outcome string }{
		{"$unset", "the field", `{'$unset':'det'}`, "det", removed},
		{"$unset", "one of a list", `{'$unset':['a','det']}`, "det", removed},
		{"$unset", "inside", `{'$unset':'doc.det'}`, "doc.det", removed},
		{"$unset", "the document above", `{'$unset':'doc'}`, "doc.det", removed},
		{"$unset", "a path below it", `{'$unset':'det'}`, "det.x", removed},
		{"$unset", "another field", `{'$unset':'a'}`, "det", encrypts},
		{"$unset", "a copy", `{'$set':{'b':'$det'}},{'$unset':'b'}`, "b", removed},
		{"$unset", "a mixture", `{'$set':{'b':{'$cond':['$a','$det','$a']}}},{'$unset':'b'}`, "b", removed},

		{"$unset", "a plain value in its place", `{'$set':{'det':'$a'}},{'$unset':'det'}`, "det", removed},
		{"$unset", "a plain value in its place, inside", `{'$set':{'doc.det':'$a'}},{'$unset':'doc.det'}`, "doc.det", removed},
		{"$unset", "the document above a plain value in its place", `{'$set':{'doc.det':'$a'}},{'$unset':'doc'}`, "doc.det", removed},
		{"$unset", "an accumulator in its place", `{'$group':{'_id':'$a','det':{'$first':'$a'}}},{'$unset':'det'}`, "det", removed},
		{"$unset", "a join in its place", lookup + `,{'$unset':'det'}`, "det.x", removed},
		{"$unset", "a plain value in a copy", `{'$set':{'det':'$a'}},{'$set':{'b':'$$ROOT'}},{'$unset':'b.det'}`, "b.det", removed},
		{"$project", "drops a plain value in its place", `{'$set':{'det':'$a'}},{'$project':{'a':1}}`, "det", removed},
		{"$project", "keeps a plain value in its place", `{'$set':{'det':'$a'}},{'$project':{'det':1}}`, "det", passes},
		{"$project", "keeps a plain value in its place, which then goes", `{'$set':{'det':'$a'}},{'$project':{'det':1}},{'$project':{'a':1}}`, "det", removed},
		{"$group", "drops a plain value in its place", `{'$set':{'det':'$a'}},{'$group':{'_id':'$a'}}`, "det", removed},
		{"$unionWith", "of two with a plain value in its place, which then goes", `{'$set':{'det':'$a'}},{'$unionWith':{'coll':'c','pipeline':[{'$set':{'det':'$a'}}]}},{'$unset':'det'}`, "det", removed},
		{"$unionWith", "of two with a plain value in its place", `{'$set':{'det':'$a'}},{'$unionWith':{'coll':'c','pipeline':[{'$set':{'det':'$a'}}]}}`, "det", passes},

		{"$project", "excludes it", `{'$project':{'det':0}}`, "det", removed},
		{"$project", "excludes the document above", `{'$project':{'doc':false}}`, "doc.det", removed},
		{"$project", "excludes inside", `{'$project':{'doc':{'det':0}}}`, "doc.det", removed},
		{"$project", "excludes another", `{'$project':{'rand':0}}`, "det", encrypts},
		{"$project", "includes another", `{'$project':{'a':1}}`, "det", removed},
		{"$project", "includes a plain field", `{'$project':{'a':1}}`, "a", passes},
		{"$project", "includes beside it", `{'$project':{'doc':{'a':1}}}`, "doc.det", removed},
		{"$project", "includes it", `{'$project':{'det':1}}`, "det", encrypts},
		{"$project", "includes the document above", `{'$project':{'doc':1}}`, "doc.det", encrypts},
		{"$project", "includes _id", `{'$project':{'_id':1}}`, "det", removed},
		{"$project", "computes it from a plain field", `{'$project':{'det':'$a'}}`, "det", passes},
		{"$project", "removes it", `{'$project':{'det':'$$REMOVE'}}`, "det", removed},
		{"$project", "copies another", `{'$project':{'det':'$same'}}`, "det", encrypts},
		{"$project", "copies what is gone", `{'$unset':'det'},{'$project':{'b':'$det'}}`, "b", removed},
		{"$project", "computes only $meta", `{'$project':{'s':{'$meta':'textScore'}}}`, "det", encrypts},

		{"$addFields", "of a plain field", `{'$addFields':{'det':'$a'}}`, "det", passes},
		{"$addFields", "of a constant", `{'$addFields':{'det':'constant'}}`, "det", passes},
		{"$addFields", "of a constant, and then another field", `{'$addFields':{'det':'constant'}}`, "same", encrypts},
		{"$addFields", "of a literal", `{'$addFields':{'det':{'$literal':'$constant'}}}`, "det", passes},
		{"$addFields", "of a constant inside", `{'$addFields':{'doc':{'det':5}}}`, "doc.det", passes},
		{"$addFields", "of a constant, where another may be", `{'$addFields':{'det':{'$ifNull':['$a','constant']}}}`, "det", passes},
		{"$addFields", "of a constant, on a condition", `{'$addFields':{'det':{'$cond':['$a','constant','$det']}}}`, "det", "in only some documents"},
		{"$addFields", "of a constant, which goes again", `{'$addFields':{'det':'constant'}},{'$unset':'det'}`, "det", removed},
		{"$addFields", "of a constant, and a copy of it", `{'$addFields':{'det':'constant'}},{'$addFields':{'b':'$det'}}`, "b", passes},
		{"$addFields", "of a constant in place of the document above", `{'$addFields':{'doc':'constant'}}`, "doc.det", removed},
		{"$addFields", "of a literal document in place of the document above", `{'$addFields':{'doc':{'$literal':{'a':1}}}}`, "doc.det", removed},
		{"$addFields", "of a constant in place of the document above, as a whole", `{'$addFields':{'doc':'constant'}}`, "doc", passes},
		{"$project", "of a constant", `{'$project':{'det':'constant'}}`, "det", passes},
		{"$project", "of a constant in place of the document above", `{'$project':{'doc':{'$literal':5}}}`, "doc.det", removed},
		{"$addFields", "of a constant where it is gone", `{'$unset':'det'},{'$addFields':{'det':'constant'}}`, "det", passes},
		{"$addFields", "of a document where it is gone", `{'$unset':'det'},{'$addFields':{'det.b':'$a'}}`, "det.b", passes},
		{"$addFields", "of a document where it is gone, as a whole", `{'$unset':'det'},{'$addFields':{'det.b':'$a'}}`, "det", removed},
		{"$addFields", "of a document where it is gone, beside", `{'$unset':'det'},{'$addFields':{'det.b':'$a'}}`, "det.c", removed},
		{"$addFields", "of a copy where it is gone", `{'$unset':'det'},{'$addFields':{'det.b':'$same'}}`, "det.b", encrypts},
		{"$addFields", "where the document is gone", `{'$project':{'b':1}},{'$replaceRoot':{'newRoot':'$doc'}},{'$addFields':{'b':'$a'}}`, "b", passes},
		{"$addFields", "of a constant at a plain path", `{'$addFields':{'b':'constant'}}`, "b", passes},
		{"$addFields", "of an encrypted field", `{'$addFields':{'b':'$det'}}`, "b", encrypts},
		{"$addFields", "of the whole document", `{'$addFields':{'b':'$$ROOT'}}`, "b.det", encrypts},
		{"$addFields", "of a document without it", `{'$unset':'det'},{'$addFields':{'b':'$$ROOT'}}`, "b.det", removed},
		{"$addFields", "of nothing", `{'$addFields':{'det':'$$REMOVE'}}`, "det", removed},
		{"$addFields", "of nothing, on a condition", `{'$addFields':{'det':{'$cond':['$a','$$REMOVE','$a']}}}`, "det", removed},
		{"$addFields", "of nothing at a plain path", `{'$addFields':{'b':{'$cond':['$a','$$REMOVE','$a']}}}`, "b", passes},
		{"$addFields", "of nothing inside", `{'$addFields':{'doc':{'det':'$$REMOVE'}}}`, "doc.det", removed},
		{"$set", "of nothing", `{'$set':{'det':'$$REMOVE'}}`, "det", removed},
		{"$set", "of an encrypted field", `{'$set':{'det':'$same'}}`, "det", encrypts},

		{"$replaceRoot", "by a document of it", `{'$replaceRoot':{'newRoot':'$doc'}}`, "det", encrypts},
		{"$replaceRoot", "by a document of it, which lacks another", `{'$replaceRoot':{'newRoot':'$doc'}}`, "doc.det", passes},
		{"$replaceRoot", "by a plain document", `{'$replaceRoot':{'newRoot':'$a'}}`, "det", passes},
		{"$replaceRoot", "by new fields", `{'$replaceRoot':{'newRoot':{'b':'$a'}}}`, "det", removed},
		{"$replaceRoot", "by new fields, among them one of its name", `{'$replaceRoot':{'newRoot':{'det':'$a'}}}`, "det", passes},
		{"$replaceRoot", "by new fields, of which one is a constant", `{'$replaceRoot':{'newRoot':{'det':'constant'}}}`, "det", passes},
		{"$replaceRoot", "by new fields, of which one is a constant beside a copy", `{'$replaceRoot':{'newRoot':{'det':'constant','b':'$same'}}}`, "b", encrypts},
		{"$replaceRoot", "by new fields, of which one is a constant in place of a document", `{'$replaceRoot':{'newRoot':{'doc':'constant'}}}`, "doc.det", removed},
		{"$replaceRoot", "by a constant or a copy, under a name with a dot", `{'$replaceWith':{'doc.det':{'$ifNull':['$det','constant']}}}`, "doc.det", "in only some documents"},
		{"$replaceRoot", "by a copy, under a name with a dot", `{'$replaceWith':{'doc.det':'$det'}}`, "doc.det", encrypts},
		{"$replaceRoot", "by a constant or a copy", `{'$replaceRoot':{'newRoot':{'$cond':['$a',{'det':'constant'},{'det':'$det'}]}}}`, "det", "in only some documents"},
		{"$replaceRoot", "by new fields, of which one is nothing", `{'$replaceRoot':{'newRoot':{'det':'$$REMOVE'}}}`, "det", removed},
		{"$replaceRoot", "by a copy", `{'$replaceRoot':{'newRoot':{'b':'$det'}}}`, "b", encrypts},
		{"$replaceRoot", "by what is computed", `{'$replaceRoot':{'newRoot':{'$mergeObjects':['$a','$b']}}}`, "det", removed},
		{"$replaceRoot", "by a choice", `{'$replaceRoot':{'newRoot':{'$cond':['$a','$b','$c']}}}`, "det", removed},
		{"$replaceRoot", "by what is gone", `{'$unset':'doc'},{'$replaceRoot':{'newRoot':'$doc'}}`, "det", removed},
		{"$replaceRoot", "by itself and more", `{'$project':{'a':1}},{'$replaceRoot':{'newRoot':{'$mergeObjects':['$$ROOT','$a']}}}`, "det", removed},
		{"$replaceRoot", "by itself in a document", `{'$project':{'a':1}},{'$addFields':{'b':{'$mergeObjects':['$a','$$ROOT']}}}`, "b.det", removed},
		{"$replaceWith", "by new fields", `{'$replaceWith':{'b':'$a'}}`, "det", removed},
		{"$replaceWith", "by a document of it", `{'$replaceWith':'$doc'}`, "det", encrypts},

		{"$group", "without it", `{'$group':{'_id':'$a'}}`, "det", removed},
		{"$group", "without it, inside", `{'$group':{'_id':'$a','n':{'$sum':1}}}`, "doc.det", removed},
		{"$group", "by it", `{'$group':{'_id':'$det'}}`, "_id", encrypts},
		{"$group", "by a plain field", `{'$group':{'_id':'$a'}}`, "_id", passes},
		{"$group", "by what is gone", `{'$unset':'det'},{'$group':{'_id':'$det'}}`, "_id", removed},
		{"$group", "accumulates under its name", `{'$group':{'_id':'$a','det':{'$first':'$a'}}}`, "det", passes},
		{"$group", "takes a document without it", `{'$unset':'doc.det'},{'$group':{'_id':'$a','b':{'$first':'$doc.a'}}}`, "b", passes},
		{"$group", "takes a document that lacks it", `{'$unset':'doc'},{'$group':{'_id':'$a','b':{'$first':'$doc'}}}`, "b.det", removed},
		{"$group", "collects it", `{'$group':{'_id':'$a','b':{'$addToSet':'$det'}}},{'$unwind':'$b'}`, "b", encrypts},
		{"$group", "sums in place of the document above", `{'$group':{'_id':'$a','doc':{'$sum':1}}}`, "doc.det", removed},
		{"$group", "sums in place of the document above, as a whole", `{'$group':{'_id':'$a','doc':{'$sum':1}}}`, "doc", passes},
		{"$group", "averages under its name", `{'$group':{'_id':'$a','det':{'$avg':'$a'}}}`, "det", passes},
		{"$group", "takes documents in place of the document above", `{'$group':{'_id':'$a','doc':{'$first':'$b'}}}`, "doc.det", passes},
		{"$group", "counts in place of the document above, in a bucket", `{'$bucket':{'groupBy':'$a','boundaries':[1,2],'output':{'doc':{'$sum':1}}}}`, "doc.det", removed},
		{"$count", "in place of the document above", `{'$count':'doc'}`, "doc.det", removed},
		{"$unwind", "counts in place of the document above", `{'$unwind':{'path':'$a','includeArrayIndex':'doc'}}`, "doc.det", removed},
		{"$bucket", "without it", `{'$bucket':{'groupBy':'$a','boundaries':[1,2]}}`, "det", removed},
		{"$bucket", "accumulates under its name", `{'$bucket':{'groupBy':'$a','boundaries':[1,2],'output':{'det':{'$first':'$a'}}}}`, "det", passes},
		{"$bucketAuto", "without it", `{'$bucketAuto':{'groupBy':'$a','buckets':2}}`, "det", removed},
		{"$bucketAuto", "its own fields", `{'$bucketAuto':{'groupBy':'$a','buckets':2}}`, "_id.min", passes},
		{"$sortByCount", "by it", `{'$sortByCount':'$det'}`, "_id", encrypts},
		{"$sortByCount", "by another", `{'$sortByCount':'$a'}`, "det", removed},
		{"$count", "under another name", `{'$count':'n'}`, "det", removed},
		{"$count", "under its name", `{'$count':'det'}`, "det", passes},
		{"$facet", "beside it", `{'$facet':{'f':[{'$limit':1}]}}`, "det", removed},
		{"$facet", "into an array", `{'$facet':{'f':[{'$limit':1}]}}`, "f.det", encrypts},
		{"$facet", "into an array without it", `{'$facet':{'f':[{'$unset':'det'}]}}`, "f.det", removed},
		{"$facet", "under its name", `{'$facet':{'det':[{'$count':'n'}]}}`, "det.n", passes},

		{"$lookup", "under its name", lookup, "det.x", passes},
		{"$lookup", "under its name, as a whole", lookup, "det", passes},
		{"$lookup", "of encrypted documents", strings.ReplaceAll(lookup, "'p'", "'c'"), "det.det", encrypts},
		{"$lookup", "of documents without it", `{'$lookup':{'from':'c','pipeline':[{'$unset':'det'}],'as':'b'}}`, "b.det", removed},
		{"$graphLookup", "under its name", `{'$graphLookup':{'from':'c','startWith':'$a','connectFromField':'a','connectToField':'a','as':'b','depthField':'det'}}`, "b.det", passes},
		{"$unwind", "counts under its name", `{'$unwind':{'path':'$a','includeArrayIndex':'det'}}`, "det", passes},
		{"$unwind", "of another", `{'$unwind':'$a'}`, "det", encrypts},
		{"$unionWith", "a plain collection, after it is gone", `{'$unset':'det'},{'$unionWith':'p'}`, "det", removed},
		{"$unionWith", "its own collection, after it is gone", `{'$unset':'det'},{'$unionWith':'c'}`, "det", encrypts},
		{"$unionWith", "two that lack it", `{'$group':{'_id':'$a'}},{'$unionWith':{'coll':'c','pipeline':[{'$count':'n'}]}}`, "det", removed},
		{"$unionWith", "two, of which one counts", `{'$group':{'_id':'$a'}},{'$unionWith':{'coll':'c','pipeline':[{'$count':'n'}]}}`, "n", passes},
		{"$geoNear", "beside it", `{'$geoNear':{'near':[1,2],'distanceField':'d'}}`, "det", encrypts},
		{"$collStats", "has figures", `{'$collStats':{'count':{}}}`, "det", removed},
		{"$indexStats", "has figures", `{'$indexStats':{}}`, "det", removed},
		{"$match", "keeps it", `{'$match':{'a':1}}`, "det", encrypts},
		{"$sort", "keeps it", `{'$sort':{'a':1}}`, "det", encrypts},
		{"$limit", "keeps it", `{'$limit':1}`, "det", encrypts},
		{"$skip", "keeps it", `{'$skip':1}`, "det", encrypts},
		{"$sample", "keeps it", `{'$sample':{'size':1}}`, "det", encrypts},
	} {
		t.Run(c.stage+" "+c.name, func(t *testing.T) {
			text := pipelines("c")(c.stages + `,{'$match':{'` + c.path + `':'SECRETMARKER'}}`)
			cmd := parse(t, text)
			target, err := Inspect("db", cmd)
			if err != nil {
				t.Fatal(err)
			}
			result, err := Analyze(target, cmd, schemas(t))
			outcome := passes
			switch {
			case err != nil:
				outcome = err.Error()
			case result.Marked:
				outcome = encrypts
			}
			if !strings.Contains(outcome, c.outcome) {
				t.Errorf("%s: %s, want: %s\n%s", text, outcome, c.outcome, result.Command)
			}
		})
	}
}

// TestComparisonsWithRemovedFields uses a field that is gone in every way that can carry a literal, and in some that cannot.
func TestComparisonsWithRemovedFields(t *testing.T) {
	const removed = "a stage has removed the field"
	p := func(stage string) string { return pipelines("c")(`{'$unset':['det','doc']},` + stage) }
	match := func(filter string) string { return p(`{'$match':` + filter + `}`) }
	x := func(expression string) string { return match(`{'$expr':` + expression + `}`) }
	rows := []row{
		{"$exists", match(`{'det':{'$exists':false}}`), "", ""},
		{"$comment", match(`{'det':{'$exists':true,'$comment':'gone'}}`), "", ""},
		{"sort", p(`{'$sort':{'det':1}}`), "", ""},
		{"unset again", p(`{'$unset':'det'}`), "", ""},
		{"excluded again", p(`{'$project':{'doc.det':0}}`), "", ""},
		{"included", p(`{'$project':{'det':1}}`), "", ""},
		{"copied", p(`{'$set':{'b':'$det'}}`), "", ""},
		{"counted", p(`{'$sortByCount':'$det'}`), "", ""},
		{"joined by", p(`{'$lookup':{'from':'p','localField':'det','foreignField':'a','as':'b'}}`), "", ""},
		{"the whole document", p(`{'$group':{'_id':1,'b':{'$push':'$$ROOT'}}}`), "", "cannot compute"},
		{"a literal document", match(`{'doc':{'det':'x'}}`), "", removed},
		{"in a view", `{'create':'p','viewOn':'c','pipeline':[{'$unset':'det'},{'$match':{'det':'x'}}]}`, "", "Comparison to encrypted fields not supported"},
		{"in a join", `{'aggregate':'p','pipeline':[{'$lookup':{'from':'c','pipeline':[{'$unset':'det'},{'$match':{'det':'x'}}],'as':'b'}}]}`, "", removed},
		{"as a variable", p(`{'$lookup':{'from':'p','let':{'v':'$det'},'pipeline':[{'$match':{'$expr':{'$eq':['$$v','x']}}}],'as':'b'}}`), "", removed},
		{"in a facet", p(`{'$facet':{'f':[{'$match':{'det':'x'}}]}}`), "", removed},
		{"in $redact", pipelines("q")(`{'$project':{'a':'$doc.eq'}},{'$redact':{'$cond':[{'$eq':['$a','x']},'$$KEEP','$$PRUNE']}}`), "", "embedded"},
		{"in a search of a graph", p(`{'$graphLookup':{'from':'c','startWith':'$det','connectFromField':'a','connectToField':'a','as':'b'}}`), "", removed},
		{"in a bucket", p(`{'$bucket':{'groupBy':'$det','boundaries':['x','y']}}`), "", removed},
		{"summed", p(`{'$group':{'_id':1,'n':{'$sum':{'$cond':[{'$eq':['$det','x']},1,0]}}}}`), "", removed},
		{"explained", `{'explain':{'aggregate':'c','pipeline':[{'$unset':'det'},{'$match':{'det':'x'}}],'cursor':{}}}`, "", removed},
	}
	for _, op := range []string{
		"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$regex", "$size", "$mod", "$bitsAllSet", "$all", "$in", "$nin", "$type",
	} {
		v := `'x'`
		if op == "$all" || op == "$in" || op == "$nin" {
			v = `['x']`
		}
		rows = append(rows, row{op, match(`{'det':{'` + op + `':` + v + `}}`), "", removed},
			row{op + ", negated", match(`{'det':{'$not':{'` + op + `':` + v + `}}}`), "", removed})
	}
	for _, op := range []string{"$eq", "$ne", "$gt", "$lte", "$cmp", "$concat", "$setEquals", "$strcasecmp", "$add", "$and"} {
		rows = append(rows, row{op + " of an expression", x(`{'` + op + `':['$det','x']}`), "", removed},
			row{op + " of an expression, reversed", x(`{'` + op + `':['x','$det']}`), "", removed})
	}
	rows = append(rows,
		row{"$in of an expression", x(`{'$in':['$det',['x']]}`), "", removed},
		row{"$in of an expression, reversed", x(`{'$in':['x',['$det']]}`), "", removed},
		row{"$regexMatch", x(`{'$regexMatch':{'input':'$det','regex':'x'}}`), "", removed},
		row{"$switch", x(`{'$switch':{'branches':[{'case':{'$eq':['$det','x']},'then':true}]}}`), "", removed},
		row{"$let", x(`{'$let':{'vars':{'v':'$det'},'in':{'$eq':['$$v','x']}}}`), "", removed},
		row{"$ifNull", x(`{'$eq':[{'$ifNull':['$det','$a']},'x']}`), "", removed},
		row{"$map", x(`{'$map':{'input':'$a','in':{'$eq':['$det','x']}}}`), "", removed},
		row{"through $$ROOT", x(`{'$eq':['$$ROOT.det','x']}`), "", removed})
	run(t, rows)
}

// TestPipelineUpdates updates by pipelines. One that touches no encrypted field is sent as it is.
func TestPipelineUpdates(t *testing.T) {
	u := func(stages string) string { return `{'update':'c','updates':[{'q':{'det':'x'},'u':[` + stages + `]}]}` }
	sent := func(stages string) string {
		return `{'update':'c','updates':[{'q':{'det':{'$eq':'DET(x)'}},'u':[` + stages + `]}]}`
	}
	const writes, removes = "cannot write an encrypted field", "cannot remove an encrypted field"
	var rows []row
	for _, stages := range []string{
		`{'$set':{'a':'x','b.c':{'$add':['$a',1]}}}`, `{'$addFields':{'doc':{'a':'$b'}}}`, `{'$unset':'a'}`, `{'$unset':['a','doc.b']}`,
		`{'$set':{'a':{'$cond':['$b','$$REMOVE','$$NOW']}}},{'$unset':'b'}`, ``,
	} {
		rows = append(rows, row{"passes " + stages, u(stages), sent(stages), ""})
	}
	for _, c := range []struct{ stages, refused string }{
		{`{'$set':{'det':'x'}}`, writes}, {`{'$set':{'det':'$a'}}`, writes}, {`{'$set':{'doc.det':'x'}}`, writes},
		{`{'$set':{'doc':{'det':'x'}}}`, writes}, {`{'$set':{'doc':'$a'}}`, writes}, {`{'$set':{'doc':{}}}`, writes}, {`{'$set':{'det':{'a':1}}}`, writes},
		{`{'$set':{'a':'$det'}}`, "cannot compute"}, {`{'$set':{'a':'$$ROOT'}}`, "cannot compute"}, {`{'$set':{'a':'$doc'}}`, "cannot compute"},
		{`{'$set':{'a':{'$eq':['$det','x']}}}`, "Comparison to encrypted fields not supported"}, {`{'$set':{'det.x':1}}`, "below"},
		{`{'$unset':'det'}`, removes}, {`{'$unset':['a','doc']}`, removes}, {`{'$unset':5}`, "arguments"}, {`{'$set':5}`, "arguments"},
		{`{'$project':{'a':1}}`, "could drop or move"}, {`{'$replaceWith':'$a'}`, "could drop or move"}, {`{'$replaceRoot':{'newRoot':'$a'}}`, "could drop or move"},
		{`{'$match':{'a':1}}`, "could drop or move"}, {`{'$set':{'a':1},'$unset':'b'}`, "one field"}, {`5`, "one field"},
	} {
		rows = append(rows, row{"refuses " + c.stages, u(c.stages), "", c.refused})
	}
	rows = append(rows,
		row{"findAndModify", `{'findAndModify':'c','query':{'det':'x'},'update':[{'$set':{'a':1}}]}`, `{'findAndModify':'c','query':{'det':{'$eq':'DET(x)'}},'update':[{'$set':{'a':1}}]}`, ""},
		row{"bulkWrite", `{'bulkWrite':1,'ops':[{'update':0,'filter':{'det':'x'},'updateMods':[{'$set':{'a':1}}]}],'nsInfo':[{'ns':'db.c'}]}`,
			`{'bulkWrite':1,'ops':[{'update':0,'filter':{'det':{'$eq':'DET(x)'}},'updateMods':[{'$set':{'a':1}}]}],'nsInfo':[{'ns':'db.c'}]}`, ""},
		row{"QE", `{'update':'q','updates':[{'q':{'a':'x'},'u':[{'$set':{'b':1}}]}]}`, `{'update':'q','updates':[{'q':{'a':{'$eq':'x'}},'u':[{'$set':{'b':1}}]}]}`, ""},
		row{"QE, an encrypted field", `{'update':'q','updates':[{'q':{'a':'x'},'u':[{'$set':{'eq':'x'}}]}]}`, "", writes})
	run(t, rows)
}
