package extjson

import (
	"encoding/binary"
	"slices"

	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// parseCode parses $code and $scope, which come in either order; $code may come alone.
func (p *parser) parseCode(first wrapper, depth int) (bsontype.Type, *failure) {
	start := len(p.dst)
	if first == wrapScope {
		return p.parseScopeFirst(start, depth)
	}
	p.dst = append(p.dst, 0, 0, 0, 0) // the length, if a scope follows
	if err := p.expect('"', "the string of $code"); err != nil {
		return 0, err
	}
	if err := p.parseString(); err != nil {
		return 0, err
	}
	if p.skipSpace() == '}' {
		p.pos++
		p.dst = p.dst[:start+copy(p.dst[start:], p.dst[start+4:])]
		return bsontype.JavaScript, nil
	}
	if err := p.expectKey(form.Scope); err != nil {
		return 0, err
	}
	if err := p.parseScope(depth); err != nil {
		return 0, err
	}
	binary.LittleEndian.PutUint32(p.dst[start:], uint32(len(p.dst)-start))
	return bsontype.CodeWithScope, p.closeWrapper()
}

func (p *parser) parseScope(depth int) *failure {
	if p.skipSpace() != '{' {
		return p.failUnexpected("the document of $scope")
	}
	if err := p.parseDocument(depth, true); err != nil {
		return err.prefixPath(form.Scope)
	}
	return nil
}

// parseScopeFirst parses a $scope whose $code follows. BSON has them the other way round.
func (p *parser) parseScopeFirst(start, depth int) (bsontype.Type, *failure) {
	if err := p.parseScope(depth); err != nil {
		return 0, err
	}
	scope := append([]byte(nil), p.dst[start:]...)
	p.dst = p.dst[:start]
	if err := p.expectKey(form.Code); err != nil {
		return 0, err
	}
	p.dst = append(p.dst, 0, 0, 0, 0)
	if err := p.expect('"', "the string of $code"); err != nil {
		return 0, err
	}
	if err := p.parseString(); err != nil {
		return 0, err
	}
	p.dst = append(p.dst, scope...)
	binary.LittleEndian.PutUint32(p.dst[start:], uint32(len(p.dst)-start))
	return bsontype.CodeWithScope, p.closeWrapper()
}

// expectKey parses a comma, the given key and its colon.
func (p *parser) expectKey(want string) *failure {
	if p.skipSpace() != ',' {
		return p.failUnexpected("a comma and " + want)
	}
	p.pos++
	if p.skipSpace() != '"' {
		return p.failUnexpected("the key " + want)
	}
	p.pos++
	start := p.pos
	key, err := p.parseShortString()
	if err != nil {
		return err
	}
	if string(key) != want {
		p.pos = start
		return p.fail("expected the key " + want + ", found " + quoteClipped(key))
	}
	return p.expect(':', "a colon")
}

// parseFields parses an object that has exactly the given two keys, in either order. field parses the value of one of them,
// appending to dst or not.
func (p *parser) parseFields(first, second string, field func(p *parser, second bool) *failure) *failure {
	if err := p.expect('{', "an object"); err != nil {
		return err
	}
	keys, seen := [2]string{first, second}, [2]bool{}
	for n := range seen {
		if n == 1 {
			if p.skipSpace() != ',' {
				return p.failUnexpected("a comma and the keys " + first + " and " + second)
			}
			p.pos++
		}
		if p.skipSpace() != '"' {
			return p.failUnexpected("the keys " + first + " and " + second)
		}
		p.pos++
		start := p.pos
		key, err := p.parseShortString()
		if err != nil {
			return err
		}
		i := slices.Index(keys[:], string(key))
		if i < 0 || seen[i] {
			p.pos = start
			return p.fail("expected the keys " + first + " and " + second + ", found " + quoteClipped(key))
		}
		seen[i] = true
		if err := p.expect(':', "a colon"); err != nil {
			return err
		}
		p.skipSpace()
		if err := field(p, i == 1); err != nil {
			return err.prefixPath(keys[i])
		}
	}
	return p.closeWrapper()
}
