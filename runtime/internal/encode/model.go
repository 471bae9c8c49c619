package encode

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// Kind is the command that a model belongs to.
type Kind uint8

// The commands that carry out writes.
const (
	Inserts Kind = iota
	Updates
	Deletes
	Kinds // how many there are
)

// CheckModel says which command a model belongs to, and refuses what no server must see.
func (e *Encoder) CheckModel(with *bson.MarshalOptions, model options.WriteModel) (Kind, error) {
	switch m := model.(type) {
	case *options.InsertOneModel:
		if m != nil {
			return Inserts, nil
		}
	case *options.UpdateOneModel:
		if m != nil {
			return Updates, errors.Join(CheckOrder(m.Sort, m.Hint), e.checkUpdate(with, m.Filter, m.Update))
		}
	case *options.UpdateManyModel:
		if m != nil {
			return Updates, errors.Join(CheckOrder(nil, m.Hint), e.checkUpdate(with, m.Filter, m.Update))
		}
	case *options.ReplaceOneModel:
		if m != nil {
			return Updates, errors.Join(CheckOrder(m.Sort, m.Hint), e.checkReplacement(with, m.Filter, m.Replacement))
		}
	case *options.DeleteOneModel:
		if m != nil {
			return Deletes, errors.Join(CheckOrder(nil, m.Hint), checkFilter(m.Filter))
		}
	case *options.DeleteManyModel:
		if m != nil {
			return Deletes, errors.Join(CheckOrder(nil, m.Hint), checkFilter(m.Filter))
		}
	}
	return 0, fault.Misuse(fault.ErrNilDocument, "the model is nil: pass a pointer to one of the models")
}

func checkFilter(filter any) error {
	if filter == nil {
		return fault.Misuse(fault.ErrNilDocument, "the filter is nil: pass bson.D{} to match all documents")
	}
	if _, ok := filter.([]byte); ok {
		return errors.New("the filter is a []byte: pass a document, or convert the bytes to bson.Raw if they hold one")
	}
	return nil
}

func (e *Encoder) checkUpdate(m *bson.MarshalOptions, filter, update any) error {
	if err := checkFilter(filter); err != nil {
		return err
	}
	if update == nil {
		return fault.Misuse(fault.ErrNilDocument, "the update is nil: pass a document of operators such as $set, or a pipeline")
	}
	t, key, err := e.firstKey(m, update)
	switch {
	case err != nil || t == bsontype.Array:
		return err
	case t != bsontype.EmbeddedDocument:
		return fmt.Errorf("the update is of type %s: pass a document or a pipeline", t)
	}
	return checkUpdateKey(key)
}

func (e *Encoder) checkReplacement(m *bson.MarshalOptions, filter, replacement any) error {
	if err := checkFilter(filter); err != nil {
		return err
	}
	if replacement == nil {
		return fault.Misuse(fault.ErrNilDocument, "the replacement is nil: pass a document")
	}
	t, key, err := e.firstKey(m, replacement)
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
func (e *Encoder) firstKey(m *bson.MarshalOptions, v any) (bsontype.Type, string, error) {
	switch v := v.(type) {
	case bson.D:
		if len(v) == 0 {
			return bsontype.EmbeddedDocument, "", nil
		}
		return bsontype.EmbeddedDocument, v[0].Key, nil
	case bson.Raw:
		return bsontype.EmbeddedDocument, FirstKey(v), v.Validate()
	}
	t, data, err := bson.AppendValue(e.scratch[:0], v, m)
	if err != nil {
		return 0, "", err
	}
	e.scratch = data
	if t != bsontype.EmbeddedDocument && t != bsontype.Array {
		return t, "", nil
	}
	return t, FirstKey(data), nil
}
