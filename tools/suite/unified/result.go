package unified

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// actual is what an operation returned.
type actual struct {
	value bson.RawValue // the zero value is nothing at all
	root  bool          // it is a root-level document
	rows  bool          // it is an array of root-level documents
	text  *string       // of a stream: bytes that are no value
}

// raw encodes a value.
func raw(v any) bson.RawValue {
	t, data, err := bson.AppendValue(nil, v)
	if err != nil {
		panic("unified: encode a result: " + err.Error())
	}
	return bson.RawValue{Type: t, Value: data}
}

func rawDocument(d bson.Raw) bson.RawValue { return raw(d) }

// value returns a result that must match as a whole.
func value(v any) actual { return actual{value: raw(v)} }

// document returns a result that may have more fields than expected.
func document(d bson.Raw) actual { return actual{value: rawDocument(d), root: true} }

// model returns a result that the driver gives as a struct: the format lets it have more fields than expected.
func model(d bson.D) actual { return actual{value: raw(d), root: true} }

// rows returns a result of documents that may each have more fields than expected.
func rows(v any) actual { return actual{value: raw(v), rows: true} }

// values returns a list that must match as a whole. Without elements it is an empty array, not null.
func values[T any](list []T, err error) (actual, error) {
	if err != nil {
		return actual{}, err
	}
	return value(listOrEmpty(list)), nil
}

// documents returns a list of documents that may each have more fields than expected.
func documents[T any](list []T, err error) (actual, error) {
	if err != nil {
		return actual{}, err
	}
	return rows(listOrEmpty(list)), nil
}

// listOrEmpty returns the list, or an empty one for nil, which BSON would encode as null.
func listOrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// readAll reads a cursor to its end.
func readAll(ctx context.Context, cursor *mongo.Cursor, err error) (actual, error) {
	if err != nil {
		return actual{}, err
	}
	list, err := mongo.All[bson.Raw](ctx, cursor)
	return rows(listOrEmpty(list)), err
}

// readSingle returns a document, or null when there is none.
func readSingle(r *mongo.SingleResult) (actual, error) {
	doc, err := r.Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return value(nil), nil
	}
	if err != nil {
		return actual{}, err
	}
	return document(doc), nil
}

// Result is the outcome of an operation.
type Result struct {
	run    *Run
	name   string
	actual actual
	err    error
	cursor *Cursor
	made   *Collection
}

// do runs an operation in a session and within a time, if these are given.
func (r *Run) do(name string, s *Session, within time.Duration, fn func(ctx context.Context) (actual, error)) *Result {
	ctx := r.ctx
	if within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	if s != nil {
		ctx = s.context(ctx)
	}
	got, err := fn(ctx)
	return &Result{run: r, name: name, actual: got, err: err}
}

// Succeeds asserts that there was no error.
func (x *Result) Succeeds() *Result {
	x.run.t.Helper()
	if x.err != nil {
		x.run.catches.keep(x.err.Error(), true)
		x.run.failf("%s failed: %v", x.name, x.err)
	}
	return x
}

// Ignored accepts any outcome of the operation.
func (x *Result) Ignored() *Result { return x }

// Returns asserts that there was no error, and what the result is.
func (x *Result) Returns(want any) *Result {
	x.run.t.Helper()
	x.Succeeds()
	if err := x.matches(want); err != nil {
		x.run.failf("%s: %v\n\tgot  %s\n\twant %s", x.name, err, showActual(x.actual), text(want))
	}
	return x
}

func (x *Result) matches(want any) error {
	if hex, ok := want.(hexBytes); ok && x.actual.text != nil {
		return hex.matchText(x.actual.text)
	}
	m := matcher{rows: x.actual.rows}
	return m.match(want, x.actual.value, x.actual.root, "")
}

// Saved returns the result, for later steps.
func (x *Result) Saved() *Value {
	x.run.t.Helper()
	if x.actual.value.IsZero() {
		x.run.failf("%s has no result to save", x.name)
	}
	return &Value{run: x.run, value: x.actual.value}
}

// Cursor returns the cursor that the operation opened.
func (x *Result) Cursor() *Cursor {
	x.run.t.Helper()
	if x.cursor == nil {
		x.run.failf("%s opened no cursor", x.name)
	}
	return x.cursor
}

// Collection returns the collection that the operation made.
func (x *Result) Collection() *Collection { return x.made }

// Value is a saved result.
type Value struct {
	run   *Run
	mu    sync.Mutex
	value bson.RawValue
}

// Timestamp returns the saved time.
func (v *Value) Timestamp() *bson.Timestamp {
	t, i, ok := v.get().TimestampOK()
	if !ok {
		v.run.failf("the saved value %s is no timestamp", v.get())
	}
	return &bson.Timestamp{T: t, I: i}
}

// unacknowledged is the result of a write that the server did not answer.
var unacknowledged = model(bson.Doc("acknowledged", false))

// updateResult returns the document that stands for the result of an update. Unified Test Format, "Converting Returned Model
// Objects to Documents".
func updateResult(u *options.UpdateResult, err error) (actual, error) {
	if u == nil {
		return actual{}, err
	}
	if !u.Acknowledged {
		return unacknowledged, err
	}
	d := bson.Doc("matchedCount", u.MatchedCount, "modifiedCount", u.ModifiedCount, "upsertedCount", u.UpsertedCount)
	if u.UpsertedCount > 0 {
		d = append(d, bson.E{Key: "upsertedId", Value: u.UpsertedID})
	}
	return model(d), err
}

func deleteResult(r *options.DeleteResult, err error) (actual, error) {
	if r == nil {
		return actual{}, err
	}
	if !r.Acknowledged {
		return unacknowledged, err
	}
	return model(bson.Doc("deletedCount", r.DeletedCount)), err
}
