package reply

import (
	"strconv"

	"github.com/specdrivers/onion/bson"
)

// Fields is a reply under construction. Each method appends a field and returns its receiver.
type Fields struct {
	dst   []byte
	start int
}

// New starts a reply.
func New() *Fields {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, 256))
	return &Fields{dst: dst, start: start}
}

// OK returns the reply of a command that only reports its success.
func OK() bson.Raw { return New().Done() }

// Done closes the document.
func (f *Fields) Done() bson.Raw { return bson.AppendDocumentEnd(f.dst, f.start) }

// String appends a string.
func (f *Fields) String(key, value string) *Fields {
	f.dst = bson.AppendStringElement(f.dst, key, value)
	return f
}

// Bool appends a boolean.
func (f *Fields) Bool(key string, value bool) *Fields {
	f.dst = bson.AppendBooleanElement(f.dst, key, value)
	return f
}

// Int32 appends a 32-bit integer.
func (f *Fields) Int32(key string, value int32) *Fields {
	f.dst = bson.AppendInt32Element(f.dst, key, value)
	return f
}

// Int64 appends a 64-bit integer.
func (f *Fields) Int64(key string, value int64) *Fields {
	f.dst = bson.AppendInt64Element(f.dst, key, value)
	return f
}

// Date appends a date in milliseconds since 1970.
func (f *Fields) Date(key string, ms int64) *Fields {
	f.dst = bson.AppendDateTimeElement(f.dst, key, ms)
	return f
}

// Doc appends a document.
func (f *Fields) Doc(key string, value bson.Raw) *Fields {
	f.dst = bson.AppendDocumentElement(f.dst, key, value)
	return f
}

// Value appends any Go value. A value that cannot be encoded is a mistake in mongotest itself, so Value panics.
func (f *Fields) Value(key string, value any) *Fields {
	dst, err := bson.AppendValueElement(f.dst, key, value)
	if err != nil {
		panic("mongotest: reply field " + key + ": " + err.Error())
	}
	f.dst = dst
	return f
}

// Strings appends an array of strings.
func (f *Fields) Strings(key string, values []string) *Fields {
	f.dst = AppendStrings(f.dst, key, values)
	return f
}

// List appends an array of strings unless it is empty.
func (f *Fields) List(key string, values []string) *Fields {
	if len(values) == 0 {
		return f
	}
	return f.Strings(key, values)
}

// AppendStrings appends an array of strings to the inside of a document.
func AppendStrings(dst []byte, key string, values []string) []byte {
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range values {
		dst = bson.AppendStringElement(dst, strconv.Itoa(i), v)
	}
	return bson.AppendDocumentEnd(dst, start)
}
