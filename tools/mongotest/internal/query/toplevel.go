package query

import (
	"math/rand/v2"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func (c *compiler) compileTopLevel(key string, v bson.RawValue) (node, error) {
	switch key {
	case "$and", "$or", "$nor":
		return c.compileLogical(key, v)
	case "$comment":
		return nil, nil
	case "$expr", "$where", "$text":
		return c.compileWholeDocument(key, v)
	case "$jsonSchema":
		switch {
		case c.options.Plain:
			return nil, errNotAllowed(errcode.QueryFeatureNotAllowed, key)
		case v.Type != bsontype.EmbeddedDocument:
			return nil, status.Errorf(errcode.TypeMismatch, "$jsonSchema must be an object")
		}
		return c.compileSchema(bson.Raw(v.Value))
	case "$alwaysTrue", "$alwaysFalse":
		n, err := Integer(key, v)
		if err == nil && n != 1 {
			err = status.Errorf(errcode.FailedToParse, "%s must be an integer value of 1", key)
		}
		return constant(key == "$alwaysTrue"), err
	case "$sampleRate":
		if c.options.Scope.Wire() >= wire.Server44 {
			return c.compileSampleRate(v)
		}
	case "$ref", "$id", "$db":
		cond, err := c.compileEqual(v)
		return &leaf{key, cond, fieldOf(key)}, err
	}
	return nil, errUnknownTopLevel(key, c.options.Scope.Wire())
}

func errUnknownTopLevel(key string, version int32) error {
	hint := ". If you have a field name that starts with a '$' symbol, consider using $getField or $setField."
	switch {
	case version < wire.Server50:
		hint = ""
	case key == "$not":
		hint = ". If you are trying to negate an entire expression, use $nor."
	}
	return status.Errorf(errcode.BadValue, "unknown top level operator: %s%s", key, hint)
}

// compileWholeDocument compiles operators that are not allowed inside $elemMatch. $where fails without a JavaScript engine.
func (c *compiler) compileWholeDocument(key string, v bson.RawValue) (node, error) {
	if c.nested > 0 && !(key == "$where" && c.options.Plain) {
		return nil, status.Errorf(errcode.BadValue, "%s can only be applied to the top-level document", key)
	}
	switch {
	case c.options.Plain && key == "$expr":
		return nil, errNotAllowed(errcode.QueryFeatureNotAllowed, key)
	case c.options.Plain:
		return nil, errNotAllowed(errcode.BadValue, key)
	case key == "$where" && c.options.Scope.Engine() != nil:
		return c.compileWhere(v)
	case key == "$where":
		return nil, status.Errorf(errcode.BadValue, "no globalScriptEngine in $where parsing (mongotest runs no JavaScript)")
	case key == "$text":
		return c.compileText(v)
	}
	eval, err := expr.Compile(v, c.options.Scope)
	if err != nil {
		return nil, err
	}
	comparisons, err := c.comparisons(v, nil)
	return expression{eval, comparisons}, err
}

// compileSampleRate compiles $sampleRate. Each document matches with the given probability.
func (c *compiler) compileSampleRate(v bson.RawValue) (node, error) {
	if c.nested > 0 {
		return nil, status.Errorf(errcode.BadValue, "$sampleRate can only be applied to the top-level document")
	}
	if !number.Is(v.Type) {
		return nil, status.Errorf(errcode.BadValue, "argument to $sampleRate must be a numeric type")
	}
	rate := number.Float64(v)
	if !(rate >= 0 && rate <= 1) { // written so that NaN fails
		return nil, status.Errorf(errcode.BadValue, "numeric argument to $sampleRate must be in [0, 1]")
	}
	return sample(rate), nil
}

type sample float64

func (n sample) match(*Match, bson.Raw) bool { return rand.Float64() < float64(n) }

// compileDocument compiles a query document. All its fields must match.
func (c *compiler) compileDocument(filter bson.Raw) (node, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, status.Errorf(errcode.BadValue, "exceeded maximum query tree depth")
	}
	var nodes and
	for key, v := range filter.All() {
		var n node
		var err error
		if strings.HasPrefix(key, "$") {
			n, err = c.compileTopLevel(key, v)
		} else {
			n, err = c.compileField(key, v)
		}
		if err != nil {
			return nil, err
		}
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes.simplify(), nil
}

func (c *compiler) compileLogical(key string, v bson.RawValue) (node, error) {
	if v.Type != bsontype.Array {
		return nil, status.Errorf(errcode.BadValue, "%s must be an array", key)
	}
	if bson.Raw(v.Value).Len() == 0 {
		return nil, status.Errorf(errcode.BadValue, "$and/$or/$nor must be a nonempty array")
	}
	var children []node
	if key == "$nor" {
		c.nor++
		defer func() { c.nor-- }()
	}
	for _, e := range bson.Raw(v.Value).All() {
		if e.Type != bsontype.EmbeddedDocument {
			return nil, status.Errorf(errcode.BadValue, "$or/$and/$nor entries need to be full objects")
		}
		n, err := c.compileDocument(bson.Raw(e.Value))
		if err != nil {
			return nil, err
		}
		children = append(children, n)
	}
	switch {
	case key == "$nor":
		return not{or(children)}, nil
	case key == "$and" || len(children) == 1:
		return and(children).simplify(), nil
	}
	return or(children), nil
}
