package mongo

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/bulk"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// ClientBulkWrite is one write of a bulk write on a client, and the collection that it goes to.
type ClientBulkWrite struct {
	Database   string
	Collection string
	Model      ClientWriteModel
}

// The writes of a bulk write on a client, and its results. The models are the same as for a bulk write on a collection.
type (
	// ClientWriteModel is a WriteModel: a pointer to one of the models, such as *InsertOneModel.
	ClientWriteModel = options.WriteModel
	// ClientInsertOneModel is an InsertOneModel. It has the field Document.
	ClientInsertOneModel = options.InsertOneModel
	// ClientUpdateOneModel is an UpdateOneModel. It has the fields Filter, Update, ArrayFilters, Collation, Hint, Sort
	// and Upsert.
	ClientUpdateOneModel = options.UpdateOneModel
	// ClientUpdateManyModel is an UpdateManyModel. It has the fields Filter, Update, ArrayFilters, Collation, Hint and
	// Upsert.
	ClientUpdateManyModel = options.UpdateManyModel
	// ClientReplaceOneModel is a ReplaceOneModel. It has the fields Filter, Replacement, Collation, Hint, Sort and
	// Upsert.
	ClientReplaceOneModel = options.ReplaceOneModel
	// ClientDeleteOneModel is a DeleteOneModel. It has the fields Filter, Collation and Hint.
	ClientDeleteOneModel = options.DeleteOneModel
	// ClientDeleteManyModel is a DeleteManyModel. It has the fields Filter, Collation and Hint.
	ClientDeleteManyModel = options.DeleteManyModel

	// ClientBulkWriteResult is the result of Client.BulkWrite. It has the fields Acknowledged, HasVerboseResults,
	// InsertedCount, UpsertedCount, MatchedCount, ModifiedCount, DeletedCount, InsertResults, UpdateResults and
	// DeleteResults.
	ClientBulkWriteResult = options.ClientBulkWriteResult
	// ClientBulkWriteInsertResult is the result of one insert in Client.BulkWrite. It has the field InsertedID.
	ClientBulkWriteInsertResult = options.ClientBulkWriteInsertResult
	// ClientBulkWriteUpdateResult is the result of one update or replacement in Client.BulkWrite. It has the fields
	// MatchedCount, ModifiedCount and UpsertedID.
	ClientBulkWriteUpdateResult = options.ClientBulkWriteUpdateResult
	// ClientBulkWriteDeleteResult is the result of one delete in Client.BulkWrite. It has the field DeletedCount.
	ClientBulkWriteDeleteResult = options.ClientBulkWriteDeleteResult
)

// clientWrites is the bulkWrite command of a client, with what reading its results needs.
type clientWrites struct {
	command.BulkWrite
	ids  []any // the _id of each inserted document, at the position of its write; nil for other writes
	from int   // the first write of the next message
}

// newClientWrites checks the writes and encodes the documents that are inserted, so each has an _id.
func (c *Client) newClientWrites(writes []ClientBulkWrite, o *options.ClientBulkWrite) (*clientWrites, error) {
	if len(writes) == 0 {
		return nil, fault.Misuse(fault.ErrEmptySlice, "there are no models to write: pass at least one")
	}
	list := make([]options.NamespaceWriteModel, len(writes))
	var enc encode.Encoder
	var ids []any
	for i := range writes {
		w := &writes[i]
		kind, err := enc.CheckModel(c.scope.marshal, w.Model)
		if err != nil {
			return nil, encode.At(err, "model %d", i)
		}
		if i > 0 && w.Database == writes[i-1].Database && w.Collection == writes[i-1].Collection {
			list[i].Namespace = list[i-1].Namespace
		} else if list[i].Namespace, err = namespaceOf(w); err != nil {
			return nil, encode.At(err, "model %d", i)
		}
		list[i].Model = w.Model
		if kind != encode.Inserts {
			continue
		}
		enc.MakeRoom()
		doc, id, err := enc.Insert(c.scope.marshal, c.scope.unmarshal, w.Model.(*InsertOneModel).Document)
		if err != nil {
			return nil, encode.At(err, "model %d", i)
		}
		if ids == nil {
			ids = make([]any, len(writes))
		}
		list[i].Model, ids[i] = &InsertOneModel{Document: doc}, id
	}
	return &clientWrites{BulkWrite: command.BulkWrite{Models: list, Options: o}, ids: ids}, nil
}

// namespaceOf joins database and collection.
func namespaceOf(w *ClientBulkWrite) (string, error) {
	if err := cmp.Or(checkDatabaseName(w.Database), checkCollectionName(w.Collection)); err != nil {
		return "", err
	}
	if !utf8.ValidString(w.Database) || !utf8.ValidString(w.Collection) {
		return "", fmt.Errorf("the namespace is not UTF-8: %q", w.Database+"."+w.Collection)
	}
	return w.Database + "." + w.Collection, nil
}

// Namespace names the collection of write i.
func (w *clientWrites) Namespace(i int) string { return w.Models[i].Namespace }

// Meta describes the operation. Retryable Writes, "Supported Write Operations": a command with a write that changes
// several documents is not retried. It is not known yet how many writes the next message takes, so Meta looks at as
// many as any server takes. RetryableItems judges again once the message is encoded.
func (w *clientWrites) Meta() command.Meta {
	meta := w.BulkWrite.Meta()
	if !bulk.AreRetryable(w, w.from, min(len(w.Models)-w.from, usualBatch)) {
		meta.Retry = command.RetryNone
	}
	return meta
}

// RetryableItems reports whether a message with the n writes that begin at from may be retried.
func (w *clientWrites) RetryableItems(from, n int) bool { return bulk.AreRetryable(w, from, n) }

// kind is the command of one write.
func (w *clientWrites) kind(i int) encode.Kind {
	switch w.Models[i].Model.(type) {
	case *InsertOneModel:
		return encode.Inserts
	case *DeleteOneModel, *DeleteManyModel:
		return encode.Deletes
	}
	return encode.Updates
}

// usualBatch is how many writes every server takes in one message.
const usualBatch = wire.DefaultMaxWriteBatchSize
