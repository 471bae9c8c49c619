package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// IndexModel describes an index to build. It has the fields Keys and Options.
type IndexModel = options.IndexModel

// CreateIndex builds an index and returns its name. Keys is an ordered document such as bson.Doc("age", 1).
func (c *Collection) CreateIndex(ctx context.Context, model IndexModel, opts ...*options.CreateIndexes) (string, error) {
	if err := c.check(ctx); err != nil {
		return "", err
	}
	names, err := c.CreateIndexes(ctx, []IndexModel{model}, opts...)
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// CreateIndexes builds indexes and returns their names.
func (c *Collection) CreateIndexes(ctx context.Context, models []IndexModel, opts ...*options.CreateIndexes) ([]string, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	op, cmd := new(exec.Operation), &command.CreateIndexes{Collection: c.name, Options: mergeOptions(opts)}
	c.prepareWrite(op, cmd)
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) ([]string, error) {
		if len(models) == 0 {
			return nil, fault.Misuse(fault.ErrEmptySlice, "there are no indexes to create")
		}
		names := make([]string, len(models))
		for i, model := range models {
			spec, err := c.indexSpec(model)
			if err != nil {
				return nil, encode.At(err, "index %d", i)
			}
			cmd.Indexes = append(cmd.Indexes, spec)
			names[i] = spec.Name
		}
		out, err := c.run(ctx, op)
		if err != nil {
			return nil, err
		}
		return names, writeConcernError(out)
	})
}

func (c *Collection) indexKeys(keys any) (bson.Raw, error) {
	if err := encode.RefuseUnordered("keys", keys); err != nil {
		return nil, err
	}
	if keys == nil {
		return nil, fault.Misuse(fault.ErrNilDocument, "the keys of the index are nil: pass a document such as bson.Doc(\"name\", 1)")
	}
	return encode.Document(c.scope.marshal, "key document", keys)
}

func (c *Collection) indexSpec(model IndexModel) (command.IndexSpec, error) {
	keys, err := c.indexKeys(model.Keys)
	if err != nil {
		return command.IndexSpec{}, err
	}
	spec := command.IndexSpec{Keys: keys, Options: model.Options}
	if model.Options != nil && model.Options.Name != nil {
		spec.Name = *model.Options.Name
		return spec, checkIndexName(spec.Name)
	}
	spec.Name, err = indexName(keys)
	return spec, err
}

// indexName is the name that an index has by default: its fields with their directions, such as age_1_name_-1.
func indexName(keys bson.Raw) (string, error) {
	var parts []string
	for key, value := range keys.All() {
		if err := checkIndexField(key); err != nil {
			return "", err
		}
		text := ""
		switch value.Type {
		case bsontype.String:
			text, _ = value.StringOK()
		case bsontype.Int32, bsontype.Int64:
			n, _ := value.AsInt64OK()
			text = fmt.Sprint(n)
		case bsontype.Double:
			n, _ := value.AsFloat64OK()
			text = fmt.Sprintf("%g", n)
		default:
			return "", fault.Misuse(fault.ErrInvalidIndexValue,
				"index key %s is of type %s: pass 1, -1 or an index type such as \"text\"", key, value.Type)
		}
		parts = append(parts, key+"_"+text)
	}
	if len(parts) == 0 {
		return "", errors.New("mongo: the index has no keys")
	}
	return strings.Join(parts, "_"), nil
}

// ListIndexes lists the indexes of the collection. For a collection that does not exist, the list is empty.
func (c *Collection) ListIndexes(ctx context.Context, opts ...*options.ListIndexes) (*Cursor, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	op := &exec.Operation{Command: &command.ListIndexes{Collection: c.name, Options: o}, DB: c.db.name, Answer: exec.OpenCursor}
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) (*Cursor, error) {
		settings, err := listSettings(ctx, c.scope, o)
		if err != nil {
			return nil, err
		}
		settings.timeout.adjustOpening(op)
		out, err := c.run(ctx, op)
		if fault.HasErrorCode(err, errcode.NamespaceNotFound) {
			return &Cursor{client: c.db.client}, nil
		}
		if err != nil {
			return nil, err
		}
		return newCursor(c.db.client, c.db.name, c.scope, out, settings)
	})
}

func listSettings(ctx context.Context, s scope, o *options.ListIndexes) (cursorSettings, error) {
	if o == nil {
		o = &options.ListIndexes{}
	}
	timeout, err := newCursorTimeout(ctx, cursorOptions{own: o.Timeout, inherited: s.timeout, mode: o.TimeoutMode})
	return cursorSettings{batchSize: option.Or(o.BatchSize, 0), comment: o.Comment, timeout: timeout}, err
}

// ListIndexNames lists the names of the indexes of the collection.
func (c *Collection) ListIndexNames(ctx context.Context, opts ...*options.ListIndexes) ([]string, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	cursor, err := c.ListIndexes(ctx, opts...)
	if err != nil {
		return nil, err
	}
	return readNames(ctx, cursor)
}

// DropIndex drops an index by its name. If there is no such collection, IsNamespaceNotFound reports true for the error.
func (c *Collection) DropIndex(ctx context.Context, name string, opts ...*options.DropIndexes) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	return c.dropIndexes(ctx, mergeOptions(opts), func() (any, error) {
		if name == "*" {
			return nil, fault.Misuse(fault.ErrMultipleIndexDrop, "to drop every index, use DropAllIndexes")
		}
		return name, checkIndexName(name)
	})
}

// DropIndexWithKey drops the index that has these keys, whatever its name. Drop a text index by its name: the server
// stores other keys for it.
func (c *Collection) DropIndexWithKey(ctx context.Context, keys any, opts ...*options.DropIndexes) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	return c.dropIndexes(ctx, mergeOptions(opts), func() (any, error) {
		raw, err := c.indexKeys(keys)
		if err == nil {
			_, err = indexName(raw) // refuses keys that no index can have
		}
		return raw, err
	})
}

// DropAllIndexes drops every index except the one on _id. If there is no such collection, IsNamespaceNotFound reports
// true for the error.
func (c *Collection) DropAllIndexes(ctx context.Context, opts ...*options.DropIndexes) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	return c.dropIndexes(ctx, mergeOptions(opts), func() (any, error) { return "*", nil })
}

func (c *Collection) dropIndexes(ctx context.Context, o *options.DropIndexes, index func() (any, error)) error {
	op, cmd := new(exec.Operation), &command.DropIndexes{Collection: c.name, Options: o}
	c.prepareWrite(op, cmd)
	return runErrorInSpan(ctx, c.db.client, op, func(ctx context.Context) (err error) {
		if cmd.Index, err = index(); err != nil {
			return err
		}
		out, err := c.run(ctx, op)
		if err != nil {
			return err
		}
		return writeConcernError(out)
	})
}
