package extjson

import (
	"encoding/base64"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// isLegacyBinary reports whether the key of the wrapper w, which ends at pos, has a string as its value. That is the
// form from before version 2, with $type as its other key.
func (p *parser) isLegacyBinary(w wrapper) bool {
	if !p.legacy || w != wrapBinary {
		return false
	}
	ahead := parser{src: p.src, pos: p.pos}
	if ahead.skipSpace() != ':' {
		return false
	}
	ahead.pos++
	return ahead.skipSpace() == '"'
}

// parseLegacyDate parses the number of {"$date": 0}.
func (p *parser) parseLegacyDate() *failure {
	start := p.pos
	integer, ok := p.scanNumber()
	if ok && integer {
		if ms, ok := ParseInteger(p.src[start:p.pos]); ok {
			p.dst = wire.AppendInt64(p.dst, ms)
			return nil
		}
	}
	p.pos = start
	return p.fail("expected milliseconds as a 64-bit integer")
}

// convertLegacy replaces the document at start by the value that it means in the formats before version 2. Extended
// JSON, "Q&A": anything but exactly such a value stays a document, so the query operators $regex and $type survive.
func (p *parser) convertLegacy(start int) (bsontype.Type, *failure) {
	first, n, texts := textMembers(p.dst[start:])
	if n == 0 || first == "" || first[0] != '$' {
		return bsontype.EmbeddedDocument, nil
	}
	pair := n == 2
	if data, ok := texts[form.Binary]; ok {
		subtype, ok := texts[form.LegacyType]
		if !pair || !ok {
			return 0, p.fail("$binary needs a $type, and no other key")
		}
		return bsontype.Binary, p.convertLegacyBinary(start, data, subtype)
	}
	pattern, isRegex := texts[form.LegacyRegex]
	options, ok := texts[form.LegacyOptions]
	if pair && isRegex && ok {
		for _, c := range []byte(pattern + options) {
			if c == 0 {
				return 0, p.fail("a regular expression must not contain the character U+0000")
			}
		}
		p.dst = wire.AppendRegex(p.dst[:start], pattern, options)
		return bsontype.Regex, nil
	}
	return bsontype.EmbeddedDocument, nil
}

func (p *parser) convertLegacyBinary(start int, data, subtype string) *failure {
	code, ok := ParseSubtype([]byte(subtype))
	if !ok {
		return p.badText([]byte(subtype), "a subtype of one or two hexadecimal digits")
	}
	bytes, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return p.fail("not padded base64: " + err.Error())
	}
	p.dst = wire.AppendBinary(p.dst[:start], code, bytes)
	return nil
}

// textMembers returns the first key of a document, the number of its elements, and those that are strings.
func textMembers(doc []byte) (first string, n int, texts map[string]string) {
	texts = map[string]string{}
	for i, end := 4, wire.BodyEnd(doc); i < end; n++ {
		t := bsontype.Type(doc[i])
		k := wire.KeyEnd(doc, i+1)
		key := string(doc[i+1 : k])
		size := wire.ValueSize(t, doc[k+1:end])
		if n == 0 {
			first = key
		}
		if _, twice := texts[key]; t == bsontype.String && !twice {
			texts[key] = string(wire.Text(doc[k+1 : k+1+size]))
		}
		i = k + 1 + size
	}
	return first, n, texts
}
