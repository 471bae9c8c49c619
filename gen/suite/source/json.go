package source

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep values may nest.
const maxDepth = 500

// ParseJSON reads a JSON text. A duplicate key in an object is an error.
func ParseJSON(text []byte) (*Node, error) {
	p := parser{text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), line: 1}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.skipSpace()
	if p.at < len(p.text) {
		return nil, p.errorf("%q follows the value", p.text[p.at])
	}
	return n, nil
}

type parser struct {
	text []byte
	at   int
	line int
}

func (p *parser) errorf(format string, args ...any) error {
	return &Error{Line: p.line, Text: fmt.Sprintf(format, args...)}
}

func (p *parser) skipSpace() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case '\n':
			p.line++
		case ' ', '\t', '\r':
		default:
			return
		}
		p.at++
	}
}

// peek returns the next byte after white space, or 0 at the end.
func (p *parser) peek() byte {
	p.skipSpace()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) value(depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, p.errorf("values nest deeper than %d", maxDepth)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		n := &Node{Kind: String, Line: p.line}
		text, err := p.string()
		n.Text = text
		return n, err
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	case c == 0:
		return nil, p.errorf("a value is missing")
	}
	return p.word()
}

func (p *parser) object(depth int) (*Node, error) {
	n := &Node{Kind: Object, Line: p.line}
	p.at++
	if p.peek() == '}' {
		p.at++
		return n, nil
	}
	for {
		if p.peek() != '"' {
			return nil, p.errorf("a key is missing")
		}
		line := p.line
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		if n.Has(key) {
			return nil, p.errorf("the key %q appears twice", key)
		}
		if p.peek() != ':' {
			return nil, p.errorf("a colon is missing after %q", key)
		}
		p.at++
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, Member{Key: key, Line: line, Value: v})
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.at++
			return n, nil
		default:
			return nil, p.errorf("the object is not closed")
		}
	}
}

func (p *parser) array(depth int) (*Node, error) {
	n := &Node{Kind: Array, Line: p.line}
	p.at++
	if p.peek() == ']' {
		p.at++
		return n, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, v)
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			return n, nil
		default:
			return nil, p.errorf("the array is not closed")
		}
	}
}

func (p *parser) word() (*Node, error) {
	for _, w := range []struct {
		text string
		kind Kind
	}{{"true", Bool}, {"false", Bool}, {"null", Null}} {
		if bytes.HasPrefix(p.text[p.at:], []byte(w.text)) {
			p.at += len(w.text)
			return &Node{Kind: w.kind, Line: p.line, Text: w.text}, nil
		}
	}
	return nil, p.errorf("%q cannot begin a value", p.text[p.at])
}

// number keeps the spelling, because only the spelling tells 1 from 1.0.
func (p *parser) number() (*Node, error) {
	start := p.at
	for p.at < len(p.text) && bytes.IndexByte([]byte("+-.eE0123456789"), p.text[p.at]) >= 0 {
		p.at++
	}
	n := &Node{Kind: Number, Line: p.line, Text: string(p.text[start:p.at])}
	if _, err := strconv.ParseFloat(n.Text, 64); err != nil && !isRange(err) {
		return nil, p.errorf("%q is not a number", n.Text)
	}
	return n, nil
}

// string reads a quoted string; the cursor is on the opening quote.
func (p *parser) string() (string, error) {
	p.at++
	var b []byte
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			if !utf8.Valid(b) {
				return "", p.errorf("a string is not UTF-8")
			}
			return string(b), nil
		case c == '\\':
			var err error
			if b, err = p.escape(b); err != nil {
				return "", err
			}
		case c < ' ':
			return "", p.errorf("a string holds the control character %#x", c)
		default:
			b = append(b, c)
		}
	}
	return "", p.errorf("a string is not closed")
}

func (p *parser) escape(b []byte) ([]byte, error) {
	if p.at == len(p.text) {
		return nil, p.errorf("a string is not closed")
	}
	c := p.text[p.at]
	p.at++
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), c); i >= 0 {
		return append(b, "\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return nil, p.errorf(`\%c is not an escape`, c)
	}
	r, err := p.hex()
	if err != nil {
		return nil, err
	}
	if utf16.IsSurrogate(r) {
		if !bytes.HasPrefix(p.text[p.at:], []byte(`\u`)) {
			return nil, p.errorf(`\u%04x is half of a surrogate pair`, r)
		}
		p.at += 2
		low, err := p.hex()
		if err != nil {
			return nil, err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return nil, p.errorf("a surrogate pair is broken")
		}
	}
	return utf8.AppendRune(b, r), nil
}

func (p *parser) hex() (rune, error) {
	if p.at+4 > len(p.text) {
		return 0, p.errorf(`\u is cut short`)
	}
	v, err := strconv.ParseUint(string(p.text[p.at:p.at+4]), 16, 16)
	if err != nil {
		return 0, p.errorf(`\u%s is not an escape`, p.text[p.at:p.at+4])
	}
	p.at += 4
	return rune(v), nil
}
