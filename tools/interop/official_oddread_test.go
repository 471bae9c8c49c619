//lint:file-ignore SA1019 SetCustom is the only way to send an option that the driver does not know

package interop

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

var onlyID = bson.D{{Key: "_id", Value: 1}}

// oddReads are uses of find, count and distinct.
var oddReads = []oddUse{
	{name: "min and max with a hint", want: `{'_id':1} {'_id':2}`, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetMin(parseDocument(`{'a':1}`)).SetMax(parseDocument(`{'a':2.5}`)).SetHint("a_1").SetProjection(onlyID))
	}},
	{name: "min without a hint", code: 51173, run: func(o oddPlace) (any, error) { return o.find(`{}`, options.Find().SetMin(parseDocument(`{'a':1}`))) }},
	{name: "max below min", code: 51175, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetMin(parseDocument(`{'a':2}`)).SetMax(parseDocument(`{'a':1}`)).SetHint("a_1"))
	}},
	{name: "hint of no index", code: 2, run: func(o oddPlace) (any, error) { return o.find(`{}`, options.Find().SetHint("nothing")) }},
	{name: "hint of the reverse order", want: `{'_id':5} {'_id':4} {'_id':3} {'_id':2} {'_id':1}`, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetHint(parseDocument(`{'$natural':-1}`)).SetProjection(onlyID))
	}},
	{name: "returnKey", want: `{'a':1} {'a':2} {'a':2.5}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'a':{'$gt':0}}`, options.Find().SetReturnKey(true).SetSort(parseDocument(`{'a':1}`)))
	}},
	{name: "returnKey without an index", want: `{}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'s':'x'}`, options.Find().SetReturnKey(true))
	}},
	{name: "record identifiers", want: `[int64 int64]`, run: func(o oddPlace) (any, error) {
		got, err := o.find(`{'_id':{'$lt':3}}`, options.Find().SetShowRecordID(true).SetProjection(onlyID))
		var kinds []string
		if docs, ok := got.([]bson.D); ok {
			for _, doc := range docs {
				kinds = append(kinds, kindOf(doc[len(doc)-1].Value))
			}
		}
		return kinds, err
	}},
	{name: "let in a filter", want: `{'_id':2}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'$expr':{'$eq':['$a','$$x']}}`, options.Find().SetLet(parseDocument(`{'x':{'$add':[1,1]}}`)).SetProjection(onlyID))
	}},
	{name: "a variable that let lacks", code: 17276, run: func(o oddPlace) (any, error) {
		return o.find(`{'$expr':{'$eq':['$a','$$y']}}`, options.Find().SetLet(parseDocument(`{'x':1}`)))
	}},
	{name: "a first batch of nothing", want: `{'_id':1} {'_id':2} {'_id':3} {'_id':4} {'_id':5}`, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetBatchSize(0).SetSort(onlyID).SetProjection(onlyID))
	}},
	{name: "a negative limit", want: `{'_id':1} {'_id':2}`, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetLimit(-2).SetSort(onlyID).SetProjection(onlyID))
	}},
	{name: "a limit of nine in batches of two", want: `{'_id':5} {'_id':4} {'_id':3} {'_id':2} {'_id':1}`, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetLimit(9).SetBatchSize(2).SetSort(parseDocument(`{'_id':-1}`)).SetProjection(onlyID))
	}},
	{name: "all that is told and changes nothing", want: `{'_id':4}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'_id':4}`, options.Find().SetAllowDiskUse(true).SetComment(parseDocument(`{'who':'me'}`)).SetNoCursorTimeout(true).SetAllowPartialResults(true).SetProjection(onlyID))
	}},
	{name: "blind to case and accents", want: `{'_id':3} {'_id':5}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'s':'E'}`, options.Find().SetCollation(&options.Collation{Locale: "en", Strength: 1}).SetProjection(onlyID))
	}},
	{name: "upper case first", want: `{'s':'e'} {'s':'é'} {'s':'X'} {'s':'x'} {'s':'y'}`, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetCollation(&options.Collation{Locale: "en", CaseFirst: "upper"}).SetSort(parseDocument(`{'s':1}`)).SetProjection(parseDocument(`{'s':1,'_id':0}`)))
	}},
	{name: "an unknown locale", code: 2, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetCollation(&options.Collation{Locale: "zz"}))
	}},
	{name: "a projection by position", want: `{'_id':1,'list':[2]}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'list':{'$gt':1}}`, options.Find().SetProjection(parseDocument(`{'list.$':1}`)))
	}},
	{name: "two projections by position", code: 31276, run: func(o oddPlace) (any, error) {
		return o.find(`{'list':{'$gt':1}}`, options.Find().SetProjection(parseDocument(`{'list.$':1,'a.$':1}`)))
	}},
	{name: "the first element that matches", want: `{'_id':2,'list':[{'k':2,'q':6}]}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'_id':2}`, options.Find().SetProjection(parseDocument(`{'list':{'$elemMatch':{'q':{'$gt':5}}}}`)))
	}},
	{name: "a slice keeps the other fields", want: `{'_id':1,'a':1,'s':'x','list':[2]}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'_id':1}`, options.Find().SetProjection(parseDocument(`{'list':{'$slice':[1,1]}}`)))
	}},
	{name: "a field that is computed", want: `{'_id':1,'twice':2}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'_id':1}`, options.Find().SetProjection(parseDocument(`{'twice':{'$multiply':['$a',2]}}`)))
	}},
	{name: "a field in and another one out", code: 31254, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetProjection(parseDocument(`{'a':1,'s':0}`)))
	}},
	{name: "paths that meet", code: 31249, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetProjection(parseDocument(`{'a':1,'a.b':1}`)))
	}},
	{name: "null means missing too", want: `{'_id':3} {'_id':4}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'a':null}`, options.Find().SetProjection(onlyID).SetSort(onlyID))
	}},
	{name: "types by name", want: `{'_id':3} {'_id':5}`, run: func(o oddPlace) (any, error) {
		return o.find(`{'a':{'$type':['null','double']}}`, options.Find().SetProjection(onlyID).SetSort(onlyID))
	}},
	{name: "a tailable cursor on an ordinary collection", code: 2, run: func(o oddPlace) (any, error) {
		return o.find(`{}`, options.Find().SetCursorType(options.Tailable))
	}},
	{name: "a tailable cursor that waits in vain", want: `false <nil>`, run: func(o oddPlace) (any, error) {
		ring := o.c.Name() + "ring"
		if err := o.db.CreateCollection(o.t.Context(), ring, options.CreateCollection().SetCapped(true).SetSizeInBytes(4096)); err != nil {
			return nil, err
		}
		fill(o.t, o.db.Collection(ring), bson.M{"_id": 1})
		cursor, err := o.db.Collection(ring).Find(o.t.Context(), bson.D{}, options.Find().SetCursorType(options.TailableAwait).SetMaxAwaitTime(time.Millisecond))
		if err != nil || !cursor.TryNext(o.t.Context()) {
			return nil, err
		}
		defer cursor.Close(o.t.Context())
		return showResult(cursor.TryNext(o.t.Context())) + " " + showResult(cursor.Err()), nil
	}},
	{name: "findOne in the middle", want: `{'a':2}`, run: func(o oddPlace) (any, error) {
		return o.one(o.c.FindOne(o.t.Context(), parseDocument(`{'a':{'$gt':0}}`), options.FindOne().SetSort(parseDocument(`{'a':-1}`)).SetSkip(1).SetProjection(parseDocument(`{'a':1,'_id':0}`))))
	}},
	{name: "a count of a part", want: `2`, run: func(o oddPlace) (any, error) {
		return o.c.CountDocuments(o.t.Context(), bson.D{}, options.Count().SetSkip(1).SetLimit(2).SetHint("_id_"))
	}},
	{name: "a count in a language", want: `2`, run: func(o oddPlace) (any, error) {
		return o.c.CountDocuments(o.t.Context(), parseDocument(`{'s':'x'}`), options.Count().SetCollation(&options.Collation{Locale: "fr", Strength: 2}))
	}},
	{name: "an estimate with a comment", want: `5`, run: func(o oddPlace) (any, error) {
		return o.c.EstimatedDocumentCount(o.t.Context(), options.EstimatedDocumentCount().SetComment("why"))
	}},
	{name: "distinct elements", want: `{'v':[1,2,3,{'k':1,'q':5},{'k':2,'q':6}]}`, run: func(o oddPlace) (any, error) {
		var v bson.A
		err := o.c.Distinct(o.t.Context(), "list", bson.D{}).Decode(&v)
		return bson.D{{Key: "v", Value: v}}, err
	}},
	{name: "distinct by the place in an array", want: `[5]`, run: func(o oddPlace) (any, error) {
		var v []int
		err := o.c.Distinct(o.t.Context(), "list.0.q", bson.D{}).Decode(&v)
		return v, err
	}},
	{name: "distinct with a hint and a collation", want: `4`, run: func(o oddPlace) (any, error) {
		var v []string
		err := o.c.Distinct(o.t.Context(), "s", bson.D{}, options.Distinct().SetHint("_id_").SetCollation(&options.Collation{Locale: "en", Strength: 2})).Decode(&v)
		return len(v), err
	}},
}

