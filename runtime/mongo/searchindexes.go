package mongo

import (
	"context"
	"fmt"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// SearchIndexModel describes a search index to build. It has the fields Definition and Options.
type SearchIndexModel = options.SearchIndexModel

// SearchIndexView manages the search indexes of a collection, on Atlas. The server answers before it has built, changed
// or dropped an index. Call List to see when it is done.
type SearchIndexView struct{ c *Collection }

// SearchIndexes is the view of the collection's search indexes.
func (c *Collection) SearchIndexes() SearchIndexView { return SearchIndexView{c} }

// CreateOne builds a search index and returns its name.
func (v SearchIndexView) CreateOne(ctx context.Context, model SearchIndexModel, opts ...*options.CreateSearchIndexes) (string, error) {
	names, err := v.CreateMany(ctx, []SearchIndexModel{model}, opts...)
	if err != nil {
		return "", err
	}
	if len(names) != 1 {
		return "", fmt.Errorf("mongo: createSearchIndexes: the server reported %d indexes instead of one", len(names))
	}
	return names[0], nil
}

// CreateMany builds search indexes and returns their names. An empty list is sent too, and the server refuses it.
func (v SearchIndexView) CreateMany(ctx context.Context, models []SearchIndexModel,
	opts ...*options.CreateSearchIndexes) ([]string, error) {
	if err := v.c.check(ctx); err != nil {
		return nil, err
	}
	op, cmd := new(exec.Operation), &command.CreateSearchIndexes{Collection: v.c.name, Options: mergeOptions(opts)}
	op.Command, op.DB = cmd, v.c.db.name
	return runInSpan(ctx, v.c.db.client, op, func(ctx context.Context) (_ []string, err error) {
		if cmd.Indexes, err = v.list(models); err != nil {
			return nil, err
		}
		out, err := v.c.run(ctx, op)
		if err != nil {
			return nil, err
		}
		reply, err := command.ParseCreateSearchIndexesReply(out.Reply)
		if err != nil {
			return nil, err
		}
		names := make([]string, 0, len(models))
		for _, value := range reply.Created.All() {
			doc, _ := value.DocumentOK()
			name, _ := doc.Lookup("name").StringOK()
			names = append(names, name)
		}
		return names, nil
	})
}

// list encodes models for createSearchIndexes.
func (v SearchIndexView) list(models []SearchIndexModel) (bson.RawArray, error) {
	dst, array := bson.AppendDocumentStart(nil)
	for i, model := range models {
		definition, err := encode.Document(v.c.scope.marshal, "definition", model.Definition)
		if err != nil {
			return nil, encode.At(err, "search index %d", i)
		}
		var index int
		dst, index = bson.AppendDocumentElementStart(dst, strconv.Itoa(i))
		dst = bson.AppendDocumentElement(dst, "definition", definition)
		if o := model.Options; o != nil && o.Name != nil {
			dst = bson.AppendStringElement(dst, "name", *o.Name)
		}
		if o := model.Options; o != nil && o.Type != nil {
			dst = bson.AppendStringElement(dst, "type", *o.Type)
		}
		dst = bson.AppendDocumentEnd(dst, index)
	}
	return bson.RawArray(bson.AppendDocumentEnd(dst, array)), nil
}

// UpdateOne gives a search index another definition.
func (v SearchIndexView) UpdateOne(ctx context.Context, name string, definition any, opts ...*options.UpdateSearchIndex) error {
	if err := v.c.check(ctx); err != nil {
		return err
	}
	op, cmd := new(exec.Operation), &command.UpdateSearchIndex{Collection: v.c.name, Name: name, Options: mergeOptions(opts)}
	op.Command, op.DB = cmd, v.c.db.name
	return runErrorInSpan(ctx, v.c.db.client, op, func(ctx context.Context) (err error) {
		if cmd.Definition, err = encode.Document(v.c.scope.marshal, "definition", definition); err != nil {
			return err
		}
		_, err = v.c.run(ctx, op)
		return err
	})
}

// DropOne drops a search index. It is not an error if the collection does not exist.
func (v SearchIndexView) DropOne(ctx context.Context, name string, opts ...*options.DropSearchIndex) error {
	if err := v.c.check(ctx); err != nil {
		return err
	}
	op := &exec.Operation{
		Command: &command.DropSearchIndex{Collection: v.c.name, Name: name, Options: mergeOptions(opts)}, DB: v.c.db.name,
	}
	return runErrorInSpan(ctx, v.c.db.client, op, func(ctx context.Context) error {
		_, err := v.c.run(ctx, op)
		if fault.HasErrorCode(err, errcode.NamespaceNotFound) {
			return nil
		}
		return err
	})
}

// List lists the search indexes, all of them unless the options name one.
func (v SearchIndexView) List(ctx context.Context, opts ...*options.ListSearchIndexes) (*Cursor, error) {
	if err := v.c.check(ctx); err != nil {
		return nil, err
	}
	stage := bson.D{}
	var o options.ListSearchIndexes
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	if o.Name != nil {
		stage = bson.D{{Key: "name", Value: *o.Name}}
	}
	// Index Management: the commands about search indexes take neither read concern nor write concern.
	plain := *v.c
	plain.scope.readConcern, plain.scope.writeConcern = nil, nil
	pipeline := Pipeline{{{Key: "$listSearchIndexes", Value: stage}}}
	return plain.aggregate(ctx, pipeline, o.Aggregate)
}
