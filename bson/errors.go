package bson

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// ErrMalformed is matched (errors.Is) by errors about bytes that are not valid BSON.
var ErrMalformed = wire.ErrMalformed

// ErrMaxDepth is matched (errors.Is) by errors about documents or values that are nested too deeply.
var ErrMaxDepth = wire.ErrMaxDepth

// ErrNotFound is matched (errors.Is) by the error of LookupErr for a path that leads to nothing.
var ErrNotFound = errors.New("no such element")

// DecodeError says where decoding or validating failed, and why.
type DecodeError struct {
	Path   string // keys and array indexes joined by dots; empty for the document itself
	Offset int    // bytes from the start of the outermost document, -1 if unknown
	Err    error
}

// Error names the path, the reason and the offset. It shortens a long path; the field Path has all of it.
func (e *DecodeError) Error() string {
	var b strings.Builder
	b.WriteString("bson: ")
	if e.Path != "" {
		b.WriteString(shortPath(e.Path))
		b.WriteString(": ")
	}
	b.WriteString(reasonText(e.Err))
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " (at byte %d)", e.Offset)
	}
	return b.String()
}

// reasonText returns the text of a reason without the name of this package, which the whole message begins with.
func reasonText(reason error) string { return strings.TrimPrefix(reason.Error(), "bson: ") }

// shortPath returns a path as an error message shows it. Of a long path it keeps the first and the last keys.
func shortPath(path string) string {
	const head, tail = 60, 50
	if len(path) <= head+tail+len("...") {
		return path
	}
	return strings.ToValidUTF8(path[:head]+"..."+path[len(path)-tail:], "")
}

// Unwrap returns the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

// EncodeError says which part of a Go value cannot be encoded, and why.
type EncodeError struct {
	Path string // keys and array indexes joined by dots; empty for the value itself
	Err  error
}

// Error names the path and the reason. It shortens a long path; the field Path has all of it.
func (e *EncodeError) Error() string {
	if e.Path == "" {
		return "bson: " + reasonText(e.Err)
	}
	return "bson: " + shortPath(e.Path) + ": " + reasonText(e.Err)
}

// Unwrap returns the reason.
func (e *EncodeError) Unwrap() error { return e.Err }

// TypeError is the reason in a [DecodeError] if the Go type cannot hold the BSON type.
type TypeError struct {
	From bsontype.Type
	To   reflect.Type
}

// Error names both types.
func (e *TypeError) Error() string {
	text := fmt.Sprintf("cannot store %v in %v", e.From, e.To)
	if fits := fittingTypes[e.From]; fits != "" {
		text += ": " + fits + " holds it"
	}
	return text
}

// fittingTypes are the Go types for BSON types whose name alone does not lead to one.
var fittingTypes = map[bsontype.Type]string{
	bsontype.ObjectID:         "a bson.ObjectID",
	bsontype.DateTime:         "a time.Time",
	bsontype.Array:            "a slice",
	bsontype.EmbeddedDocument: "a struct, a map or a bson.D",
	bsontype.Decimal128:       "a bson.Decimal128",
	bsontype.Timestamp:        "a bson.Timestamp",
}

// decodeErrorAt makes err a DecodeError at offset, or completes the one that it already is.
func decodeErrorAt(err error, offset int) *DecodeError {
	if e, ok := err.(*DecodeError); ok {
		if e.Offset < 0 {
			e.Offset = offset
		}
		return e
	}
	return &DecodeError{Offset: offset, Err: err}
}

// prefixPath puts key in front of the error's path.
func (e *DecodeError) prefixPath(key string) *DecodeError {
	e.Path = wire.JoinPath(key, e.Path)
	return e
}

// encodeErrorIn makes err an EncodeError whose path starts with key.
func encodeErrorIn(key string, err error) error {
	e, ok := err.(*EncodeError)
	if !ok {
		e = &EncodeError{Err: err}
	}
	e.Path = wire.JoinPath(key, e.Path)
	return e
}

// asEncodeError makes err an EncodeError of the whole value unless it is one already.
func asEncodeError(err error) error {
	if _, ok := err.(*EncodeError); ok {
		return err
	}
	return &EncodeError{Err: err}
}

// encodeErrorAt is encodeErrorIn for the i-th element of an array.
func encodeErrorAt(i int, err error) error { return encodeErrorIn(strconv.Itoa(i), err) }

// maxLength is the greatest length that BSON can state.
const maxLength = 1<<31 - 1

var errTooLong = errors.New("the document is longer than a BSON document can be")

var errDuplicateKey = errors.New("the key occurs twice in its document")

// prefixIndex is prefixPath for the i-th element of an array.
func (e *DecodeError) prefixIndex(i int) *DecodeError { return e.prefixPath(strconv.Itoa(i)) }
