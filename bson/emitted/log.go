package emitted

import (
	"log/slog"
	"time"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
)

// AppendString and its like append an attribute. They are not inlined: with an append of its own for each attribute of each
// message, a program grows by 40 KB.
//
//go:noinline
func AppendString(dst []slog.Attr, key, value string) []slog.Attr {
	return append(dst, slog.String(key, value))
}

// AppendInt appends a number.
//
//go:noinline
func AppendInt(dst []slog.Attr, key string, value int64) []slog.Attr {
	return append(dst, slog.Int64(key, value))
}

// AppendFloat appends a number with a fraction.
//
//go:noinline
func AppendFloat(dst []slog.Attr, key string, value float64) []slog.Attr {
	return append(dst, slog.Float64(key, value))
}

// AppendBool appends true or false.
//
//go:noinline
func AppendBool(dst []slog.Attr, key string, value bool) []slog.Attr {
	return append(dst, slog.Bool(key, value))
}

// Shown says how much of a document a text shows: at most Limit bytes, or Otherwise when that is not positive, and
// Ellipsis after a cut. Hidden takes the place of a document that must not be seen.
type Shown struct {
	Limit, Otherwise int
	Ellipsis, Hidden string
}

// Document returns a document in relaxed extended JSON, as Abbreviate does, or the error instead.
func (s Shown) Document(doc bson.Raw, sensitive bool) string {
	if sensitive || len(doc) == 0 {
		return s.Hidden
	}
	text, err := s.Abbreviate(doc)
	if err != nil {
		return err.Error()
	}
	return text
}

// Abbreviate returns a document in relaxed extended JSON, cut to the limit, never inside a code point. It converts hardly more
// of the document than it shows.
//
// Logging, "Performance Considerations".
func (s Shown) Abbreviate(doc bson.Raw) (string, error) {
	limit := s.Limit
	if limit <= 0 {
		limit = s.Otherwise
	}
	text, err := bson.AppendExtJSONLimit(nil, doc, false, limit)
	if err != nil {
		return "", err
	}
	if len(text) <= limit {
		return string(text), nil
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return string(append(text[:limit], s.Ellipsis...)), nil
}

// FailureText is the text of an error, or hidden for one that must not be seen.
func FailureText(err error, sensitive bool, hidden string) string {
	if sensitive {
		return hidden
	}
	return ErrorText(err)
}

// ErrorText is the text of an error, empty for none.
func ErrorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Milliseconds is a duration in milliseconds, with their fraction.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
