package extjson

import (
	"encoding/binary"
	"strconv"
)

// parser turns the text of extended JSON into BSON in one pass. Its methods read at pos and append to dst; a method
// that parses a value appends the value and returns its type, which the caller writes in front of the key.
type parser struct {
	src       []byte
	pos       int
	dst       []byte
	scratch   []byte // a string with escapes, decoded
	canonical bool   // no bare numbers, no dates as text
	legacy    bool   // formats from before version 2 too
}

// skipSpace moves to the next byte that is not white space and returns it, 0 at the end of the text.
func (p *parser) skipSpace() byte {
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
func (p *parser) expect(c byte, name string) *failure {
	if p.skipSpace() != c {
		return p.failUnexpected(name)
	}
	p.pos++
	return nil
}

func (p *parser) fail(reason string) *failure {
	return failureAt(invalidError(reason), p.pos)
}

// failUnexpected returns a failure that names what stands at pos, and what the grammar wants there.
func (p *parser) failUnexpected(want string) *failure {
	if p.pos >= len(p.src) {
		return p.fail("expected " + want + ", found the end of the text")
	}
	return p.fail("expected " + want + ", found " + strconv.QuoteRuneToASCII(rune(p.src[p.pos])))
}

func (p *parser) expectLiteral(word string) *failure {
	end := p.pos + len(word)
	if end > len(p.src) || string(p.src[p.pos:end]) != word {
		return p.fail("expected " + word)
	}
	p.pos = end
	return nil
}

func (p *parser) closeDocument(start int) {
	p.dst = append(p.dst, 0)
	binary.LittleEndian.PutUint32(p.dst[start:], uint32(len(p.dst)-start))
}

// closeWrapper skips the closing brace of a wrapper, or of the object in it.
func (p *parser) closeWrapper() *failure {
	if p.skipSpace() == ',' {
		return p.fail("a type wrapper has no other keys")
	}
	return p.expect('}', "}")
}
