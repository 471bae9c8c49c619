package extjson

import "github.com/specdrivers/onion/bson/internal/wire"

// Indent appends src to dst with a line per element. On failure it returns dst as it was.
func Indent(dst, src []byte, prefix, indent string, depth int) ([]byte, *failure) {
	p := parser{src: src}
	start := len(dst)
	in := indenter{dst: dst, prefix: prefix, indent: indent}
	err := in.copyValue(&p, depth)
	if err == nil && (p.skipSpace() != 0 || p.pos < len(src)) {
		err = p.fail("more text follows the value")
	}
	if err != nil {
		return in.dst[:start], err
	}
	return in.dst, nil
}

// indenter walks the tokens of a text with a parser and copies them.
type indenter struct {
	dst            []byte
	prefix, indent string
	level          int
}

func (in *indenter) startLine() {
	in.dst = append(append(in.dst, '\n'), in.prefix...)
	for range in.level {
		in.dst = append(in.dst, in.indent...)
	}
}

func (in *indenter) copyValue(p *parser, depth int) *failure {
	if depth <= 0 {
		return failureAt(wire.ErrMaxDepth, p.pos)
	}
	switch p.skipSpace() {
	case '{':
		return in.copyList(p, '}', func() *failure {
			if p.skipSpace() != '"' {
				return p.failUnexpected("a key")
			}
			if err := in.copyToken(p); err != nil {
				return err
			}
			if err := p.expect(':', "a colon"); err != nil {
				return err
			}
			in.dst = append(in.dst, ": "...)
			return in.copyValue(p, depth-1)
		})
	case '[':
		return in.copyList(p, ']', func() *failure { return in.copyValue(p, depth-1) })
	default:
		return in.copyToken(p)
	}
}

// copyList copies an object or array up to the byte last; item copies one of its elements.
func (in *indenter) copyList(p *parser, last byte, item func() *failure) *failure {
	in.dst = append(in.dst, p.src[p.pos])
	p.pos++
	if p.skipSpace() == last {
		p.pos++
		in.dst = append(in.dst, last)
		return nil
	}
	in.level++
	for {
		in.startLine()
		if err := item(); err != nil {
			return err
		}
		switch p.skipSpace() {
		case ',':
			in.dst = append(in.dst, ',')
			p.pos++
		case last:
			p.pos++
			in.level--
			in.startLine()
			in.dst = append(in.dst, last)
			return nil
		default:
			return p.failUnexpected("a comma or " + string(last))
		}
	}
}

// copyToken copies a string, number or literal as it is spelled: indenting changes no value.
func (in *indenter) copyToken(p *parser) *failure {
	start := p.pos
	p.dst = p.dst[:0]
	if _, err := p.parseValue(0); err != nil {
		return err
	}
	in.dst = append(in.dst, p.src[start:p.pos]...)
	return nil
}
