package bson

import (
	"encoding/base64"

	"github.com/specdrivers/onion/generated/bsontype"
)

// isLegacyBinary reports whether the key of the wrapper w, behind which pos is, has a string as its value: the form from
// before version 2, whose other key is $type.
func (p *extParser) isLegacyBinary(w wrapper) bool {
	if !p.legacy || w != wrapBinary {
		return false
	}
	ahead := extParser{src: p.src, pos: p.pos}
	if ahead.skipSpace() != ':' {
		return false
	}
	ahead.pos++
	return ahead.skipSpace() == '"'
}

// legacyDate parses the number of {"$date": 0}.
func (p *extParser) legacyDate() *DecodeError {
	start := p.pos
	integer, ok := p.scanNumber()
	if ok && integer {
		if ms, ok := parseInteger(p.src[start:p.pos]); ok {
			p.dst = appendInt64(p.dst, ms)
			return nil
		}
	}
	p.pos = start
	return p.fail("expected milliseconds as a 64-bit integer")
}

// convertLegacy replaces the document at start by the value that it stands for in the formats before version 2. Extended
// JSON, "Q&A": what is not exactly such a value is a document, so that the query operators $regex and $type survive.
func (p *extParser) convertLegacy(start int) (Type, *DecodeError) {
	doc := Raw(p.dst[start:])
	first, ok := doc.Index(0)
	if !ok || len(first.Key) == 0 || first.Key[0] != '$' {
		return bsontype.EmbeddedDocument, nil
	}
	pair := doc.Len() == 2
	if data, ok := doc.Lookup("$binary").StringOK(); ok {
		subtype, ok := doc.Lookup("$type").StringOK()
		if !pair || !ok {
			return 0, p.fail("$binary needs a $type, and no other key")
		}
		return bsontype.Binary, p.legacyBinary(start, data, subtype)
	}
	pattern, isRegex := doc.Lookup("$regex").StringOK()
	options, ok := doc.Lookup("$options").StringOK()
	if pair && isRegex && ok {
		for _, c := range []byte(pattern + options) {
			if c == 0 {
				return 0, p.fail("a regular expression must not contain the character U+0000")
			}
		}
		p.dst = appendRegex(p.dst[:start], pattern, options)
		return bsontype.Regex, nil
	}
	return bsontype.EmbeddedDocument, nil
}

func (p *extParser) legacyBinary(start int, data, subtype string) *DecodeError {
	code, ok := parseSubtype([]byte(subtype))
	if !ok {
		return p.badText([]byte(subtype), "a subtype of one or two hexadecimal digits")
	}
	bytes, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return p.fail("not padded base64: " + err.Error())
	}
	p.dst = appendBinary(p.dst[:start], code, bytes)
	return nil
}
