// The commands convertToCapped and cloneCollectionAsCapped: copy a collection into a capped one. convertToCapped
// replaces the collection; cloneCollectionAsCapped gives the copy a new name. All indexes but _id are lost, as on a
// server.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var (
	convertToCappedFields = []field{{"size", 0, integer}, {"comment", 0, anything}}
	cloneAsCappedFields   = []field{{"toCollection", 0, text | required}, {"size", 0, integer}, {"temp", 0, boolean},
		{"comment", 0, anything}}
)

func (e *Engine) convertToCapped(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, size, _, err := r.readCapping(convertToCappedFields)
	if err != nil {
		return nil, err
	}
	return dst, e.write(ctx, r, func(tx *store.Txn) error {
		temporary := "tmp" + bson.NewObjectID().Hex()[19:] + ".convertToCapped." + name
		if err := e.copyCapped(tx, r, name, temporary, size); err != nil {
			return err
		}
		return tx.Rename(r.DB, temporary, r.DB, name)
	})
}

func (e *Engine) cloneAsCapped(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, size, a, err := r.readCapping(cloneAsCappedFields)
	if err != nil {
		return nil, err
	}
	to := a.text("toCollection")
	if err := checkName(r.DB, to); err != nil {
		return nil, err
	}
	return dst, e.write(ctx, r, func(tx *store.Txn) error {
		if tx.Collection(r.DB, to) != nil {
			return status.Errorf(errcode.NamespaceExists,
				"cloneCollectionAsCapped failed - destination collection %s.%s already exists. source "+
					"collection: %s.%s", r.DB, to, r.DB, name)
		}
		return e.copyCapped(tx, r, name, to, size)
	})
}

// readCapping reads the arguments that both commands share.
func (r *Request) readCapping(fields []field) (name string, size int64, a *args, err error) {
	if name, err = r.collection(); err != nil {
		return "", 0, nil, err
	}
	if a, err = r.parse(fields); err != nil {
		return "", 0, nil, err
	}
	if size = a.int("size"); size <= 0 {
		return "", 0, nil, status.Errorf(errcode.InvalidOptions, "Capped collection size must be greater than zero")
	}
	return name, (size + 255) / 256 * 256, a, nil
}

// copyCapped makes a capped collection and inserts the documents of another one. If they do not fit, the oldest go.
func (e *Engine) copyCapped(tx *store.Txn, r *Request, name, to string, size int64) error {
	from := tx.Collection(r.DB, name)
	if from == nil {
		return status.Errorf(errcode.NamespaceNotFound, "source collection %s.%s does not exist", r.DB, name)
	}
	if from.IsView() || isTimeSeries(from) { // a time series is a view of its buckets
		return status.Errorf(errcode.CommandNotSupportedOnView, "Namespace %s is a view, not a collection", from.Namespace())
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendBooleanElement(d, "capped", true)
	d = bson.AppendDocumentEnd(bson.AppendInt64Element(d, "size", size), start)
	var collation bson.Raw
	if c, ok := from.Options.Document.Lookup("collation").DocumentOK(); ok {
		collation = c
	}
	index, err := idIndex(collation)
	if err != nil {
		return err
	}
	tx.Create(r.DB, to, store.Options{Capped: true, MaxSize: size, Document: d}, index)
	for scan := from.Scan(0); ; {
		record := scan.Next()
		if record == nil {
			return nil
		}
		if err := r.Interrupt.Err(); err != nil {
			return err
		}
		if err := tx.Insert(r.DB, to, record.Doc); err != nil {
			return err
		}
	}
}
