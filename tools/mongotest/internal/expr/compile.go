package expr

import (
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// depthMax limits the nesting of expressions.
const depthMax = 180

type compiler struct {
	scope *Scope
	names []string // the variables in scope; the index is the slot
	slots int
	depth int
	now   time.Time
	varys bool // the expression reads the document or is random
}

// Compile checks and compiles an expression.
func Compile(v bson.RawValue, scope *Scope) (Node, error) { return CompileWith(v, scope) }

// CompileWith compiles an expression that sees additional variables. EvalWith takes their values.
func CompileWith(v bson.RawValue, scope *Scope, names ...string) (Node, error) {
	c := &compiler{scope: scope}
	for _, name := range names {
		c.bind(name)
	}
	if scope != nil {
		c.now = scope.Now
	}
	run, err := c.compile(v)
	if err != nil {
		return Node{}, err
	}
	return Node{run: run, slots: c.slots, collation: scope.collation(), wire: scope.Wire(), check: scope.Check(), constant: !c.varys}, nil
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
	if first, ok := d.Index(0); ok && strings.HasPrefix(first.Key, "$") {
		if d.Len() != 1 {
			return nil, status.Errorf(errcode.Location15983,
				"An object representing an expression must have exactly one field: %s", status.Text(d))
		}
		return c.operator(first.Key, first.Value)
	}
	var keys []string
	var values []bson.RawValue
	seen := map[string]bool{}
	for key, v := range d.All() {
		if err := c.fieldName(key); err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, status.Errorf(16406, "duplicate field name specified in object literal: %s", status.Text(d))
		}
		seen[key] = true
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

// pathMax limits the number of components in a path.
const pathMax = 200

// fieldName refuses names that cannot be a component of a path.
func (c *compiler) fieldName(name string) error {
	hint := ""
	if c.scope.Wire() >= wire.Server50 {
		hint = " Consider using $getField or $setField."
	}
	switch {
	case name == "":
		return status.Errorf(errcode.Location15998, "FieldPath field names may not be empty strings.")
	case name[0] == '$' && !dollarFields[name]:
		return status.Errorf(errcode.Location16410, "FieldPath field names may not start with '$'.%s", hint)
	case strings.Contains(name, "\x00"):
		return status.Errorf(16411, "FieldPath field names may not contain '\\0'.")
	case strings.Contains(name, "."):
		return status.Errorf(16412, "FieldPath field names may not contain '.'.%s", hint)
	}
	return nil
}

// dollarFields are the names with a $ that a path may contain.
var dollarFields = map[string]bool{
	"$id": true, "$ref": true, "$db": true, "$sortKey": true, "$recordId": true, "$searchSortValues": true, "$searchScore": true,
}

// fieldPath splits a path into components.
func (c *compiler) fieldPath(s string) (path.Path, error) {
	switch {
	case s == "":
		return nil, status.Errorf(errcode.Location40352, "FieldPath cannot be constructed with empty string")
	case strings.HasSuffix(s, "."):
		return nil, status.Errorf(errcode.Location40353, "FieldPath must not end with a '.'.")
	}
	fields := path.Parse(s)
	if len(fields) > pathMax {
		return nil, status.Errorf(errcode.Overflow, "FieldPath is too long")
	}
	for _, f := range fields {
		if err := c.fieldName(f); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// CheckPath splits a path that appears outside an expression, without a $.
func CheckPath(s string, scope *Scope) (path.Path, error) {
	return (&compiler{scope: scope}).fieldPath(s)
}

// reference compiles "$field.path" or "$$variable.path".
func (c *compiler) reference(s string) (eval, error) {
	if s == "$" {
		return nil, status.Errorf(errcode.Location16872, "'$' by itself is not a valid FieldPath")
	}
	name, rest, dotted := "CURRENT", s[1:], true
	if rest[0] == '$' {
		if name, rest, dotted = strings.Cut(rest[1:], "."); dotted && rest == "" {
			return nil, status.Errorf(errcode.Location40353, "FieldPath must not end with a '.'.")
		}
		if err := c.checkRead(name); err != nil {
			return nil, err
		}
	}
	base, err := c.variable(name)
	if err != nil || !dotted {
		return base, err
	}
	fields, err := c.fieldPath(rest)
	if err != nil {
		return nil, err
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
		if v, ok := c.scope.late[name]; ok {
			c.varys = true
			return func(*Env) (bson.RawValue, error) { return *v, nil }, nil
		}
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
	}
	return nil, status.Errorf(errcode.Location17276, "Use of undefined variable: %s", name)
}

// CheckVariable refuses names that the let of a command cannot define.
func CheckVariable(name string) error { return (*Scope)(nil).CheckVariable(name) }

// CheckVariable refuses names that a user's variable cannot have.
func (s *Scope) CheckVariable(name string) error {
	if name == "CURRENT" {
		return nil
	}
	return checkName(name, false, s.Wire(), 16866, " for a user variable name")
}

// checkRead refuses names that no variable can have.
func (c *compiler) checkRead(name string) error {
	return checkName(name, true, c.scope.Wire(), 16869, " for a variable name")
}

// checkName refuses names that break the rules. Its three errors have codes of their own, counted from before. Since 5.0
// the code is always FailedToParse.
func checkName(name string, upper bool, version int32, before errcode.Code, use string) error {
	fail := func(which errcode.Code, format string, args ...any) error {
		code := errcode.FailedToParse
		if version < wire.Server50 {
			code = before + which
		}
		return status.Errorf(code, format, args...)
	}
	if name == "" {
		return fail(0, "empty variable names are not allowed")
	}
	if c := name[0]; c < 0x80 && (c < 'a' || c > 'z') && (!upper || c < 'A' || c > 'Z') {
		return fail(1, "'%s' starts with an invalid character%s", name, use)
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && c < 0x80 && (c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z') {
			return fail(2, "'%s' contains an invalid character for a variable name: '%c'", name, c)
		}
	}
	return nil
}

// bind adds a variable to the scope and returns its slot. unbind removes the last n.
func (c *compiler) bind(name string) int {
	c.names = append(c.names, name)
	c.slots = max(c.slots, len(c.names))
	return len(c.names) - 1
}

func (c *compiler) unbind(n int) { c.names = c.names[:len(c.names)-n] }

// Follow walks a path through documents. An array on the way yields an array of the values found in its documents.
func Follow(v bson.RawValue, fields path.Path) bson.RawValue {
	for i, f := range fields {
		switch v.Type {
		case bsontype.EmbeddedDocument:
			v = path.Field(bson.Raw(v.Value), f)
		case bsontype.Array:
			var out []bson.RawValue
			for _, e := range bson.Raw(v.Value).All() {
				if e.Type != bsontype.EmbeddedDocument {
					continue
				}
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
