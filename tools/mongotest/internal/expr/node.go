package expr

import (
	"maps"
	"math"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Scope holds what an expression may refer to, apart from the document. The nil *Scope has no variables.
type Scope struct {
	// Vars are the variables of let, by name without $$. They do not change while a command runs.
	Vars map[string]bson.RawValue
	// Now is $$NOW; the zero time is the time of compilation.
	Now time.Time
	// ClusterTime is $$CLUSTER_TIME, or zero outside a replica set.
	ClusterTime bson.RawValue
	Collation   *collate.Collator
	// WireVersion selects the server version whose language is compiled; zero is the newest.
	WireVersion int32
	// Unfolded leaves constant parts unevaluated, so their errors appear only when a document needs them.
	Unfolded bool
	// Interrupt stops a computation that takes too long; nil never stops one.
	Interrupt *interrupt.Check
	// Scripts runs JavaScript; nil refuses it.
	Scripts script.Engine
	// Roles lists the roles of Caller for $$USER_ROLES; nil is none.
	Roles  func(caller any) bson.RawValue
	Caller any
	// Meta is where $meta reads; nil is empty.
	Meta *Metadata

	late map[string]*bson.RawValue
}

// Wire returns the wire version that decides which features exist.
func (s *Scope) Wire() int32 {
	if s == nil || s.WireVersion == 0 {
		return math.MaxInt32
	}
	return s.WireVersion
}

// With returns a copy of the scope with additional variables.
func (s *Scope) With(vars map[string]bson.RawValue) *Scope {
	out := s.clone()
	for name, v := range vars {
		out.Vars[name] = v
		delete(out.late, name)
	}
	return out
}

// WithLate returns a copy of the scope with variables whose values the caller sets through the pointers before each
// evaluation. Expressions compiled in it belong to one goroutine.
func (s *Scope) WithLate(vars map[string]*bson.RawValue) *Scope {
	out := s.clone()
	for name, v := range vars {
		out.late[name] = v
		delete(out.Vars, name)
	}
	return out
}

func (s *Scope) clone() *Scope {
	out := Scope{}
	if s != nil {
		out = *s
	}
	out.Vars, out.late = maps.Clone(out.Vars), maps.Clone(out.late)
	if out.Vars == nil {
		out.Vars = map[string]bson.RawValue{}
	}
	if out.late == nil {
		out.late = map[string]*bson.RawValue{}
	}
	return &out
}

// Engine returns the scope's Scripts. A nil scope has none.
func (s *Scope) Engine() script.Engine {
	if s == nil {
		return nil
	}
	return s.Scripts
}

// Metadata returns the scope's Meta. A nil scope has none.
func (s *Scope) Metadata() *Metadata {
	if s == nil {
		return nil
	}
	return s.Meta
}

// Check returns the scope's Interrupt. A nil scope has none.
func (s *Scope) Check() *interrupt.Check {
	if s == nil {
		return nil
	}
	return s.Interrupt
}

func (s *Scope) collation() *collate.Collator {
	if s == nil {
		return nil
	}
	return s.Collation
}

// Env is the state of one evaluation.
type Env struct {
	root      bson.RawValue
	slots     []bson.RawValue
	collation *collate.Collator
	wire      int32
	check     *interrupt.Check
}

// eval computes a value. The zero value is a missing one.
type eval func(*Env) (bson.RawValue, error)

// Node is a compiled expression. It may be used by several goroutines.
type Node struct {
	run       eval
	slots     int
	collation *collate.Collator
	wire      int32
	check     *interrupt.Check
	constant  bool
}

// Eval evaluates the expression for a document. The zero value is a missing result.
func (n Node) Eval(doc bson.Raw) (bson.RawValue, error) {
	return n.run(n.env(doc))
}

// EvalWith evaluates an expression compiled by CompileWith. values are in the order of its names.
func (n Node) EvalWith(doc bson.Raw, values ...bson.RawValue) (bson.RawValue, error) {
	env := n.env(doc)
	copy(env.slots, values)
	return n.run(env)
}

func (n Node) env(doc bson.Raw) *Env {
	return &Env{
		root:      bson.RawValue{Type: bsontype.EmbeddedDocument, Value: doc},
		slots:     make([]bson.RawValue, n.slots),
		collation: n.collation,
		wire:      n.wire,
		check:     n.check,
	}
}

// Test evaluates the expression as a condition.
func (n Node) Test(doc bson.Raw) (bool, error) {
	v, err := n.Eval(doc)
	return value.IsTruthy(v), err
}

// Constant reports whether the expression does not depend on the document.
func (n Node) Constant() bool { return n.constant }

// FoldError is the error of a constant part of an expression. Such parts are evaluated after the expression is compiled.
type FoldError struct{ err error }

// Error returns the message of the evaluation error.
func (e *FoldError) Error() string { return e.err.Error() }

// Unwrap returns the evaluation error.
func (e *FoldError) Unwrap() error { return e.err }
