package logmsg

import (
	"log/slog"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
)

// Message is a log message: any of the structs of this package, by pointer.
type Message interface {
	// Component is the part of the driver that logs the message.
	Component() Component
	// Level is the severity of the message.
	Level() Level
	// Message is the key message of the structured form.
	Message() string
	// AppendAttrs appends the other keys of the structured form.
	AppendAttrs(dst []slog.Attr) []slog.Attr
	// Text is the unstructured form.
	Text() string
}

// appendString and its like append an attribute. They are not inlined: with an append of its own for each attribute of each
// message, a program grows by 40 KB.
//
//go:noinline
func appendString(dst []slog.Attr, key, value string) []slog.Attr {
	return append(dst, slog.String(key, value))
}

//go:noinline
func appendInt(dst []slog.Attr, key string, value int64) []slog.Attr {
	return append(dst, slog.Int64(key, value))
}

//go:noinline
func appendFloat(dst []slog.Attr, key string, value float64) []slog.Attr {
	return append(dst, slog.Float64(key, value))
}

//go:noinline
func appendBool(dst []slog.Attr, key string, value bool) []slog.Attr {
	return append(dst, slog.Bool(key, value))
}

// LevelsFromEnv reads the level of each component from the environment. A variable with an invalid value counts as
// unset; a component's own variable precedes EnvAll; without either the component is Off.
//
// Specification: logging/logging.md, "Per-Component Configuration of Log Levels".
func LevelsFromEnv(getenv func(string) string) [ComponentCount]Level {
	all, ok := ParseLevel(getenv(EnvAll))
	if !ok {
		all = Off
	}
	var levels [ComponentCount]Level
	for i := range levels {
		levels[i] = all
		if own, ok := ParseLevel(getenv(Component(i).Env())); ok {
			levels[i] = own
		}
	}
	return levels
}

// MaxDocumentLengthFromEnv reads how much of a document is shown from the environment; an invalid value counts as
// unset.
//
// Specification: logging/logging.md, "Configurable Max Document Length".
func MaxDocumentLengthFromEnv(getenv func(string) string) int {
	if n, err := strconv.Atoi(getenv(EnvMaxDocumentLength)); err == nil && n > 0 {
		return n
	}
	return DefaultMaxDocumentLength
}

// Truncate cuts text to at most limit bytes, never inside a code point, and marks the cut with Ellipsis. A limit of
// 0 or less means DefaultMaxDocumentLength.
func Truncate(text []byte, limit int) []byte {
	if limit <= 0 {
		limit = DefaultMaxDocumentLength
	}
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return append(text[:limit], Ellipsis...)
}

// documentText returns a document in relaxed extended JSON, cut to the limit.
func documentText(doc bson.Raw, sensitive bool, limit int) string {
	if sensitive || len(doc) == 0 {
		return RedactedDocument
	}
	text, err := Abbreviate(doc, limit)
	if err != nil {
		return err.Error()
	}
	return text
}

// Abbreviate returns a document in relaxed extended JSON, cut as Truncate cuts. It converts hardly more of the document
// than it shows.
//
// Specification: logging/logging.md, "Performance Considerations".
func Abbreviate(doc bson.Raw, limit int) (string, error) {
	if limit <= 0 {
		limit = DefaultMaxDocumentLength
	}
	text, err := bson.AppendExtJSONLimit(nil, doc, false, limit)
	if err != nil {
		return "", err
	}
	return string(Truncate(text, limit)), nil
}

func failureText(err error, sensitive bool) string {
	if sensitive {
		return RedactedFailure
	}
	return errorText(err)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
