package bson

import (
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Validate checks the whole document: lengths, types, terminators, UTF-8, booleans, and depth up to [DefaultMaxDepth].
// The error is a [*DecodeError]. The keys of arrays may be anything, as BSON requires of readers.
func (r Raw) Validate() error {
	if err := validateDocument(r, r, DefaultMaxDepth, false); err != nil {
		return err
	}
	return nil
}

// Validate checks the whole array as [Raw.Validate] does a document.
func (a RawArray) Validate() error {
	if err := validateDocument(a, a, DefaultMaxDepth, true); err != nil {
		return err
	}
	return nil
}

// Validate checks that the value is complete, ends where its bytes end, and is valid inside.
func (v RawValue) Validate() error {
	n := wire.ValueSize(v.Type, v.Value)
	if n < 0 {
		return decodeErrorAt(wire.ValueError(v.Type, v.Value), 0)
	}
	if n != len(v.Value) {
		return decodeErrorAt(wire.Malformedf("%d bytes follow the %v", len(v.Value)-n, v.Type), n)
	}
	if err := validateValue(v.Value, v.Type, v.Value, DefaultMaxDepth); err != nil {
		return err
	}
	return nil
}

// validateDocument checks a document that is part of root. depth is how many levels it may still have.
func validateDocument(root, b []byte, depth int, array bool) *DecodeError {
	if depth <= 0 {
		return decodeErrorAt(ErrMaxDepth, wire.OffsetIn(root, b))
	}
	end, err := wire.Body(b)
	if err != nil {
		return decodeErrorAt(err, wire.OffsetIn(root, b))
	}
	body := b[:end]
	index := 0
	for i := 4; i < end; index++ {
		k, valid := wire.PlainKeyEnd(body, i+1), true
		if k < 0 {
			k, valid = wire.TextKeyEnd(body, i+1)
		}
		if k < 0 {
			return decodeErrorAt(wire.ErrKeyEnd, wire.OffsetIn(root, b[i:]))
		}
		if !valid && !array {
			return decodeErrorAt(wire.ErrKeyText, wire.OffsetIn(root, b[i+1:])).prefixPath(string(b[i+1 : k]))
		}
		t, rest := Type(b[i]), body[k+1:]
		n := wire.FixedSize(t)
		if uint(n) <= uint(len(rest)) && (t != bsontype.Boolean || rest[0] <= 1) {
			i = k + 1 + n
			continue
		}
		n = wire.ValueSize(t, rest)
		var failed *DecodeError
		switch {
		case n < 0:
			failed = decodeErrorAt(wire.ValueError(t, rest), wire.OffsetIn(root, rest))
		case t == bsontype.String: // the most frequent type
			if !wire.ValidText(rest[4 : n-1]) {
				failed = decodeErrorAt(wire.ErrText, wire.OffsetIn(root, rest))
			}
		default:
			failed = validateValue(root, t, rest[:n], depth)
		}
		if failed != nil && array {
			return failed.prefixIndex(index)
		}
		if failed != nil {
			return failed.prefixPath(string(b[i+1 : k]))
		}
		i = k + 1 + n
	}
	return nil
}

// validateValue checks the inside of a value whose size is right.
func validateValue(root []byte, t Type, v []byte, depth int) *DecodeError {
	switch t {
	case bsontype.String, bsontype.JavaScript, bsontype.Symbol:
		if !wire.ValidText(wire.Text(v)) {
			return decodeErrorAt(wire.ErrText, wire.OffsetIn(root, v))
		}
	case bsontype.EmbeddedDocument:
		return validateDocument(root, v, depth-1, false)
	case bsontype.Array:
		return validateDocument(root, v, depth-1, true)
	case bsontype.Boolean:
		if v[0] > 1 {
			return decodeErrorAt(wire.ErrBoolean, wire.OffsetIn(root, v))
		}
	case bsontype.Binary:
		if _, _, ok := wire.SplitBinary(v); !ok {
			return decodeErrorAt(wire.ErrOldBinary, wire.OffsetIn(root, v))
		}
	case bsontype.Regex:
		if !wire.ValidText(v) {
			return decodeErrorAt(wire.ErrText, wire.OffsetIn(root, v))
		}
	case bsontype.DBPointer:
		if !wire.ValidText(wire.Text(v[:len(v)-12])) {
			return decodeErrorAt(wire.ErrText, wire.OffsetIn(root, v))
		}
	case bsontype.CodeWithScope:
		code, scope, err := wire.SplitCodeWithScope(v)
		if err != nil {
			return decodeErrorAt(err, wire.OffsetIn(root, v))
		}
		if !wire.ValidText(code) {
			return decodeErrorAt(wire.ErrText, wire.OffsetIn(root, v))
		}
		return validateDocument(root, scope, depth-1, false)
	}
	return nil
}
