package extjson

import (
	"strconv"

	"github.com/specdrivers/onion/bson/internal/decimal"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// parseValue parses any value.
func (p *parser) parseValue(depth int) (bsontype.Type, *failure) {
	switch c := p.skipSpace(); c {
	case '"':
		p.pos++
		return bsontype.String, p.parseString()
	case '{':
		return p.parseObject(depth)
	case '[':
		return bsontype.Array, p.parseArray(depth)
	case 't':
		p.dst = append(p.dst, 1)
		return bsontype.Boolean, p.expectLiteral("true")
	case 'f':
		p.dst = append(p.dst, 0)
		return bsontype.Boolean, p.expectLiteral("false")
	case 'n':
		return bsontype.Null, p.expectLiteral("null")
	default:
		if c == '-' || decimal.IsDigit(c) {
			return p.parseNumber()
		}
		return 0, p.failUnexpected("a value")
	}
}

// parseObject parses an object that may be a type wrapper. By far most wrappers show by their first key.
func (p *parser) parseObject(depth int) (bsontype.Type, *failure) {
	open, start := p.pos, len(p.dst)
	p.pos++
	if p.skipSpace() == '"' && p.pos+1 < len(p.src) && (p.src[p.pos+1] == '$' || p.src[p.pos+1] == '\\') {
		p.pos++
		key, err := p.parseShortString()
		if err != nil {
			return 0, err
		}
		if w := wrapperOf(key); w != notWrapper && !p.isLegacyBinary(w) {
			if err := p.expect(':', "a colon"); err != nil {
				return 0, err
			}
			return p.parseWrapper(w, depth)
		}
	}
	p.pos = open
	if err := p.parseDocument(depth, true); err != nil {
		return 0, err
	}
	if p.legacy {
		return p.convertLegacy(start)
	}
	return bsontype.EmbeddedDocument, nil
}

// parseDocument parses an object as a document. Extended JSON, "Parsers": an embedded one must not have the key of a wrapper,
// because parseObject has already taken every wrapper.
func (p *parser) parseDocument(depth int, embedded bool) *failure {
	if depth <= 0 {
		return failureAt(wire.ErrMaxDepth, p.pos)
	}
	p.pos++
	start := len(p.dst)
	p.dst = append(p.dst, 0, 0, 0, 0)
	if p.skipSpace() == '}' {
		p.pos++
		p.closeDocument(start)
		return nil
	}
	for {
		if err := p.parseElement(depth, embedded); err != nil {
			return err
		}
		switch p.skipSpace() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			p.closeDocument(start)
			return nil
		default:
			return p.failUnexpected("a comma or }")
		}
	}
}

// parseElement parses a key and its value.
func (p *parser) parseElement(depth int, embedded bool) *failure {
	if p.skipSpace() != '"' {
		return p.failUnexpected("a key in double quotes")
	}
	header := len(p.dst)
	p.dst = append(p.dst, 0) // the type, once it is known
	keyPos := p.pos
	p.pos++
	if err := p.appendText(noZeroBytes); err != nil {
		return err
	}
	key := header + 1
	if embedded && len(p.dst) > key && p.dst[key] == '$' {
		if w := wrapperOf(p.dst[key:]); w != notWrapper && !p.isLegacyBinary(w) {
			p.pos = keyPos
			return p.fail("an object with the key " + string(p.dst[key:]) + " has no other keys")
		}
	}
	keyEnd := len(p.dst)
	p.dst = append(p.dst, 0)
	err := p.expect(':', "a colon")
	if err == nil {
		var t bsontype.Type
		t, err = p.parseValue(depth - 1)
		p.dst[header] = byte(t)
	}
	if err != nil {
		return err.prefixPath(string(p.dst[key:keyEnd]))
	}
	return nil
}

func (p *parser) parseArray(depth int) *failure {
	if depth <= 0 {
		return failureAt(wire.ErrMaxDepth, p.pos)
	}
	p.pos++
	start := len(p.dst)
	p.dst = append(p.dst, 0, 0, 0, 0)
	if p.skipSpace() == ']' {
		p.pos++
		p.closeDocument(start)
		return nil
	}
	for i := 0; ; i++ {
		header := len(p.dst)
		p.dst = wire.AppendIndexHeader(p.dst, 0, i)
		t, err := p.parseValue(depth - 1)
		if err != nil {
			return err.prefixPath(strconv.Itoa(i))
		}
		p.dst[header] = byte(t)
		switch p.skipSpace() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			p.closeDocument(start)
			return nil
		default:
			return p.failUnexpected("a comma or ]").prefixPath(strconv.Itoa(i))
		}
	}
}

// parseWrapper parses a type wrapper, after the colon of its first key.
func (p *parser) parseWrapper(w wrapper, depth int) (t bsontype.Type, err *failure) {
	c := p.skipSpace()
	start := p.pos
	switch w {
	case wrapCode, wrapScope: // they may have two keys
		return p.parseCode(w, depth)
	case wrapSymbol:
		if t = bsontype.Symbol; c != '"' {
			return 0, p.failUnexpected("the string of $symbol")
		}
		p.pos++
		err = p.parseString()
	case wrapBinary:
		t, err = bsontype.Binary, p.parseBinary()
	case wrapTimestamp:
		t, err = bsontype.Timestamp, p.parseTimestamp()
	case wrapRegex:
		t, err = bsontype.Regex, p.parseRegex()
	case wrapDBPointer:
		t, err = bsontype.DBPointer, p.parseDBPointer()
	case wrapDate:
		t, err = bsontype.DateTime, p.parseDate()
	case wrapMinKey:
		t, err = bsontype.MinKey, p.parseOne()
	case wrapMaxKey:
		t, err = bsontype.MaxKey, p.parseOne()
	case wrapUndefined:
		t, err = bsontype.Undefined, p.expectLiteral("true")
	default:
		if c != '"' {
			return 0, p.failUnexpected("a string")
		}
		p.pos++
		var text []byte
		if text, err = p.parseShortString(); err != nil {
			return 0, err
		}
		if t, err = p.appendTextWrapper(w, text); err != nil {
			err.Offset = start
		}
	}
	if err == nil {
		err = p.closeWrapper()
	}
	return t, err
}
