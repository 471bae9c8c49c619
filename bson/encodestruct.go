package bson

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// appendHeader appends type byte and name.
func (e *encField) appendHeader(dst []byte) []byte {
	n := len(dst)
	if e.short == 0 || cap(dst)-n < len(e.start) {
		return append(dst, e.header...)
	}
	*(*[16]byte)(dst[n : n+16]) = e.start
	return dst[:n+int(e.short)]
}

// prepare returns the address of the field in the struct at p and the state to encode it with. It returns no address
// for a field that is left out.
func (e *encField) prepare(f encState, p address) (address, encState) {
	fd, c := e.field, e.codec
	at := fd.reach(p)
	if isNilAddress(at) ||
		(fd.omitEmpty || f.has(encOmitEmpty)) && c.empty(c, f, at) ||
		fd.omitZero && c.isZero(at) {
		var none address
		return none, f
	}
	if fd.minSize {
		f.bits |= encMinSize
	}
	return at, f
}

func encodeStruct(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	f, err := f.descend()
	if err != nil {
		return dst, 0, err
	}
	dst, start := AppendDocumentStart(dst)
	fields := c.plan.encFields
	for i := range fields {
		e := &fields[i]
		var at address
		ff := f
		if !e.extra && !f.has(encOmitEmpty) {
			at = e.addressIn(p)
		} else if at, ff = e.prepare(f, p); isNilAddress(at) {
			continue
		}
		header := len(dst)
		dst = e.appendHeader(dst)
		switch e.op {
		case opString:
			var valid bool
			if dst, valid = wire.AppendChecked(dst, *toPointer[string](at)); !valid && !f.has(encInvalidText) {
				return dst, 0, encodeErrorIn(e.field.name, wire.ErrGoText)
			}
		case opInt32:
			dst = wire.AppendInt32(dst, *toPointer[int32](at))
		case opInt64:
			var t Type
			dst, t = appendInt(dst, *toPointer[int64](at), ff.has(encMinSize))
			dst[header] = byte(t)
		case opFloat64:
			dst = wire.AppendDouble(dst, *toPointer[float64](at))
		case opBool:
			dst = wire.AppendBoolean(dst, *toPointer[bool](at))
		case opObjectID:
			dst = append(dst, toPointer[ObjectID](at)[:]...)
		case opTime:
			dst = wire.AppendInt64(dst, toPointer[time.Time](at).UnixMilli())
		default:
			var t Type
			if dst, t, err = e.codec.encode(e.codec, ff, dst, at); err != nil {
				return dst, 0, encodeErrorIn(e.field.name, err)
			}
			dst[header] = byte(t)
		}
	}
	return c.closeStruct(f, dst, start, p)
}

// closeStruct appends the inlined map, if there is one, and ends the document.
func (c *codec) closeStruct(f encState, dst []byte, start int, p address) ([]byte, Type, error) {
	if c.plan.rest != nil {
		var err error
		if dst, err = c.encodeRest(f, dst, p); err != nil {
			return dst, 0, err
		}
	}
	return AppendDocumentEnd(dst, start), bsontype.EmbeddedDocument, nil
}

// encodeRest appends the elements of the inlined map. A key that is the name of a field is an error.
func (c *codec) encodeRest(f encState, dst []byte, p address) ([]byte, error) {
	rest := c.plan.rest
	at := rest.reach(p)
	if isNilAddress(at) {
		return dst, nil
	}
	start := len(dst)
	dst, err := rest.codec.encodeMapElements(f, dst, at)
	if err != nil {
		return dst, err
	}
	for i := start; i < len(dst); {
		k := wire.KeyEnd(dst, i+1)
		if key := dst[i+1 : k]; c.plan.byName.Find(key) >= 0 {
			return dst, encodeErrorIn(string(key), fmt.Errorf("the inlined map has the key of a field of %v", c.typ))
		}
		i = k + 1 + wire.ValueSize(Type(dst[i]), dst[k+1:])
	}
	return dst, nil
}