// oddAggregations are uses of aggregate.
var oddAggregations = []oddUse{
	{name: "let, hint, collation and a comment", want: `{'_id':1} {'_id':2}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$match':{'s':'x','$expr':{'$lt':['$a','$$most']}}},{'$sort':{'_id':1}},{'$project':{'_id':1}}]`,
			options.Aggregate().SetLet(parseDocument(`{'most':5}`)).SetHint("a_1").SetCollation(&options.Collation{Locale: "en", Strength: 2}).SetComment("c").SetAllowDiskUse(true))
	}},
	{name: "a first batch of nothing", want: `{'n':5}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$count':'n'}]`, options.Aggregate().SetBatchSize(0))
	}},
	{name: "an option by its name", want: `{'n':5}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$count':'n'}]`, options.Aggregate().SetCustom(bson.M{"allowDiskUse": true}))
	}},
	{name: "an unknown option", code: 40415, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[]`, options.Aggregate().SetCustom(bson.M{"nothing": true}))
	}},
	{name: "$lookup by field and pipeline", want: `{'_id':2,'twins':[{'_id':2}]}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$match':{'_id':2}},{'$lookup':{'from':'` + o.c.Name() + `','localField':'a','foreignField':'a','let':{'s':'$s'},'pipeline':[{'$match':{'$expr':{'$eq':['$s','$$s']}}},{'$project':{'_id':1}}],'as':'twins'}},{'$project':{'twins':1}}]`)
	}},
	{name: "$unionWith of documents", want: `{'n':7}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$unionWith':{'pipeline':[{'$documents':[{'x':1},{'x':2}]}]}},{'$count':'n'}]`)
	}},
	{name: "a window over neighbours", want: `{'_id':1,'sum':1,'at':1} {'_id':2,'sum':3,'at':2} {'_id':5,'sum':4.5,'at':3}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$match':{'a':{'$gt':0}}},{'$setWindowFields':{'sortBy':{'a':1},'output':{'sum':{'$sum':'$a','window':{'documents':[-1,0]}},'at':{'$rank':{}}}}},{'$project':{'sum':1,'at':1}}]`)
	}},
	{name: "a rank without an order", code: 5371602, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$setWindowFields':{'output':{'at':{'$rank':{}}}}}]`)
	}},
	{name: "the two greatest", want: `{'_id':null,'top':[[5,2.5],[2,2]],'most':[2.5,2]}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$match':{'a':{'$gt':0}}},{'$group':{'_id':null,'top':{'$topN':{'n':2,'sortBy':{'a':-1},'output':['$_id','$a']}},'most':{'$maxN':{'n':2,'input':'$a'}}}}]`)
	}},
	{name: "a bucket for the rest", want: `{'_id':0,'n':1} {'_id':2,'n':2} {'_id':'rest','n':2}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$bucket':{'groupBy':'$a','boundaries':[0,2,3],'default':'rest','output':{'n':{'$sum':1}}}}]`)
	}},
	{name: "no bucket for the rest", code: 40066, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$bucket':{'groupBy':'$a','boundaries':[0,2]}}]`)
	}},
	{name: "a division by zero", code: 2, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$project':{'x':{'$divide':['$a',0]}}}]`)
	}},
	{name: "text that is no number", code: 241, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$project':{'x':{'$toInt':'$s'}}}]`)
	}},
	{name: "text that is bytes", want: `{'_id':1,'x':{'$binary':{'base64':'aGVsbG8=','subType':'00'}}}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$match':{'_id':1}},{'$project':{'x':{'$convert':{'input':'aGVsbG8=','to':{'type':'binData','subtype':0},'format':'base64'}}}}]`)
	}},
	{name: "$merge without a unique index", code: 51183, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$merge':{'into':'` + o.c.Name() + `m','on':'a'}}]`)
	}},
	{name: "$merge that finds a match", code: 11000, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$merge':{'into':'` + o.c.Name() + `','whenMatched':'fail'}}]`)
	}},
	{name: "$out in the middle", code: 40601, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$out':'x'},{'$match':{}}]`)
	}},
	{name: "$densify and $fill", want: `{'_id':1,'a':1} {'_id':1.5,'a':1} {'_id':2,'a':2}`, run: func(o oddPlace) (any, error) {
		return o.aggregate(`[{'$match':{'_id':{'$lt':3}}},{'$project':{'a':1}},{'$densify':{'field':'_id','range':{'step':0.5,'bounds':'full'}}},{'$fill':{'sortBy':{'_id':1},'output':{'a':{'method':'locf'}}}}]`)
	}},
}
