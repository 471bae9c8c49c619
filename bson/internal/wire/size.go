package wire

import "github.com/specdrivers/onion/generated/bsontype"

// Sizes of values that their type does not fix.
const (
	sizeString   = -1 // int32 length of the bytes that follow, a zero byte among them
	sizeDocument = -2 // int32 length of the whole value
	sizeBinary   = -3 // int32 length of the bytes after the subtype
	sizeRegex    = -4 // two strings that end in a zero byte
	sizePointer  = -5 // string and ObjectID
	sizeUnknown  = -6
)

// sizeOf maps a type byte to the length of its values, or to one of the constants above.
var sizeOf = func() (sizes [256]int8) {
	for i := range sizes {
		t := bsontype.Type(i)
		switch {
		case !t.IsValid():
			sizes[i] = sizeUnknown
		case t.FixedSize() >= 0:
			sizes[i] = int8(t.FixedSize())
		}
	}
	for _, t := range []bsontype.Type{bsontype.String, bsontype.JavaScript, bsontype.Symbol} {
		sizes[t] = sizeString
	}
	for _, t := range []bsontype.Type{bsontype.EmbeddedDocument, bsontype.Array, bsontype.CodeWithScope} {
		sizes[t] = sizeDocument
	}
	sizes[bsontype.Binary] = sizeBinary
	sizes[bsontype.Regex] = sizeRegex
	sizes[bsontype.DBPointer] = sizePointer
	return sizes
}()

// ValueSize returns the length of the value of type t at the start of b, -1 if b does not hold such a value. It looks
// at lengths and terminators only.
func ValueSize(t bsontype.Type, b []byte) int {
	if n := int(sizeOf[t]); uint(n) <= uint(len(b)) {
		return n
	}
	return variableSize(t, b)
}

// FixedSize returns the length of the values of type t, a negative number if they have different ones.
func FixedSize(t bsontype.Type) int { return int(sizeOf[t]) }

// variableSize is ValueSize for types whose size varies, and for values that are cut off.
func variableSize(t bsontype.Type, b []byte) int {
	switch sizeOf[t] {
	case sizeString:
		return textSize(b)
	case sizeDocument:
		return documentSize(b)
	case sizeBinary:
		if len(b) < 5 {
			return -1
		}
		if n := int(Int32(b)); n >= 0 && n <= len(b)-5 {
			return n + 5
		}
	case sizePointer:
		if n := textSize(b); n >= 0 && n <= len(b)-12 {
			return n + 12
		}
	case sizeRegex:
		if i := KeyEnd(b, 0); i >= 0 {
			if j := KeyEnd(b, i+1); j >= 0 {
				return j + 1
			}
		}
	}
	return -1
}

// textSize returns the length of the string at the start of b, -1 if there is none.
func textSize(b []byte) int {
	if len(b) < 5 {
		return -1
	}
	n := int(Int32(b))
	if n < 1 || n > len(b)-4 || b[n+3] != 0 {
		return -1
	}
	return n + 4
}

// documentSize returns the length of the document at the start of b, -1 if there is none.
func documentSize(b []byte) int {
	if len(b) < 5 {
		return -1
	}
	n := int(Int32(b))
	if n < 5 || n > len(b) || b[n-1] != 0 {
		return -1
	}
	return n
}

// ValueError says why ValueSize(t, b) is -1.
func ValueError(t bsontype.Type, b []byte) error {
	if !t.IsValid() {
		return Malformedf("unknown type 0x%02x", byte(t))
	}
	return Malformedf("the %v is cut off or states a wrong length", t)
}

// IsNull reports whether t says that there is no value: null and undefined set the zero value.
func IsNull(t bsontype.Type) bool { return t == bsontype.Null || t == bsontype.Undefined }
