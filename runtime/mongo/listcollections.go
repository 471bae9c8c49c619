package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// ListCollections lists the collections that match a filter.
func (d *Database) ListCollections(ctx context.Context, filter any, opts ...*options.ListCollections) (*Cursor, error) {
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	return d.listCollections(ctx, filter, false, opts)
}

// ListCollectionNames lists the names of the collections that match a filter.
func (d *Database) ListCollectionNames(ctx context.Context, filter any, opts ...*options.ListCollections) ([]string, error) {
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	cursor, err := d.listCollections(ctx, filter, true, opts)
	if err != nil {
		return nil, err
	}
	return readNames(ctx, cursor)
}

// readNames reads the names in the documents of a cursor, which it uses up.
func readNames(ctx context.Context, cursor *Cursor) ([]string, error) {
	var names []string
	for doc, err := range Each[bson.Raw](ctx, cursor) {
		if err != nil {
			return nil, err
		}
		name, _ := doc.Lookup("name").StringOK()
		names = append(names, name)
	}
	return names, nil
}

func (d *Database) listCollections(ctx context.Context, filter any, nameOnly bool, opts []*options.ListCollections) (*Cursor, error) {
	var o options.ListCollections
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	cmd := &command.ListCollections{Options: &o}
	op := &exec.Operation{Command: cmd, DB: d.name, Answer: exec.OpenCursor}
	return runInSpan(ctx, d.client, op, func(ctx context.Context) (*Cursor, error) {
		raw, err := encode.Document(d.scope.marshal, "filter", filter)
		if err != nil {
			return nil, err
		}
		if nameOnly {
			o.NameOnly = nil
			if filtersOnlyNames(raw) {
				o.NameOnly = new(true)
			}
		}
		if len(raw) > len(bson.EmptyDocument()) {
			cmd.Filter = raw
		}
		timeout, err := newCursorTimeout(ctx, cursorOptions{own: o.Timeout, inherited: d.scope.timeout, mode: o.TimeoutMode})
		if err != nil {
			return nil, err
		}
		timeout.adjustOpening(op)
		out, err := d.run(ctx, op)
		if err != nil {
			return nil, err
		}
		// No comment: a getMore inherits the comment of listCollections, and must not repeat it. Enumerating
		// Collections, "listCollections Database Command".
		settings := cursorSettings{batchSize: option.Or(o.BatchSize, 0), timeout: timeout}
		return newCursor(d.client, d.name, d.scope, out, settings)
	})
}

// filtersOnlyNames reports whether a filter looks at names only. A server that is asked for nothing but names can
// filter by nothing else. Enumerating collections, "nameOnly".
func filtersOnlyNames(filter bson.Raw) bool {
	for key := range filter.All() {
		if key != "name" {
			return false
		}
	}
	return true
}
