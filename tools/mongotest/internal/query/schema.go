package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// compileSchema compiles a schema. An unknown keyword is an error, as in the server.
func (c *compiler) compileSchema(d bson.Raw) (schema, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, status.Errorf(errcode.BadValue, "exceeded maximum query tree depth")
	}
	if err := checkKeywords(d); err != nil {
		return nil, err
	}
	var s schema
	for keyword, v := range d.All() {
		r, err := c.keyword(c, keyword, v, d)
		if err != nil {
			return nil, err
		}
		if r != nil {
			s = append(s, r)
		}
	}
	return s, nil
}

// checkKeywords refuses keywords that exclude each other, and duplicate keywords.
func checkKeywords(d bson.Raw) error {
	seen := map[string]bool{}
	for keyword := range d.All() {
		if seen[keyword] {
			return status.Errorf(errcode.FailedToParse, "Duplicate $jsonSchema keyword: %s", keyword)
		}
		seen[keyword] = true
	}
	switch {
	case seen["type"] && seen["bsonType"]:
		return status.Errorf(errcode.FailedToParse, "Cannot specify both $jsonSchema keywords 'type' and 'bsonType'")
	case seen["encrypt"] && seen["encryptMetadata"]:
		return status.Errorf(errcode.FailedToParse, "Cannot specify both $jsonSchema keywords 'encrypt' and 'encryptMetadata'")
	case seen["exclusiveMaximum"] && !seen["maximum"]:
		return status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'maximum' must be a present if exclusiveMaximum is present")
	case seen["exclusiveMinimum"] && !seen["minimum"]:
		return status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'minimum' must be a present if exclusiveMinimum is present")
	}
	for _, other := range [...]string{"type", "bsonType"} {
		if seen["encrypt"] && seen[other] {
			return status.Errorf(errcode.FailedToParse,
				"$jsonSchema keyword 'encrypt' cannot be used in conjunction with '%s', 'encrypt' implies type 'bsonType::BinData'", other)
		}
	}
	return nil
}

func errMustBe(keyword, what string) error {
	return status.Errorf(errcode.TypeMismatch, "$jsonSchema keyword '%s' must be %s", keyword, what)
}
