package queryanalysis

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Result is what Analyze found.
type Result struct {
	// Command is what to send. If nothing in it is to be encrypted, it has the very bytes that Analyze got, except that with Queryable
	// Encryption it is in normal form even then.
	Command bson.Raw
	Marked  bool // Command holds placeholders
	Mode    Mode // of the schemas of the command; None if they encrypt no field
}

// Analyze marks the values of a command that are to be encrypted. Inspect yields the target, and schemas has an entry for each of
// its collections; the schema of Collection may be missing if the target brings a schema along, and takes precedence if it is there.
func Analyze(t Target, cmd bson.Raw, schemas Schemas) (Result, error) {
	same := Result{Command: cmd}
	if t.Class != Analyzed {
		return same, nil
	}
	a := &analysisRun{target: t, schemas: schemas}
	if err := a.resolve(); err != nil {
		return Result{}, err
	}
	if a.mode == None {
		return same, nil
	}
	same.Mode = a.mode
	a.env = expression.Env{Marker: &a.marker, Tree: a.tree}
	out, err := a.appendCommand(make([]byte, 0, len(cmd)+len(cmd)/2+512), cmd)
	if err != nil {
		return Result{}, err
	}
	if a.marker.Count == 0 && a.mode == CSFLE {
		return same, nil
	}
	return Result{Command: out, Marked: a.marker.Count > 0, Mode: a.mode}, nil
}

// analysisRun is the analysis of one command.
type analysisRun struct {
	target  Target
	schemas Schemas
	mode    Mode
	tree    *schema.Node // of the target's collection
	env     expression.Env
	marker  mark.Marker
}

// isQE reports whether the rules of Queryable Encryption apply.
func (a *analysisRun) isQE() bool { return a.mode == QE }

// resolve finds the schemas of all collections and checks that they go together.
func (a *analysisRun) resolve() error {
	own, err := a.targetSchema()
	if err != nil {
		return err
	}
	a.tree = own.node()
	a.mode = own.Mode()
	for _, name := range a.target.Collections {
		if name == a.target.Collection {
			continue
		}
		s, ok := a.schemas[name]
		if !ok {
			return unknownSchema(name)
		}
		switch m := s.Mode(); {
		case m == None || m == a.mode:
		case a.mode == None:
			a.mode = m
		default:
			return refusal.Text(a.target.Name, "", analysis.BothFamilies())
		}
	}
	return nil
}

func unknownSchema(name string) error {
	return refusal.New("", "", "the schema of collection %q is not known", name)
}

// targetSchema returns the schema of the target's collection.
func (a *analysisRun) targetSchema() (*Schema, error) {
	s, ok := a.schemas[a.target.Collection]
	switch {
	case ok:
		return s, nil
	case a.target.EncryptedFields != nil:
		return FromEncryptedFields(a.target.EncryptedFields)
	case a.target.JSONSchema != nil:
		return FromJSONSchema(a.target.JSONSchema, true)
	}
	return nil, unknownSchema(a.target.Collection)
}

// joinedTree returns the tree of a collection that a pipeline joins.
func (a *analysisRun) joinedTree(name string) (*schema.Node, error) {
	if name == a.target.Collection {
		return a.tree, nil
	}
	s, ok := a.schemas[name]
	if !ok {
		return nil, unknownSchema(name)
	}
	return s.node(), nil
}
