package expr

import (
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// depthMax bounds the nesting of expressions.
const depthMax = 180

type compiler struct {
	scope *Scope
	names []string // the variables in sight; the index is the slot
	slots int
	depth int
	now   time.Time
	varys bool // the expression reads the document or is random
}

// Compile checks and compiles an expression.
func Compile(v bson.RawValue, scope *Scope) (Node, error) {
	c := &compiler{scope: scope}
	if scope != nil {
		c.now = scope.Now
	}
	run, err := c.compile(v)
	if err != nil {
		return Node{}, err
	}
	return Node{run: run, slots: c.slots, collation: scope.collation(), constant: !c.varys}, nil
}

func literal(v bson.RawValue) eval {
	return func(*Env) (bson.RawValue, error) { return v, nil }
}

func (c *compiler) compile(v bson.RawValue) (eval, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, status.Errorf(errcode.Overflow, "BSONObj exceeded maximum nested object depth: %d", depthMax)
	}
	switch v.Type {
	case bsontype.String:
		s, _ := v.StringOK()
		if strings.HasPrefix(s, "$") {
			return c.reference(s)
		}
	case bsontype.Array:
		return c.array(v)
	case bsontype.EmbeddedDocument:
		return c.document(bson.Raw(v.Value))
	}
	return literal(v), nil
}

func (c *compiler) array(v bson.RawValue) (eval, error) {
	args, err := c.all(value.Elements(v))
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		values, err := evaluate(env, args)
		if err != nil {
			return bson.RawValue{}, err
		}
		return value.ArrayOf(values...), nil
	}, nil
}

func (c *compiler) all(values []bson.RawValue) ([]eval, error) {
	out := make([]eval, len(values))
	for i, v := range values {
		var err error
		if out[i], err = c.compile(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func evaluate(env *Env, args []eval) ([]bson.RawValue, error) {
	values := make([]bson.RawValue, len(args))
	for i, arg := range args {
		var err error
		if values[i], err = arg(env); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// document compiles an operator or a document of expressions.
func (c *compiler) document(d bson.Raw) (eval, error) {
	var keys []string
	var values []bson.RawValue
	for key, v := range d.All() {
		if strings.HasPrefix(key, "$") {
			if d.Len() != 1 {
				return nil, status.Errorf(15983, "an object representing an expression must have exactly one field: %s", status.Text(d))
			}
			return c.operator(key, v)
		}
		if strings.Contains(key, ".") {
			return nil, status.Errorf(16412, "FieldPath field names may not contain '.'. Consider using $getField or $setField.")
		}
		keys, values = append(keys, key), append(values, v)
	}
	fields, err := c.all(values)
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		dst, start := bson.AppendDocumentStart(nil)
		for i, field := range fields {
			v, err := field(env)
			if err != nil {
				return bson.RawValue{}, err
			}
			if !v.IsZero() {
				dst = bson.AppendRawValueElement(dst, keys[i], v)
			}
		}
		return value.Document(bson.AppendDocumentEnd(dst, start)), nil
	}, nil
}

// reference compiles "$field.path" or "$$variable.path".
func (c *compiler) reference(s string) (eval, error) {
	name, rest := "CURRENT", strings.TrimPrefix(s, "$")
	if strings.HasPrefix(rest, "$") {
		name, rest, _ = strings.Cut(rest[1:], ".")
	}
	base, err := c.variable(name)
	if err != nil || rest == "" && strings.HasPrefix(s, "$$") && !strings.HasSuffix(s, ".") {
		return base, err
	}
	fields := path.Parse(rest)
	for _, f := range fields {
		switch {
		case f == "":
			return nil, status.Errorf(15998, "FieldPath field names may not be empty strings.")
		case strings.HasPrefix(f, "$"):
			return nil, status.Errorf(16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.")
		case strings.Contains(f, "\x00"):
			return nil, status.Errorf(16411, "FieldPath field names may not contain '\\0'. Consider using $getField or $setField.")
		}
	}
	return func(env *Env) (bson.RawValue, error) {
		v, err := base(env)
		if err != nil {
			return v, err
		}
		return Follow(v, fields), nil
	}, nil
}

func (c *compiler) variable(name string) (eval, error) {
	for i := len(c.names) - 1; i >= 0; i-- {
		if c.names[i] == name {
			c.varys = true
			return func(env *Env) (bson.RawValue, error) { return env.slots[i], nil }, nil
		}
	}
	if c.scope != nil {
		if v, ok := c.scope.Vars[name]; ok {
			return literal(v), nil
		}
	}
	switch name {
	case "ROOT", "CURRENT":
		c.varys = true
		return func(env *Env) (bson.RawValue, error) { return env.root, nil }, nil
	case "REMOVE":
		return literal(bson.RawValue{}), nil
	case "NOW":
		if c.now.IsZero() {
			c.now = time.Now()
		}
		return literal(value.DateTime(c.now.UnixMilli())), nil
	case "CLUSTER_TIME":
		if c.scope != nil && !c.scope.ClusterTime.IsZero() {
			return literal(c.scope.ClusterTime), nil
		}
		return nil, status.Errorf(51144, "Builtin variable '$$CLUSTER_TIME' is not available")
	case "DESCEND", "PRUNE", "KEEP":
		return literal(value.String(strings.ToLower(name))), nil
	}
	if err := checkName(name); err != nil {
		return nil, err
	}
	return nil, status.Errorf(17276, "Use of undefined variable: %s", name)
}

// CheckVariable refuses what cannot be the name of a user's variable.
func CheckVariable(name string) error { return checkName(name) }

// checkName refuses what cannot be the name of a variable.
func checkName(name string) error {
	if name == "" {
		return status.Errorf(errcode.FailedToParse, "empty variable names are not allowed")
	}
	if c := name[0]; c < 'a' || c > 'z' && c < 0x80 {
		return status.Errorf(errcode.FailedToParse, "'%s' starts with an invalid character for a user variable name", name)
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && c < 0x80 && (c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z') {
			return status.Errorf(errcode.FailedToParse, "'%s' contains an invalid character for a variable name: '%c'", name, c)
		}
	}
	return nil
}

// bind puts a variable in sight and returns its slot; unbind takes the last n away.
func (c *compiler) bind(name string) int {
	c.names = append(c.names, name)
	c.slots = max(c.slots, len(c.names))
	return len(c.names) - 1
}

func (c *compiler) unbind(n int) { c.names = c.names[:len(c.names)-n] }

// Follow walks a path through documents; an array on the way gives an array of what its elements have.
func Follow(v bson.RawValue, fields path.Path) bson.RawValue {
	for i, f := range fields {
		switch v.Type {
		case bsontype.EmbeddedDocument:
			v = path.Field(bson.Raw(v.Value), f)
		case bsontype.Array:
			var out []bson.RawValue
			for _, e := range bson.Raw(v.Value).All() {
				if got := Follow(e, fields[i:]); !got.IsZero() {
					out = append(out, got)
				}
			}
			return value.ArrayOf(out...)
		default:
			return bson.RawValue{}
		}
	}
	return v
}
