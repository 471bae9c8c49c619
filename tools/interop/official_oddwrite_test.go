package interop

import (
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// update runs an update of one document and returns the document, or the error.
func (o oddPlace) update(filter string, update any, opts ...options.Lister[options.FindOneAndUpdateOptions]) (any, error) {
	opts = append([]options.Lister[options.FindOneAndUpdateOptions]{options.FindOneAndUpdate().SetReturnDocument(options.After)}, opts...)
	return o.one(o.c.FindOneAndUpdate(o.t.Context(), parseDocument(filter), update, opts...))
}

// oddWrites are uses of single writes.
var oddWrites = []oddUse{
	{name: "array filters within array filters", want: `{'_id':2,'list':[{'k':1,'q':5},{'k':2,'q':106}]}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':2}`, parseDocument(`{'$inc':{'list.$[x].q':100}}`), options.FindOneAndUpdate().SetArrayFilters(parseArray(`[{'x.k':{'$gt':1}}]`)).SetProjection(parseDocument(`{'list':1}`)))
	}},
	{name: "an array filter that nothing uses", code: 9, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'z':1}}`), options.UpdateOne().SetArrayFilters(parseArray(`[{'x':1}]`)))
	}},
	{name: "no array filter", code: 2, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'list.$[x]':1}}`))
	}},
	{name: "all elements", want: `{'_id':1,'list':[11,12,13]}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':1}`, parseDocument(`{'$inc':{'list.$[]':10}}`), options.FindOneAndUpdate().SetProjection(parseDocument(`{'list':1}`)))
	}},
	{name: "the element that was found", want: `{'_id':1,'list':[1,20,3]}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'list':2}`, parseDocument(`{'$mul':{'list.$':10}}`), options.FindOneAndUpdate().SetProjection(parseDocument(`{'list':1}`)))
	}},
	{name: "an element that nothing found", code: 2, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'list.$':1}}`))
	}},
	{name: "push, sort and slice", want: `{'_id':1,'list':[9,3,2]}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':1}`, parseDocument(`{'$push':{'list':{'$each':[9,0],'$sort':-1,'$slice':3}}}`), options.FindOneAndUpdate().SetProjection(parseDocument(`{'list':1}`)))
	}},
	{name: "push in front", want: `{'_id':1,'list':[7,1,2,3]}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':1}`, parseDocument(`{'$push':{'list':{'$each':[7],'$position':0}}}`), options.FindOneAndUpdate().SetProjection(parseDocument(`{'list':1}`)))
	}},
	{name: "pull by condition", want: `{'_id':2,'list':[{'k':1,'q':5}]}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':2}`, parseDocument(`{'$pull':{'list':{'q':{'$gte':6}}}}`), options.FindOneAndUpdate().SetProjection(parseDocument(`{'list':1}`)))
	}},
	{name: "a pipeline with let", want: `{'_id':4,'s':'y','z':7}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':4}`, mongo.Pipeline{parseDocument(`{'$set':{'z':'$$v'}}`)}, options.FindOneAndUpdate().SetLet(parseDocument(`{'v':7}`)))
	}},
	{name: "a pipeline that upserts", want: `{'_id':77,'z':'new'}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':77}`, mongo.Pipeline{parseDocument(`{'$set':{'z':{'$ifNull':['$z','new']}}}`)}, options.FindOneAndUpdate().SetUpsert(true))
	}},
	{name: "a pipeline with a stage that reads", code: 72, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), mongo.Pipeline{parseDocument(`{'$match':{}}`)})
	}},
	{name: "the last one in an order", want: `1 1 0 <nil> {'_id':5}`, run: func(o oddPlace) (any, error) {
		result, err := o.c.UpdateOne(o.t.Context(), bson.D{}, parseDocument(`{'$set':{'last':true}}`), options.UpdateOne().SetSort(parseDocument(`{'_id':-1}`)))
		if err != nil {
			return nil, err
		}
		got, err := o.one(o.c.FindOne(o.t.Context(), parseDocument(`{'last':true}`), options.FindOne().SetProjection(onlyID)))
		return showResult(result) + " " + showResult(got), err
	}},
	{name: "a replacement of the last one", want: `{'_id':5,'new':1}`, run: func(o oddPlace) (any, error) {
		if _, err := o.c.ReplaceOne(o.t.Context(), bson.D{}, parseDocument(`{'new':1}`), options.Replace().SetSort(parseDocument(`{'_id':-1}`))); err != nil {
			return nil, err
		}
		return o.one(o.c.FindOne(o.t.Context(), parseDocument(`{'new':1}`)))
	}},
	{name: "an upsert from conditions", want: `{'_id':9,'m':3,'n':4,'o':1,'p':1}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':9,'k':{'$gt':1},'m':{'$eq':3},'$and':[{'n':4}]}`, parseDocument(`{'$setOnInsert':{'o':1},'$set':{'p':1}}`), options.FindOneAndUpdate().SetUpsert(true))
	}},
	{name: "an upsert that replaces, as it was before", want: `mongo: no documents in result`, run: func(o oddPlace) (any, error) {
		return o.c.FindOneAndReplace(o.t.Context(), parseDocument(`{'_id':10}`), parseDocument(`{'z':1}`), options.FindOneAndReplace().SetUpsert(true)).Err(), nil
	}},
	{name: "another _id in a replacement", code: 66, run: func(o oddPlace) (any, error) {
		return o.c.ReplaceOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'_id':2}`))
	}},
	{name: "another _id by an operator", code: 66, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'_id':2}}`))
	}},
	{name: "the same _id by an operator", want: `1 0 0 <nil>`, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'_id':1}}`))
	}},
	{name: "nothing to set", want: `1 0 0 <nil>`, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{}}`))
	}},
	{name: "a text plus one", code: 14, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$inc':{'s':1}}`))
	}},
	{name: "a path and a path within it", code: 40, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'w':1},'$inc':{'w.x':1}}`))
	}},
	{name: "a path through a number", code: 28, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'a.x':1}}`))
	}},
	{name: "int32 grows to int64", want: `{'_id':1,'a':2147483648,'kind':'long'}`, run: func(o oddPlace) (any, error) {
		return o.update(`{'_id':1}`, parseDocument(`{'$inc':{'a':2147483647}}`), options.FindOneAndUpdate().SetProjection(parseDocument(`{'a':1,'kind':{'$type':'$a'}}`)))
	}},
	{name: "int64 does not grow", code: 2, run: func(o oddPlace) (any, error) {
		if _, err := o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), bson.M{"$set": bson.M{"a": int64(1<<63 - 1)}}); err != nil {
			return nil, err
		}
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$inc':{'a':1}}`))
	}},
	{name: "an update with a hint of no index", code: 2, run: func(o oddPlace) (any, error) {
		return o.c.UpdateOne(o.t.Context(), parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'z':1}}`), options.UpdateOne().SetHint("nothing"))
	}},
	{name: "a delete in a language with a hint", want: `2`, run: func(o oddPlace) (any, error) {
		return o.c.DeleteMany(o.t.Context(), parseDocument(`{'s':'x'}`), options.DeleteMany().SetCollation(&options.Collation{Locale: "en", Strength: 2}).SetHint("_id_"))
	}},
	{name: "a delete with let", want: `1`, run: func(o oddPlace) (any, error) {
		return o.c.DeleteMany(o.t.Context(), parseDocument(`{'$expr':{'$eq':['$_id','$$v']}}`), options.DeleteMany().SetLet(parseDocument(`{'v':3}`)))
	}},
	{name: "findOneAndDelete of the last one", want: `{'s':'e'}`, run: func(o oddPlace) (any, error) {
		return o.one(o.c.FindOneAndDelete(o.t.Context(), bson.D{}, options.FindOneAndDelete().SetSort(parseDocument(`{'_id':-1}`)).SetProjection(parseDocument(`{'s':1,'_id':0}`)).SetHint("_id_").SetComment("c")))
	}},
	{name: "names with dots and dollars", want: `{'_id':20,'a.b':1,'':2}`, run: func(o oddPlace) (any, error) {
		if _, err := o.c.InsertOne(o.t.Context(), bson.D{{Key: "_id", Value: 20}, {Key: "a.b", Value: 1}, {Key: "", Value: 2}}); err != nil {
			return nil, err
		}
		return o.one(o.c.FindOne(o.t.Context(), parseDocument(`{'_id':20}`)))
	}},
	{name: "an array as _id", code: 53, run: func(o oddPlace) (any, error) { return o.c.InsertOne(o.t.Context(), parseDocument(`{'_id':[1]}`)) }},
	{name: "more members than there are", code: 100, only: "replicaset", run: func(o oddPlace) (any, error) {
		return o.command(`{'findAndModify':'C','query':{'_id':1},'update':{'$set':{'z':1}},'writeConcern':{'w':9}}`)
	}},
	{name: "more members than one", code: 2, only: "standalone", run: func(o oddPlace) (any, error) {
		return o.command(`{'insert':'C','documents':[{}],'writeConcern':{'w':2}}`)
	}},
}

// bulk runs models, and returns the counts of the result with the indexes and codes of the errors.
func (o oddPlace) bulk(ordered bool, models ...mongo.WriteModel) (any, error) {
	result, err := o.c.BulkWrite(o.t.Context(), models, options.BulkWrite().SetOrdered(ordered))
	var failed mongo.BulkWriteException
	if errors.As(err, &failed) {
		err = nil
	}
	text := "nothing"
	if result != nil {
		text = showResult(result)
	}
	for _, e := range failed.WriteErrors {
		text += fmt.Sprintf(" %d:%d", e.Index, e.Code)
	}
	return text, err
}

func insert(id any) mongo.WriteModel {
	return mongo.NewInsertOneModel().SetDocument(bson.D{{Key: "_id", Value: id}})
}

// oddBulks are uses of bulk writes.
var oddBulks = []oddUse{
	{name: "in order up to the error", want: `i1 m0 c0 d0 u0 1:11000`, run: func(o oddPlace) (any, error) { return o.bulk(true, insert(20), insert(1), insert(21)) }},
	{name: "in any order past the errors", want: `i2 m1 c1 d1 u0 1:11000 3:14`, run: func(o oddPlace) (any, error) {
		return o.bulk(false, insert(20), insert(1), insert(21), mongo.NewUpdateOneModel().SetFilter(parseDocument(`{'_id':1}`)).SetUpdate(parseDocument(`{'$inc':{'s':1}}`)),
			mongo.NewUpdateOneModel().SetFilter(parseDocument(`{'_id':1}`)).SetUpdate(parseDocument(`{'$inc':{'a':1}}`)), mongo.NewDeleteOneModel().SetFilter(parseDocument(`{'_id':2}`)))
	}},
	{name: "upserts among updates", want: `i0 m1 c1 d0 u2`, run: func(o oddPlace) (any, error) {
		return o.bulk(true, mongo.NewUpdateOneModel().SetFilter(parseDocument(`{'_id':31}`)).SetUpdate(parseDocument(`{'$set':{'z':1}}`)).SetUpsert(true),
			mongo.NewReplaceOneModel().SetFilter(parseDocument(`{'_id':32}`)).SetReplacement(parseDocument(`{'z':1}`)).SetUpsert(true),
			mongo.NewUpdateOneModel().SetFilter(parseDocument(`{'_id':31}`)).SetUpdate(parseDocument(`{'$set':{'z':2}}`)).SetUpsert(true))
	}},
	{name: "many with filters, hints and collations", want: `i0 m2 c2 d2 u0`, run: func(o oddPlace) (any, error) {
		blind := &options.Collation{Locale: "en", Strength: 2}
		return o.bulk(true, mongo.NewUpdateManyModel().SetFilter(parseDocument(`{'s':'x'}`)).SetUpdate(parseDocument(`{'$set':{'z':1}}`)).SetCollation(blind).SetHint("_id_"),
			mongo.NewDeleteManyModel().SetFilter(parseDocument(`{'s':'X'}`)).SetCollation(blind).SetHint("_id_"))
	}},
	{name: "insertMany tells each duplicate", want: `[1 3] i2`, run: func(o oddPlace) (any, error) {
		result, err := o.c.InsertMany(o.t.Context(), []any{parseDocument(`{'_id':41}`), parseDocument(`{'_id':1}`), parseDocument(`{'_id':42}`), parseDocument(`{'_id':2}`)}, options.InsertMany().SetOrdered(false))
		var failed mongo.BulkWriteException
		if !errors.As(err, &failed) {
			return nil, fmt.Errorf("%v, %v", result, err)
		}
		var places []int
		for _, e := range failed.WriteErrors {
			places = append(places, e.Index)
		}
		n, err := o.c.CountDocuments(o.t.Context(), parseDocument(`{'_id':{'$gt':40}}`))
		return fmt.Sprint(places, " i", n), err
	}},
	{name: "a write concern that cannot be met, beside an error", want: `1 errors, concern 100`, only: "replicaset", run: func(o oddPlace) (any, error) {
		reply, err := o.command(`{'insert':'C','documents':[{'_id':50},{'_id':50}],'writeConcern':{'w':9}}`)
		var failed mongo.WriteException
		if errors.As(err, &failed) && failed.WriteConcernError != nil {
			return fmt.Sprintf("%d errors, concern %d", len(failed.WriteErrors), failed.WriteConcernError.Code), nil
		}
		return reply, err
	}},
}
