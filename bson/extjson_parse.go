package bson

import (
	"encoding/binary"
	"strconv"

	"github.com/specdrivers/onion/generated/bsontype"
)

// extParser turns the text of extended JSON into BSON in one pass. Its methods read at pos and append to dst; a method
// that parses a value appends the value and returns its type, which the caller writes in front of the key.
type extParser struct {
	src       []byte
	pos       int
	dst       []byte
	scratch   []byte // a string with escapes, decoded
	canonical bool   // no bare numbers, no dates as text
	legacy    bool   // formats from before version 2 too
}

// skipSpace moves to the next byte that is not white space and returns it, 0 at the end of the text.
func (p *extParser) skipSpace() byte {
	for i := p.pos; i < len(p.src); i++ {
		switch c := p.src[i]; c {
		case ' ', '\n', '\r', '\t':
		default:
			p.pos = i
			return c
		}
	}
	p.pos = len(p.src)
	return 0
}

// expect skips white space and the byte c.
func (p *extParser) expect(c byte, name string) *DecodeError {
	if p.skipSpace() != c {
		return p.unexpected(name)
	}
	p.pos++
	return nil
}

func (p *extParser) fail(reason string) *DecodeError {
	return decodeErrorAt(invalidJSON(reason), p.pos)
}

// unexpected reports what stands at pos instead of what should.
func (p *extParser) unexpected(want string) *DecodeError {
	if p.pos >= len(p.src) {
		return p.fail("expected " + want + ", found the end of the text")
	}
	return p.fail("expected " + want + ", found " + strconv.QuoteRuneToASCII(rune(p.src[p.pos])))
}

// value parses any value.
func (p *extParser) value(depth int) (Type, *DecodeError) {
	switch c := p.skipSpace(); c {
	case '"':
		p.pos++
		return bsontype.String, p.stringValue()
	case '{':
		return p.object(depth)
	case '[':
		return bsontype.Array, p.array(depth)
	case 't':
		p.dst = append(p.dst, 1)
		return bsontype.Boolean, p.literal("true")
	case 'f':
		p.dst = append(p.dst, 0)
		return bsontype.Boolean, p.literal("false")
	case 'n':
		return bsontype.Null, p.literal("null")
	default:
		if c == '-' || isDigit(c) {
			return p.number()
		}
		return 0, p.unexpected("a value")
	}
}

func (p *extParser) literal(word string) *DecodeError {
	end := p.pos + len(word)
	if end > len(p.src) || string(p.src[p.pos:end]) != word {
		return p.fail("expected " + word)
	}
	p.pos = end
	return nil
}

// object parses an object that may be a type wrapper. By far most wrappers show by their first key.
func (p *extParser) object(depth int) (Type, *DecodeError) {
	open, start := p.pos, len(p.dst)
	p.pos++
	if p.skipSpace() == '"' && p.pos+1 < len(p.src) && (p.src[p.pos+1] == '$' || p.src[p.pos+1] == '\\') {
		p.pos++
		key, err := p.shortString()
		if err != nil {
			return 0, err
		}
		if w := wrapperOf(key); w != notWrapper && !p.isLegacyBinary(w) {
			if err := p.expect(':', "a colon"); err != nil {
				return 0, err
			}
			return p.wrapper(w, depth)
		}
	}
	p.pos = open
	if err := p.document(depth, true); err != nil {
		return 0, err
	}
	if p.legacy {
		return p.convertLegacy(start)
	}
	return bsontype.EmbeddedDocument, nil
}

// document parses an object as a document. Extended JSON, "Parsers": embedded ones must not have the key of a wrapper,
// since what is one has been taken already.
func (p *extParser) document(depth int, embedded bool) *DecodeError {
	if depth <= 0 {
		return decodeErrorAt(ErrMaxDepth, p.pos)
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
		if err := p.element(depth, embedded); err != nil {
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
			return p.unexpected("a comma or }")
		}
	}
}

func (p *extParser) closeDocument(start int) {
	p.dst = append(p.dst, 0)
	binary.LittleEndian.PutUint32(p.dst[start:], uint32(len(p.dst)-start))
}

// element parses a key and its value.
func (p *extParser) element(depth int, embedded bool) *DecodeError {
	if p.skipSpace() != '"' {
		return p.unexpected("a key")
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
		var t Type
		t, err = p.value(depth - 1)
		p.dst[header] = byte(t)
	}
	if err != nil {
		return err.under(string(p.dst[key:keyEnd]))
	}
	return nil
}

func (p *extParser) array(depth int) *DecodeError {
	if depth <= 0 {
		return decodeErrorAt(ErrMaxDepth, p.pos)
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
		p.dst = AppendArrayIndexHeader(p.dst, 0, i)
		t, err := p.value(depth - 1)
		if err != nil {
			return err.under(strconv.Itoa(i))
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
			return p.unexpected("a comma or ]").under(strconv.Itoa(i))
		}
	}
}
