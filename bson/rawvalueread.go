package bson

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// The methods below return the value when it has the type that they name. Strings are copies, slices alias the document.

// hasType reports whether v is a complete value of type t.
func (v RawValue) hasType(t bsontype.Type) bool {
	return v.Type == t && wire.ValueSize(t, v.Value) == len(v.Value)
}

// DoubleOK returns a double.
func (v RawValue) DoubleOK() (float64, bool) {
	if !v.hasType(bsontype.Double) {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v.Value)), true
}

// StringOK returns a string.
func (v RawValue) StringOK() (string, bool) { return v.text(bsontype.String) }

// JavaScriptOK returns JavaScript code without scope.
func (v RawValue) JavaScriptOK() (string, bool) { return v.text(bsontype.JavaScript) }

// SymbolOK returns a symbol.
func (v RawValue) SymbolOK() (string, bool) { return v.text(bsontype.Symbol) }

func (v RawValue) text(t bsontype.Type) (string, bool) {
	if !v.hasType(t) {
		return "", false
	}
	return string(wire.Text(v.Value)), true
}

// DocumentOK returns an embedded document.
func (v RawValue) DocumentOK() (Raw, bool) {
	if !v.hasType(bsontype.EmbeddedDocument) {
		return nil, false
	}
	return Raw(v.Value), true
}

// ArrayOK returns an array.
func (v RawValue) ArrayOK() (RawArray, bool) {
	if !v.hasType(bsontype.Array) {
		return nil, false
	}
	return RawArray(v.Value), true
}

// BinaryOK returns binary data. For subtype 2 it leaves out the inner length.
func (v RawValue) BinaryOK() (subtype byte, data []byte, ok bool) {
	if !v.hasType(bsontype.Binary) {
		return 0, nil, false
	}
	return wire.SplitBinary(v.Value)
}

// ObjectIDOK returns an ObjectID.
func (v RawValue) ObjectIDOK() (ObjectID, bool) {
	if !v.hasType(bsontype.ObjectID) {
		return ObjectID{}, false
	}
	return ObjectID(v.Value), true
}

// BooleanOK returns a boolean.
func (v RawValue) BooleanOK() (value, ok bool) {
	if !v.hasType(bsontype.Boolean) || v.Value[0] > 1 {
		return false, false
	}
	return v.Value[0] == 1, true
}

// DateTimeOK returns a date, in milliseconds since the Unix epoch.
func (v RawValue) DateTimeOK() (int64, bool) {
	if !v.hasType(bsontype.DateTime) {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(v.Value)), true
}

// TimeOK returns a date as a time in UTC.
func (v RawValue) TimeOK() (time.Time, bool) {
	ms, ok := v.DateTimeOK()
	if !ok {
		return time.Time{}, false
	}
	return time.UnixMilli(ms).UTC(), true
}

// RegexOK returns a regular expression.
func (v RawValue) RegexOK() (pattern, options string, ok bool) {
	if !v.hasType(bsontype.Regex) {
		return "", "", false
	}
	i := wire.KeyEnd(v.Value, 0)
	return string(v.Value[:i]), string(v.Value[i+1 : len(v.Value)-1]), true
}

// DBPointerOK returns a DBPointer.
func (v RawValue) DBPointerOK() (DBPointer, bool) {
	if !v.hasType(bsontype.DBPointer) {
		return DBPointer{}, false
	}
	n := len(v.Value) - 12
	return DBPointer{DB: string(wire.Text(v.Value[:n])), Pointer: ObjectID(v.Value[n:])}, true
}

// CodeWithScopeOK returns JavaScript code with its scope.
func (v RawValue) CodeWithScopeOK() (code string, scope Raw, ok bool) {
	if !v.hasType(bsontype.CodeWithScope) {
		return "", nil, false
	}
	text, scope, err := wire.SplitCodeWithScope(v.Value)
	return string(text), scope, err == nil
}

// Int32OK returns a 32-bit integer.
func (v RawValue) Int32OK() (int32, bool) {
	if !v.hasType(bsontype.Int32) {
		return 0, false
	}
	return int32(binary.LittleEndian.Uint32(v.Value)), true
}

// TimestampOK returns a timestamp: seconds t and the counter i within the second.
func (v RawValue) TimestampOK() (t, i uint32, ok bool) {
	if !v.hasType(bsontype.Timestamp) {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint32(v.Value[4:]), binary.LittleEndian.Uint32(v.Value), true
}

// Int64OK returns a 64-bit integer.
func (v RawValue) Int64OK() (int64, bool) {
	if !v.hasType(bsontype.Int64) {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(v.Value)), true
}

// Decimal128OK returns a Decimal128.
func (v RawValue) Decimal128OK() (Decimal128, bool) {
	if !v.hasType(bsontype.Decimal128) {
		return Decimal128{}, false
	}
	return Decimal128{
		h: binary.LittleEndian.Uint64(v.Value[8:]),
		l: binary.LittleEndian.Uint64(v.Value),
	}, true
}

// AsInt64OK returns a 32-bit integer, a 64-bit integer, or a double without a fraction that fits in an int64.
func (v RawValue) AsInt64OK() (int64, bool) {
	if i, ok := v.Int32OK(); ok {
		return int64(i), true
	}
	if f, ok := v.DoubleOK(); ok {
		return wire.ToInteger(f)
	}
	return v.Int64OK()
}

// AsFloat64OK returns a 32-bit integer, a 64-bit integer or a double as a float64. A 64-bit integer may be rounded.
func (v RawValue) AsFloat64OK() (float64, bool) {
	if i, ok := v.Int32OK(); ok {
		return float64(i), true
	}
	if i, ok := v.Int64OK(); ok {
		return float64(i), true
	}
	return v.DoubleOK()
}

// AsBoolOK returns a boolean, or for a number whether it is nonzero.
func (v RawValue) AsBoolOK() (value, ok bool) {
	if b, ok := v.BooleanOK(); ok {
		return b, true
	}
	if d, ok := v.Decimal128OK(); ok {
		return !d.number().EqualsZero(), true
	}
	f, ok := v.AsFloat64OK()
	return f != 0, ok
}
