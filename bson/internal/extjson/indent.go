package extjson

import "github.com/specdrivers/onion/bson/internal/wire"

// Indent appends src to dst with a line per element. On failure it returns dst as it was.
func Indent(dst, src []byte, prefix, indent string, depth int) ([]byte, *failure) {
	p := parser{src: src}
	start := len(dst)
	in := indenter{dst: dst, prefix: prefix, indent: indent}
	err := in.value(&p, depth)
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

func (in *indenter) newline() {
	in.dst = append(append(in.dst, '\n'), in.prefix...)
	for range in.level {
		in.dst = append(in.dst, in.indent...)
	}
}

func (in *indenter) value(p *parser, depth int) *failure {
	if depth <= 0 {
		return failureAt(wire.ErrMaxDepth, p.pos)
	}
	switch p.skipSpace() {
	case '{':
		return in.list(p, '}', func() *failure {
			if p.skipSpace() != '"' {
				return p.unexpected("a key")
			}
			if err := in.token(p); err != nil {
				return err
			}
			if err := p.expect(':', "a colon"); err != nil {
				return err
			}
			in.dst = append(in.dst, ": "...)
			return in.value(p, depth-1)
		})
	case '[':
		return in.list(p, ']', func() *failure { return in.value(p, depth-1) })
	default:
		return in.token(p)
	}
}

// list copies an object or array; item copies one of its elements.
func (in *indenter) list(p *parser, last byte, item func() *failure) *failure {
	in.dst = append(in.dst, p.src[p.pos])
	p.pos++
	if p.skipSpace() == last {
		p.pos++
		in.dst = append(in.dst, last)
		return nil
	}
	in.level++
	for {
		in.newline()
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
			in.newline()
			in.dst = append(in.dst, last)
			return nil
		default:
			return p.unexpected("a comma or " + string(last))
		}
	}
}

// token copies a string, number or literal as it is written.
func (in *indenter) token(p *parser) *failure {
	start := p.pos
	p.dst = p.dst[:0]
	if _, err := p.value(0); err != nil {
		return err
	}
	in.dst = append(in.dst, p.src[start:p.pos]...)
	return nil
}
