package model

import "github.com/specdrivers/onion/gen/load"

// Trace is what the emitter of package trace sees.
type Trace struct {
	Attributes []load.TraceAttribute
	Operations []TraceOperation
}

// TraceOperation is one operation with the name of its constant.
type TraceOperation struct {
	Name, Text, Doc string
	Methods         []string
}

var (
	traceTypes  = []string{"string", "int64"}
	traceLevels = []string{"", "required", "available", "error", "conditional"}
)

// traceName is the constant for the name of an operation.
func traceName(operation string) string { return "Op" + fieldName(operation, "") }

// NewTrace resolves and checks the tables of tracing.
func NewTrace(t *load.Tables) *Trace {
	out := &Trace{}
	names := newGoNames(t)
	attributes := newUnique[string](t)
	for _, r := range t.TraceAttributes().Rows {
		names.add(r.Go, r.At)
		attributes.add(r.Attribute, r.Go, r.At, "attribute %s is named twice", r.Attribute)
		checkSentence(t, r.At, r.Doc)
		checkOneOf(t, r.At, "type", r.Type, traceTypes)
		checkOneOf(t, r.At, "operation", r.Operation, traceLevels)
		checkOneOf(t, r.At, "command", r.Command, traceLevels)
		if r.Operation == "" && r.Command == "" {
			t.Problemf(r.At, "attribute %s belongs to no span", r.Attribute)
		}
		out.Attributes = append(out.Attributes, r)
	}
	methods := newUnique[string](t)
	for _, r := range t.TraceOperations().Rows {
		o := TraceOperation{Name: traceName(r.Operation), Text: r.Operation, Doc: r.Doc, Methods: r.Methods}
		names.add(o.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		for _, m := range r.Methods {
			methods.add(m, r.Operation, r.At, "method %s is two operations", m)
		}
		out.Operations = append(out.Operations, o)
	}
	return out
}
