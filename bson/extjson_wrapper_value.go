package bson

import (
	"slices"
	"strconv"

	"github.com/specdrivers/onion/generated/bsontype"
)

func quoteClipped(text []byte) string { return strconv.Quote(clip(string(text))) }

// fields parses an object that has exactly the given two keys, in either order. field parses the value of one of them,
// appending to dst or not.
func (p *extParser) fields(first, second string, field func(p *extParser, second bool) *DecodeError) *DecodeError {
	if err := p.expect('{', "an object"); err != nil {
		return err
	}
	keys, seen := [2]string{first, second}, [2]bool{}
	for n := range seen {
		if n == 1 {
			if err := p.expect(',', "a comma and the keys "+first+" and "+second); err != nil {
				return err
			}
		}
		if err := p.expect('"', "the keys "+first+" and "+second); err != nil {
			return err
		}
		start := p.pos
		key, err := p.shortString()
		if err != nil {
			return err
		}
		i := slices.Index(keys[:], string(key))
		if i < 0 || seen[i] {
			p.pos = start
			return p.fail("expected the keys " + first + " and " + second + ", found " + quoteClipped(key))
		}
		seen[i] = true
		if err := p.expect(':', "a colon"); err != nil {
			return err
		}
		p.skipSpace()
		if err := field(p, i == 1); err != nil {
			return err.under(keys[i])
		}
	}
	return p.closeWrapper()
}

// textField parses the string of a wrapper's field. See shortString.
func (p *extParser) textField() ([]byte, *DecodeError) {
	if err := p.expect('"', "a string"); err != nil {
		return nil, err
	}
	return p.shortString()
}

// timestamp parses {"t": 1, "i": 2}; its numbers are bare in the canonical format too.
func (p *extParser) timestamp() *DecodeError {
	var v [2]uint32
	err := p.fields("t", "i", func(p *extParser, second bool) *DecodeError {
		start := p.pos
		n, ok := int64(0), false
		if c := p.skipSpace(); isDigit(c) {
			if integer, valid := p.scanNumber(); integer && valid {
				n, ok = parseInteger(p.src[start:p.pos])
			}
		}
		if !ok || n != int64(uint32(n)) {
			p.pos = start
			return p.fail("expected an unsigned 32-bit integer")
		}
		if second {
			v[1] = uint32(n)
		} else {
			v[0] = uint32(n)
		}
		return nil
	})
	p.dst = appendTimestamp(p.dst, v[0], v[1])
	return err
}

// regex parses {"pattern": "...", "options": "..."}.
func (p *extParser) regex() *DecodeError {
	var buf [16]byte
	options := buf[:0]
	err := p.fields("pattern", "options", func(p *extParser, second bool) *DecodeError {
		start := len(p.dst)
		if err := p.expect('"', "a string"); err != nil {
			return err
		}
		if err := p.appendText(noZeroBytes); err != nil {
			return err
		}
		if second { // they go behind the pattern, whichever comes first
			options = append(options, p.dst[start:]...)
			p.dst = p.dst[:start]
		}
		return nil
	})
	sortBytes(options)
	p.dst = append(append(append(p.dst, 0), options...), 0)
	return err
}

// dbPointer parses {"$ref": "...", "$id": {"$oid": "..."}}.
func (p *extParser) dbPointer() *DecodeError {
	var id ObjectID
	err := p.fields("$ref", "$id", func(p *extParser, second bool) *DecodeError {
		if !second {
			if err := p.expect('"', "a string"); err != nil {
				return err
			}
			return p.stringValue()
		}
		pos, start := p.pos, len(p.dst)
		t, err := p.value(1)
		if err == nil && t != bsontype.ObjectID {
			p.pos = pos
			err = p.fail("expected an ObjectID")
		}
		if err == nil {
			id = ObjectID(p.dst[start:])
		}
		p.dst = p.dst[:start]
		return err
	})
	p.dst = append(p.dst, id[:]...)
	return err
}

// one parses the number of $minKey and $maxKey.
func (p *extParser) one() *DecodeError {
	start := p.pos
	if !isDigit(p.skipSpace()) {
		return p.unexpected("1")
	}
	if _, ok := p.scanNumber(); !ok || string(p.src[start:p.pos]) != "1" {
		p.pos = start
		return p.fail("expected 1")
	}
	return nil
}

// date parses the value of $date: {"$numberLong": "..."}, in the relaxed format also a string.
func (p *extParser) date() *DecodeError {
	start := p.pos
	switch c := p.skipSpace(); {
	case c == '{':
		t, err := p.object(1)
		if err == nil && t != bsontype.Int64 {
			p.pos = start
			err = p.fail(`expected {"$numberLong": "..."} or a string`)
		}
		return err
	case c == '"' && !p.canonical:
		p.pos++
		text, err := p.shortString()
		if err != nil {
			return err
		}
		ms, ok := parseISODate(text)
		if !ok {
			p.pos = start
			return p.badText(text, "a date like 2006-01-02T15:04:05.999Z")
		}
		p.dst = appendInt64(p.dst, ms)
		return nil
	case p.legacy && (c == '-' || isDigit(c)):
		return p.legacyDate()
	default:
		return p.unexpected(`{"$numberLong": "..."} or a string`)
	}
}
