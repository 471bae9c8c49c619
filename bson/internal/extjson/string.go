package extjson

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
)

// How a text treats the character U+0000.
const (
	anyBytes    = iota
	noZeroBytes // keys and regular expressions end at a zero byte in BSON
)

// parseString parses a string, after its opening quote, into a BSON string.
func (p *parser) parseString() *failure {
	start := len(p.dst)
	p.dst = append(p.dst, 0, 0, 0, 0)
	if err := p.appendText(anyBytes); err != nil {
		return err
	}
	p.dst = append(p.dst, 0)
	binary.LittleEndian.PutUint32(p.dst[start:], uint32(len(p.dst)-start-4))
	return nil
}

// appendText parses a string, after its opening quote, and appends its characters.
func (p *parser) appendText(zeros int) *failure {
	start := p.pos
	end, seen := ScanText(p.src, start)
	if end < len(p.src) && p.src[end] == '"' { // no escapes
		text := p.src[start:end]
		if seen&wire.HighBits != 0 && !utf8.Valid(text) {
			return p.fail("the text is not UTF-8")
		}
		p.dst = append(p.dst, text...)
		p.pos = end + 1
		return nil
	}
	return p.appendEscapedText(zeros)
}

func (p *parser) appendEscapedText(zeros int) *failure {
	start, all := p.pos, uint64(0)
	for {
		end, seen := ScanText(p.src, p.pos)
		all |= seen
		p.dst = append(p.dst, p.src[p.pos:end]...)
		p.pos = end
		if end == len(p.src) {
			return p.failUnexpected("a quote")
		}
		switch p.src[end] {
		case '"':
			if all&wire.HighBits != 0 && !utf8.Valid(p.src[start:end]) {
				return p.fail("the text is not UTF-8")
			}
			p.pos++
			return nil
		case '\\':
			c, err := p.parseEscape()
			if err != nil {
				return err
			}
			if c == 0 && zeros == noZeroBytes {
				return p.fail("a key or regular expression must not contain the character U+0000")
			}
			p.dst = utf8.AppendRune(p.dst, c)
		default:
			return p.fail("a control character in a string must be escaped")
		}
	}
}

// parseEscape parses an escape sequence; pos is at the backslash.
func (p *parser) parseEscape() (rune, *failure) {
	if p.pos+1 >= len(p.src) {
		p.pos = len(p.src)
		return 0, p.failUnexpected("an escape sequence")
	}
	c := p.src[p.pos+1]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return p.parseUnicodeEscape()
	default:
		return 0, p.fail(`unknown escape sequence`)
	}
	p.pos += 2
	return rune(c), nil
}

// parseUnicodeEscape parses \uXXXX, or two of them if the first is half of a surrogate pair.
func (p *parser) parseUnicodeEscape() (rune, *failure) {
	high, ok := p.parseHexEscape(p.pos)
	if !ok {
		return 0, p.fail(`\u needs four hexadecimal digits`)
	}
	if high < 0xD800 || high > 0xDFFF {
		p.pos += 6
		return high, nil
	}
	low, ok := p.parseHexEscape(p.pos + 6)
	if !ok || high > 0xDBFF || low < 0xDC00 || low > 0xDFFF {
		return 0, p.fail("half of a surrogate pair is missing")
	}
	p.pos += 12
	return (high-0xD800)<<10 + (low - 0xDC00) + 0x10000, nil
}

func (p *parser) parseHexEscape(i int) (rune, bool) {
	if i+6 > len(p.src) || p.src[i] != '\\' || p.src[i+1] != 'u' {
		return 0, false
	}
	var b [2]byte
	if !hex.Decode(b[:], p.src[i+2:i+6]) {
		return 0, false
	}
	return rune(b[0])<<8 | rune(b[1]), true
}

// parseShortString parses a string, after its opening quote, and returns its characters, which are valid until the
// next call. It is for texts that are not copied as they are: keys and values of wrappers.
func (p *parser) parseShortString() ([]byte, *failure) {
	start := p.pos
	end, seen := ScanText(p.src, start)
	if end < len(p.src) && p.src[end] == '"' && seen&wire.HighBits == 0 {
		p.pos = end + 1
		return p.src[start:end], nil
	}
	dst := p.dst
	p.dst = p.scratch[:0]
	err := p.appendText(anyBytes)
	p.scratch, p.dst = p.dst, dst
	return p.scratch, err
}

func quoteClipped(text []byte) string { return strconv.Quote(wire.Clip(string(text))) }

func (p *parser) badText(text []byte, want string) *failure {
	return p.fail(quoteClipped(text) + " is not " + want)
}

// parseTextField parses the string of a wrapper's field. See parseShortString.
func (p *parser) parseTextField() ([]byte, *failure) {
	if err := p.expect('"', "a string"); err != nil {
		return nil, err
	}
	return p.parseShortString()
}
