package extjson

import (
	"github.com/specdrivers/onion/bson/internal/decimal"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/core/form"
)

// parseTimestamp parses {"t": 1, "i": 2}; its numbers are bare in the canonical format too.
func (p *parser) parseTimestamp() *failure {
	var v [2]uint32
	err := p.parseFields(form.Seconds, form.Increment, func(p *parser, second bool) *failure {
		start := p.pos
		n, ok := int64(0), false
		if c := p.skipSpace(); decimal.IsDigit(c) {
			if integer, valid := p.scanNumber(); integer && valid {
				n, ok = ParseInteger(p.src[start:p.pos])
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
	p.dst = wire.AppendTimestamp(p.dst, v[0], v[1])
	return err
}

// parseRegex parses {"pattern": "...", "options": "..."}.
func (p *parser) parseRegex() *failure {
	var buf [16]byte
	options := buf[:0]
	err := p.parseFields(form.Pattern, form.Options, func(p *parser, second bool) *failure {
		start := len(p.dst)
		if err := p.expect('"', "a string"); err != nil {
			return err
		}
		if err := p.appendText(noZeroBytes); err != nil {
			return err
		}
		if second { // options follow the pattern in BSON, whichever comes first in the text
			options = append(options, p.dst[start:]...)
			p.dst = p.dst[:start]
		}
		return nil
	})
	wire.SortBytes(options)
	p.dst = append(append(append(p.dst, 0), options...), 0)
	return err
}

// parseOne parses the number of $minKey and $maxKey.
func (p *parser) parseOne() *failure {
	start := p.pos
	if !decimal.IsDigit(p.skipSpace()) {
		return p.failUnexpected("1")
	}
	if _, ok := p.scanNumber(); !ok || string(p.src[start:p.pos]) != "1" {
		p.pos = start
		return p.fail("expected the number 1")
	}
	return nil
}
