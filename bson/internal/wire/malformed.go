package wire

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMaxDepth is matched (errors.Is) by errors about documents or values that are nested too deeply.
var ErrMaxDepth = errors.New("nested too deeply")

// ErrMalformed is matched (errors.Is) by every error about bytes that are not BSON.
var ErrMalformed = errors.New("malformed BSON")

// malformedError is a reason that matches ErrMalformed.
type malformedError string

// Error returns the reason.
func (e malformedError) Error() string { return string(e) }

// Is reports that the error matches ErrMalformed.
func (e malformedError) Is(target error) bool { return target == ErrMalformed }

// Malformedf returns an error that matches ErrMalformed.
func Malformedf(format string, args ...any) error {
	return malformedError(fmt.Sprintf(format, args...))
}

// What can be wrong with a key or a text.
var (
	ErrKeyEnd  = malformedError("a key has no end")
	ErrKeyText = malformedError("a key is not UTF-8")
	ErrText    = malformedError("the text is not UTF-8")
)

// What can be wrong with a value.
var (
	ErrBoolean   = malformedError("a bool is neither 0 nor 1")
	ErrOldBinary = malformedError("the inner length of binary subtype 2 is wrong")
)

// Clip shortens a text that an error message quotes.
func Clip(s string) string {
	const limit = 64
	if len(s) <= limit {
		return s
	}
	return s[:limit] + "..."
}

// maxPathKey is the length of the longest key that a path shows whole. Without a limit, a document of long keys and
// many levels would make its error cost more than its decoding.
const maxPathKey = 200

// JoinPath puts a key in front of a path of keys and array indexes.
func JoinPath(key, rest string) string {
	if len(key) > maxPathKey {
		key = key[:maxPathKey] + "..."
	}
	key = strings.ToValidUTF8(key, "\uFFFD")
	if rest == "" {
		return key
	}
	return key + "." + rest
}

// What is wrong with a Go string.
var (
	ErrGoText   = errors.New("the string is not UTF-8")
	ErrZeroByte = errors.New("the text has a zero byte, which BSON cannot write here")
)
