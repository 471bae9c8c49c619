package expr

import (
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileReference compiles "$field.path" or "$$variable.path".
func (c *compiler) compileReference(s string) (eval, error) {
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
	base, err := c.compileVariable(name)
	if err != nil || !dotted {
		return base, err
	}
	fields, err := c.splitFieldPath(rest)
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

func (c *compiler) compileVariable(name string) (eval, error) {
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
	case "USER_ROLES":
		switch {
		case c.scope.Wire() < wire.Server70:
		case c.scope == nil || c.scope.Roles == nil:
			return literal(value.ArrayOf()), nil
		default:
			return literal(c.scope.Roles(c.scope.Caller)), nil
		}
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
