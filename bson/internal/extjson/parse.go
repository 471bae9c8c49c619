package extjson

import (
	"github.com/specdrivers/onion/generated/bsontype"
)

// Format says which formats of extended JSON the parser accepts.
type Format uint8

const (
	Any       Format = iota // canonical and relaxed, also mixed
	Canonical               // no bare numbers, no dates as text
	Legacy                  // any, and those from before version 2
)

// Parse parses the whole text as one value of at most depth levels and appends that to dst.
func Parse(dst, text []byte, format Format, depth int) (out []byte, t bsontype.Type, err *failure) {
	p := parser{src: text, dst: dst, canonical: format == Canonical, legacy: format == Legacy}
	t, err = p.parse(depth)
	return p.dst, t, err
}

// Reader parses single values of a text. The zero Reader is ready for use.
type Reader struct{ p parser }

// Next parses the value at pos of the text, of at most depth levels, and appends it to dst. It returns the position
// after the value, and false if there is an error.
func (r *Reader) Next(dst, text []byte, pos int, format Format, depth int) (out []byte, t bsontype.Type, end int, ok bool) {
	r.p = parser{
		src: text, pos: pos, dst: dst, scratch: r.p.scratch, canonical: format == Canonical, legacy: format == Legacy,
	}
	t, err := r.p.parseValue(depth)
	out, end = r.p.dst, r.p.pos
	r.p.src, r.p.dst = nil, nil
	return out, t, end, err == nil
}

// parse parses the whole text as one value of at most depth levels, which it appends to dst.
func (p *parser) parse(depth int) (t bsontype.Type, err *failure) {
	if p.skipSpace() == '{' {
		t, err = bsontype.EmbeddedDocument, p.parseDocument(depth, false)
	} else {
		t, err = p.parseValue(depth)
	}
	if err == nil && p.skipSpace() != 0 {
		err = p.fail("more text follows the value")
	}
	if err == nil && p.pos < len(p.src) { // a zero byte
		err = p.failUnexpected("the end")
	}
	return t, err
}
