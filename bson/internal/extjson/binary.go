package extjson

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// parseBinary parses {"base64": "...", "subType": "00"}.
func (p *parser) parseBinary() *failure {
	start := len(p.dst)
	p.dst = append(p.dst, 0, 0, 0, 0, 0)
	err := p.parseFields(form.Base64, form.Subtype, func(p *parser, second bool) *failure {
		pos := p.pos
		text, err := p.parseTextField()
		if err != nil {
			return err
		}
		if second {
			subtype, ok := ParseSubtype(text)
			p.dst[start+4] = subtype
			if !ok {
				p.pos = pos
				return p.badText(text, "a subtype of one or two hexadecimal digits")
			}
			return nil
		}
		return p.appendBase64(text, pos)
	})
	if err == nil {
		p.closeBinary(start)
	}
	return err
}

// appendBase64 appends the bytes that text encodes.
func (p *parser) appendBase64(text []byte, pos int) *failure {
	var err error
	if p.dst, err = base64.StdEncoding.AppendDecode(p.dst, text); err != nil {
		p.pos = pos
		return p.fail("not padded base64: " + err.Error())
	}
	return nil
}

// closeBinary writes the length of the binary value that starts at start, and the second one that subtype 2 demands.
func (p *parser) closeBinary(start int) {
	n := len(p.dst) - start - 5
	if p.dst[start+4] == bsontype.BinaryOld {
		p.dst = append(p.dst, 0, 0, 0, 0)
		copy(p.dst[start+9:], p.dst[start+5:])
		binary.LittleEndian.PutUint32(p.dst[start+5:], uint32(n))
		n += 4
	}
	binary.LittleEndian.PutUint32(p.dst[start:], uint32(n))
}

// ParseSubtype parses the subtype of binary data, one or two hexadecimal digits.
func ParseSubtype(text []byte) (subtype byte, ok bool) {
	if len(text) != 1 && len(text) != 2 {
		return 0, false
	}
	for _, c := range text {
		d := hex.Values[c] - 1
		if d > 15 {
			return 0, false
		}
		subtype = subtype<<4 | d
	}
	return subtype, true
}
