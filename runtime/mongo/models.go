package mongo

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// The writes of a bulk write.
type (
	// WriteModel is one write of a bulk write: a pointer to one of the models, such as *InsertOneModel.
	WriteModel = options.WriteModel
	// InsertOneModel inserts one document. It has the field Document.
	InsertOneModel = options.InsertOneModel
	// UpdateOneModel updates one document that matches a filter. It has the fields Filter, Update, ArrayFilters,
	// Collation, Hint, Sort and Upsert.
	UpdateOneModel = options.UpdateOneModel
	// UpdateManyModel updates every document that matches a filter. It has the fields Filter, Update, ArrayFilters,
	// Collation, Hint and Upsert.
	UpdateManyModel = options.UpdateManyModel
	// ReplaceOneModel replaces one document that matches a filter. It has the fields Filter, Replacement, Collation,
	// Hint, Sort and Upsert.
	ReplaceOneModel = options.ReplaceOneModel
	// DeleteOneModel deletes one document that matches a filter. It has the fields Filter, Collation and Hint.
	DeleteOneModel = options.DeleteOneModel
	// DeleteManyModel deletes every document that matches a filter. It has the fields Filter, Collation and Hint.
	DeleteManyModel = options.DeleteManyModel
)

// writeKind is the command that a model belongs to.
type writeKind uint8

const (
	inserts writeKind = iota
	updates
	deletes
	writeKinds // how many there are
)

// checkModel says which command a model belongs to, and refuses what no server must see.
func (e *encoder) checkModel(s scope, model WriteModel) (writeKind, error) {
	switch m := model.(type) {
	case *InsertOneModel:
		if m != nil {
			return inserts, nil
		}
	case *UpdateOneModel:
		if m != nil {
			return updates, errors.Join(checkOrder(m.Sort, m.Hint), e.checkUpdate(s, m.Filter, m.Update))
		}
	case *UpdateManyModel:
		if m != nil {
			return updates, errors.Join(checkOrder(nil, m.Hint), e.checkUpdate(s, m.Filter, m.Update))
		}
	case *ReplaceOneModel:
		if m != nil {
			return updates, errors.Join(checkOrder(m.Sort, m.Hint), e.checkReplacement(s, m.Filter, m.Replacement))
		}
	case *DeleteOneModel:
		if m != nil {
			return deletes, errors.Join(checkOrder(nil, m.Hint), checkFilter(m.Filter))
		}
	case *DeleteManyModel:
		if m != nil {
			return deletes, errors.Join(checkOrder(nil, m.Hint), checkFilter(m.Filter))
		}
	}
	return 0, nilArgumentError(fault.ErrNilDocument, "the model is nil: pass a pointer to one of the models")
}

func checkFilter(filter any) error {
	if filter == nil {
		return nilArgumentError(fault.ErrNilDocument, "the filter is nil: pass bson.D{} to match all documents")
	}
	if _, ok := filter.([]byte); ok {
		return errors.New("the filter is a []byte: pass a document, or convert the bytes to bson.Raw if they are one")
	}
	return nil
}

func (e *encoder) checkUpdate(s scope, filter, update any) error {
	if err := checkFilter(filter); err != nil {
		return err
	}
	if update == nil {
		return nilArgumentError(fault.ErrNilDocument, "the update is nil: pass a document of operators such as $set, or a pipeline")
	}
	t, key, err := e.firstKey(s, update)
	switch {
	case err != nil || t == bsontype.Array:
		return err
	case t != bsontype.EmbeddedDocument:
		return fmt.Errorf("the update is of type %s: pass a document or a pipeline", t)
	}
	return checkUpdateKey(key)
}

func (e *encoder) checkReplacement(s scope, filter, replacement any) error {
	if err := checkFilter(filter); err != nil {
		return err
	}
	if replacement == nil {
		return nilArgumentError(fault.ErrNilDocument, "the replacement is nil: pass a document")
	}
	t, key, err := e.firstKey(s, replacement)
	if err != nil {
		return err
	}
	if t != bsontype.EmbeddedDocument {
		return fmt.Errorf("the replacement is of type %s: pass a document", t)
	}
	return checkReplacementKey(key)
}

// firstKey returns the type of a value and, for a document, its first key. It finds out without encoding the common
// types.
func (e *encoder) firstKey(s scope, v any) (bsontype.Type, string, error) {
	switch v := v.(type) {
	case bson.D:
		if len(v) == 0 {
			return bsontype.EmbeddedDocument, "", nil
		}
		return bsontype.EmbeddedDocument, v[0].Key, nil
	case bson.Raw:
		return bsontype.EmbeddedDocument, firstKey(v), v.Validate()
	}
	t, data, err := bson.AppendValue(e.scratch[:0], v, s.marshal)
	if err != nil {
		return 0, "", err
	}
	e.scratch = data
	if t != bsontype.EmbeddedDocument && t != bsontype.Array {
		return t, "", nil
	}
	return t, firstKey(data), nil
}
