package bson

import (
	"encoding/binary"

	"github.com/specdrivers/onion/bson/internal/wire"
)

// The functions below split values that wire.ValueSize has accepted.

// readText returns a string, or what looks like one.
func (d *decoder) readText(b []byte) (string, error) {
	s := wire.Text(b)
	if !d.checkText(s) {
		return "", d.fail(b, wire.ErrText)
	}
	return d.ownString(s), nil
}

func (d *decoder) readBinary(b []byte) (Binary, error) {
	subtype, data, ok := wire.SplitBinary(b)
	if !ok {
		return Binary{}, d.fail(b, wire.ErrOldBinary)
	}
	return Binary{Subtype: subtype, Data: d.ownBytes(data)}, nil
}

func (d *decoder) readRegex(b []byte) (Regex, error) {
	if !d.checkText(b) {
		return Regex{}, d.fail(b, wire.ErrText)
	}
	i := wire.KeyEnd(b, 0)
	return Regex{Pattern: d.ownString(b[:i]), Options: d.ownString(b[i+1 : len(b)-1])}, nil
}

func (d *decoder) readDBPointer(b []byte) (DBPointer, error) {
	n := len(b) - 12
	ns, err := d.readText(b[:n])
	return DBPointer{DB: ns, Pointer: ObjectID(b[n:])}, err
}

func timestampOf(b []byte) Timestamp {
	return Timestamp{T: binary.LittleEndian.Uint32(b[4:]), I: binary.LittleEndian.Uint32(b)}
}

func decimal128Of(b []byte) Decimal128 {
	return Decimal128{h: binary.LittleEndian.Uint64(b[8:]), l: binary.LittleEndian.Uint64(b)}
}
