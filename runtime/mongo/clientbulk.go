package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// ClientBulkWrite is one write of a bulk write on a client, and the collection that it goes to.
type ClientBulkWrite struct {
	Database   string
	Collection string
	Model      ClientWriteModel
}

// The writes of a bulk write on a client are the models of a bulk write on a collection. A ClientWriteModel is a pointer to
// one of them.
type (
	ClientWriteModel      = options.WriteModel
	ClientInsertOneModel  = options.InsertOneModel
	ClientUpdateOneModel  = options.UpdateOneModel
	ClientUpdateManyModel = options.UpdateManyModel
	ClientReplaceOneModel = options.ReplaceOneModel
	ClientDeleteOneModel  = options.DeleteOneModel
	ClientDeleteManyModel = options.DeleteManyModel

	ClientBulkWriteResult       = options.ClientBulkWriteResult
	ClientBulkWriteInsertResult = options.ClientBulkWriteInsertResult
	ClientBulkWriteUpdateResult = options.ClientBulkWriteUpdateResult
	ClientBulkWriteDeleteResult = options.ClientBulkWriteDeleteResult
)

// BulkWrite carries out many writes on any number of collections and databases, in as few messages as the server's limits
// allow. It needs MongoDB 8.0. In order, which is the default, the first failure ends it; otherwise all writes are tried.
//
// The result counts; it has the result of each write if VerboseResults asks for them. A ClientBulkWriteException says which
// writes failed, and its PartialResult what was written. A message that holds an update or a delete of many is not retried.
func (c *Client) BulkWrite(ctx context.Context, writes []ClientBulkWrite,
	opts ...*options.ClientBulkWrite) (*ClientBulkWriteResult, error) {
	o := merged(opts)
	if o == nil {
		o = &options.ClientBulkWrite{}
	}
	b := clientBulk{c: c, o: o, ordered: o.Ordered == nil || *o.Ordered, concern: c.scope.writeConcern}
	if s := SessionFromContext(ctx); o.WriteConcern != nil && s != nil && s.TransactionRunning() {
		return nil, errWriteConcernInTransaction
	}
	if o.WriteConcern != nil {
		b.concern = o.WriteConcern
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	cmd, err := c.clientWrites(writes, o)
	if err != nil {
		return nil, err
	}
	b.cmd = cmd
	return b.run(ctx)
}

// check refuses options that contradict each other. Bulk Write, "ordered" and "errorsOnly and verboseResults".
func (b *clientBulk) check() error {
	if command.IsAcknowledged(b.concern) {
		return nil
	}
	if b.ordered {
		return errors.New("mongo: Cannot request unacknowledged write concern and ordered writes")
	}
	if b.o.VerboseResults != nil && *b.o.VerboseResults {
		return errors.New("mongo: Cannot request unacknowledged write concern and verbose results")
	}
	return nil
}

// clientWrites is the bulkWrite command of a client with what its results need.
type clientWrites struct {
	command.BulkWrite
	ids  []any // of the documents that are inserted, by the position of the write; nil for other writes
	from int   // the first write of the next message
}

// clientWrites checks the writes and encodes the documents that are inserted, so that each has an _id.
func (c *Client) clientWrites(writes []ClientBulkWrite, o *options.ClientBulkWrite) (*clientWrites, error) {
	if len(writes) == 0 {
		return nil, fault.Misuse(fault.ErrEmptySlice, "there are no models to write")
	}
	list := make([]options.ClientWriteModel, len(writes))
	var enc encoder
	var ids []any
	for i := range writes {
		w := &writes[i]
		kind, err := enc.checkModel(c.scope, w.Model)
		if err != nil {
			return nil, inside(err, "model %d", i)
		}
		if i > 0 && w.Database == writes[i-1].Database && w.Collection == writes[i-1].Collection {
			list[i].Namespace = list[i-1].Namespace
		} else if list[i].Namespace, err = namespaceOf(w); err != nil {
			return nil, inside(err, "model %d", i)
		}
		list[i].Model = w.Model
		if kind != inserts {
			continue
		}
		enc.makeRoom()
		doc, id, err := enc.insert(c.scope, w.Model.(*InsertOneModel).Document)
		if err != nil {
			return nil, inside(err, "model %d", i)
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
	switch {
	case w.Database == "":
		return "", errors.New("the name of the database is empty")
	case strings.Contains(w.Database, "."):
		return "", fmt.Errorf("the name of the database, %q, contains a dot: name the collection in Collection", w.Database)
	case w.Collection == "":
		return "", errors.New("the name of the collection is empty")
	case !utf8.ValidString(w.Database) || !utf8.ValidString(w.Collection):
		return "", fmt.Errorf("the namespace is not UTF-8: %q", w.Database+"."+w.Collection)
	}
	return w.Database + "." + w.Collection, nil
}

// Namespace names the collection of write i.
func (w *clientWrites) Namespace(i int) string { return w.Models[i].Namespace }

// Meta describes the operation. Retryable Writes, "Supported Write Operations": a command with a write that changes several
// documents is not retried. Which writes the next message takes is not known yet; it takes none beyond the usual limit.
func (w *clientWrites) Meta() command.Meta {
	meta := w.BulkWrite.Meta()
	for i := w.from; i < min(len(w.Models), w.from+usualBatch); i++ {
		if !w.Retryable(i) {
			meta.Retry = command.RetryNone
			break
		}
	}
	return meta
}

// kind is the command of one write.
func (w *clientWrites) kind(i int) writeKind {
	switch w.Models[i].Model.(type) {
	case *InsertOneModel:
		return inserts
	case *DeleteOneModel, *DeleteManyModel:
		return deletes
	}
	return updates
}

// upsertedID is the _id of an upserted document. A null is told apart from none.
func upsertedID(doc bson.Raw) any {
	id := doc.Lookup("_id")
	if id.IsNull() {
		return bson.Null{}
	}
	return anyOf(id)
}
