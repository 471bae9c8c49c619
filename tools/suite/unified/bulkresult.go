package unified

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// bulkResult returns the document that stands for the result of a bulk write on a collection.
func bulkResult(r *options.BulkWriteResult) actual {
	switch {
	case r == nil:
		return actual{}
	case !r.Acknowledged:
		return unacknowledged
	}
	return model(bson.Doc(
		"insertedCount", r.InsertedCount, "insertedIds", indexDocument(r.InsertedIDs), "matchedCount", r.MatchedCount,
		"modifiedCount", r.ModifiedCount, "deletedCount", r.DeletedCount, "upsertedCount", r.UpsertedCount,
		"upsertedIds", indexDocument(r.UpsertedIDs),
	))
}

// insertManyResult returns the document that stands for the result of an insert of many, which the specification calls the
// result of a bulk write. The error says which documents the list of _ids lacks.
func insertManyResult(r *options.InsertManyResult, err error) actual {
	switch {
	case r == nil:
		return actual{}
	case !r.Acknowledged:
		return unacknowledged
	}
	failed, _ := errors.AsType[fault.BulkWriteException](err)
	missing := map[int]bool{}
	for _, e := range failed.WriteErrors {
		missing[e.Index] = true
	}
	for _, i := range failed.Unprocessed {
		missing[i] = true
	}
	ids, i := map[int]any{}, 0
	for _, id := range r.InsertedIDs {
		for missing[i] {
			i++
		}
		ids[i] = id
		i++
	}
	return model(bson.Doc("insertedIds", indexDocument(ids), "insertedCount", len(r.InsertedIDs), "matchedCount", 0,
		"modifiedCount", 0, "deletedCount", 0, "upsertedCount", 0, "upsertedIds", bson.D{}))
}

// clientBulkResult returns the document that stands for the result of a bulk write on a client.
func clientBulkResult(r *options.ClientBulkWriteResult) actual {
	switch {
	case r == nil:
		return actual{}
	case !r.Acknowledged:
		return unacknowledged
	}
	d := bson.Doc("insertedCount", r.InsertedCount, "upsertedCount", r.UpsertedCount, "matchedCount", r.MatchedCount,
		"modifiedCount", r.ModifiedCount, "deletedCount", r.DeletedCount)
	if !r.HasVerboseResults {
		return model(d)
	}
	inserts, updates, deletes := map[int]any{}, map[int]any{}, map[int]any{}
	for i, x := range r.InsertResults {
		inserts[i] = bson.Doc("insertedId", x.InsertedID)
	}
	for i, x := range r.UpdateResults {
		one := bson.Doc("matchedCount", x.MatchedCount, "modifiedCount", x.ModifiedCount)
		if x.UpsertedID != nil {
			one = append(one, bson.E{Key: "upsertedId", Value: x.UpsertedID})
		}
		updates[i] = one
	}
	for i, x := range r.DeleteResults {
		deletes[i] = bson.Doc("deletedCount", x.DeletedCount)
	}
	return model(append(d, bson.E{Key: "insertResults", Value: indexDocument(inserts)},
		bson.E{Key: "updateResults", Value: indexDocument(updates)}, bson.E{Key: "deleteResults", Value: indexDocument(deletes)}))
}
