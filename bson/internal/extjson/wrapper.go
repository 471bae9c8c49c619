package extjson

import (
	"github.com/specdrivers/onion/bson/internal/decimal"
	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// appendTextWrapper appends a value whose only form is a string.
func (p *parser) appendTextWrapper(w wrapper, text []byte) (bsontype.Type, *failure) {
	switch w {
	case wrapInt32:
		if n, ok := ParseInteger(text); ok && int64(int32(n)) == n {
			p.dst = wire.AppendInt32(p.dst, int32(n))
			return bsontype.Int32, nil
		}
		return 0, p.badText(text, "a 32-bit integer")
	case wrapInt64:
		if n, ok := ParseInteger(text); ok {
			p.dst = wire.AppendInt64(p.dst, n)
			return bsontype.Int64, nil
		}
		return 0, p.badText(text, "a 64-bit integer")
	case wrapDouble:
		if f, ok := ParseDouble(text); ok {
			p.dst = wire.AppendDouble(p.dst, f)
			return bsontype.Double, nil
		}
		return 0, p.badText(text, "a double")
	case wrapDecimal128:
		d, cause := decimal.Parse(wire.AliasString(text))
		if cause == "" {
			p.dst = wire.AppendUint128(p.dst, d.High, d.Low)
			return bsontype.Decimal128, nil
		}
		return 0, p.fail(quoteClipped(text) + " " + cause + " Decimal128")
	case wrapUUID:
		var u [16]byte
		if hex.DecodeHyphenated(u[:], wire.AliasString(text)) {
			p.dst = wire.AppendBinary(p.dst, bsontype.BinaryUUID, u[:])
			return bsontype.Binary, nil
		}
		return 0, p.badText(text, "a UUID")
	default: // wrapObjectID
		var id [12]byte
		if hex.Decode(id[:], text) {
			p.dst = append(p.dst, id[:]...)
			return bsontype.ObjectID, nil
		}
		return 0, p.badText(text, "an ObjectID of 24 hexadecimal digits")
	}
}

// parseDate parses the value of $date: {"$numberLong": "..."}, in the relaxed format also a string.
func (p *parser) parseDate() *failure {
	start := p.pos
	switch c := p.skipSpace(); {
	case c == '{':
		t, err := p.parseObject(1)
		if err == nil && t != bsontype.Int64 {
			p.pos = start
			err = p.fail(`expected {"$numberLong": "..."} or a string`)
		}
		return err
	case c == '"' && !p.canonical:
		p.pos++
		text, err := p.parseShortString()
		if err != nil {
			return err
		}
		ms, ok := ParseISODate(text)
		if !ok {
			p.pos = start
			return p.badText(text, "a date like 2006-01-02T15:04:05.999Z")
		}
		p.dst = wire.AppendInt64(p.dst, ms)
		return nil
	case p.legacy && (c == '-' || decimal.IsDigit(c)):
		return p.parseLegacyDate()
	default:
		return p.failUnexpected(`{"` + form.Int64 + `": "..."} or a string`)
	}
}

// parseDBPointer parses {"$ref": "...", "$id": {"$oid": "..."}}.
func (p *parser) parseDBPointer() *failure {
	var id [12]byte
	err := p.parseFields(form.Ref, form.ID, func(p *parser, second bool) *failure {
		if !second {
			if err := p.expect('"', "a string"); err != nil {
				return err
			}
			return p.parseString()
		}
		pos, start := p.pos, len(p.dst)
		t, err := p.parseValue(1)
		if err == nil && t != bsontype.ObjectID {
			p.pos = pos
			err = p.fail("expected an ObjectID")
		}
		if err == nil {
			id = [12]byte(p.dst[start:])
		}
		p.dst = p.dst[:start]
		return err
	})
	p.dst = append(p.dst, id[:]...)
	return err
}
