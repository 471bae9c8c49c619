package expr

import (
	"math"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// Scope is what an expression may refer to besides the document. The nil *Scope has no variables.
type Scope struct {
	// Vars are the variables of let, by name without $$; they do not change while a command runs.
	Vars map[string]bson.RawValue
	// Now is $$NOW; the zero time is the time of compilation.
	Now time.Time
	// ClusterTime is $$CLUSTER_TIME, or zero outside a replica set.
	ClusterTime bson.RawValue
	Collation   *collate.Collator
	// WireVersion is that of the server whose language is spoken; zero is the newest.
	WireVersion int32
}

// Wire is the wire version to compare features with.
func (s *Scope) Wire() int32 {
	if s == nil || s.WireVersion == 0 {
		return math.MaxInt32
	}
	return s.WireVersion
}

// With is the scope with more variables.
func (s *Scope) With(vars map[string]bson.RawValue) *Scope {
	out := Scope{Vars: map[string]bson.RawValue{}}
	if s != nil {
		out.Now, out.ClusterTime, out.Collation, out.WireVersion = s.Now, s.ClusterTime, s.Collation, s.WireVersion
		for name, v := range s.Vars {
			out.Vars[name] = v
		}
	}
	for name, v := range vars {
		out.Vars[name] = v
	}
	return &out
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
}

// eval computes a value; the zero value is a missing one.
type eval func(*Env) (bson.RawValue, error)

// Node is a compiled expression. It may be used by several goroutines.
type Node struct {
	run       eval
	slots     int
	collation *collate.Collator
	constant  bool
}

// Eval computes the expression for a document. A missing result is the zero value.
func (n Node) Eval(doc bson.Raw) (bson.RawValue, error) {
	return n.run(n.env(doc))
}

func (n Node) env(doc bson.Raw) *Env {
	return &Env{
		root:      bson.RawValue{Type: bsontype.EmbeddedDocument, Value: doc},
		slots:     make([]bson.RawValue, n.slots),
		collation: n.collation,
	}
}

// Test computes the expression as a condition.
func (n Node) Test(doc bson.Raw) (bool, error) {
	v, err := n.Eval(doc)
	return value.Truthy(v), err
}

// Constant reports an expression that does not depend on the document.
func (n Node) Constant() bool { return n.constant }
