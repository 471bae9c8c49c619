package model

import (
	"time"

	"github.com/specdrivers/onion/gen/load"
)

// Constants is a table of named values of one package, and its texts.
type Constants struct {
	Table, Package, Doc string
	Rows                []TypedConstant
	Messages            []Message
	MessageTable        string // empty when the package has no texts of this group
}

// TypedConstant is a duration, an int64 or a float64.
type TypedConstant struct {
	Name, Doc string
	Value     any
}

// NewSelectionConstants resolves the constants of server selection.
func NewSelectionConstants(t *load.Tables) *Constants {
	return newConstants(t, "selection/constants.yaml", "")
}

// NewRetryConstants resolves the constants and texts of retries.
func NewRetryConstants(t *load.Tables) *Constants {
	return newConstants(t, "retry/constants.yaml", "retry/messages.yaml")
}

// NewSessionConstants resolves the constants of sessions.
func NewSessionConstants(t *load.Tables) *Constants {
	return newConstants(t, "transactions/constants.yaml", "")
}

func newConstants(t *load.Tables, file, messageFile string) *Constants {
	in := t.Constants(file)
	out := &Constants{Table: file, Package: in.Package, Doc: in.Doc, MessageTable: messageFile}
	names := newGoNames(t)
	for _, r := range in.Rows {
		names.add(r.Name, r.At)
		sentence(t, r.At, r.Doc)
		out.Rows = append(out.Rows, TypedConstant{Name: r.Name, Doc: r.Doc, Value: constantValue(t, r)})
	}
	if messageFile != "" {
		out.Messages = newMessages(t, t.Messages(messageFile).Rows)
	}
	return out
}

func constantValue(t *load.Tables, r load.Constant) any {
	switch v := r.Value.(type) {
	case string:
		d, err := time.ParseDuration(v)
		if err != nil || r.Kind != "duration" {
			t.Problemf(r.At, "%s: %q is not a %s", r.Name, v, r.Kind)
		}
		return d
	case int64:
		if r.Kind == "int" {
			return v
		}
	case float64:
		if r.Kind == "float" {
			return v
		}
	}
	t.Problemf(r.At, "%s: %v is not a %s", r.Name, r.Value, r.Kind)
	return int64(0)
}
