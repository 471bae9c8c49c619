package model

import (
	"cmp"
	"slices"

	"github.com/specdrivers/onion/gen/load"
)

// Errors is what the emitter of package errcode sees: codes by number, classes and labels in the order of the tables.
type Errors struct {
	Codes   []ErrorCode
	Classes []ErrorClass
	Labels  []ErrorLabel
}

// ErrorCode is one code of a server's reply.
type ErrorCode struct {
	Code      int32
	Name, Doc string
	Formerly  []string
	classes   []string
}

// ErrorClass is a set of codes, by number.
type ErrorClass struct {
	Name, Doc, Spec string
	Codes           []ErrorCode
	Substrings      []string // texts that classify a reply without a code
}

// ErrorLabel is one label.
type ErrorLabel struct {
	Name, Doc string
}

// NewErrors resolves and checks the tables of codes, classes and labels.
func NewErrors(t *load.Tables) *Errors {
	out := &Errors{Codes: errorCodes(t)}
	classes := t.ErrorClasses().Rows
	known := map[string]bool{}
	names := newGoNames(t)
	for _, r := range classes {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		if len(r.Union) == 0 {
			known[r.Name] = true
		}
	}
	for _, r := range t.ErrorCodes().Rows {
		for _, c := range r.Classes {
			if !known[c] {
				t.Problemf(r.At, "%s: there is no class %s", r.Name, c)
			}
		}
	}
	for _, r := range classes {
		out.Classes = append(out.Classes, errorClass(t, r, known, out.Codes))
	}
	labels := newGoNames(t)
	for _, r := range t.ErrorLabels().Rows {
		labels.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		out.Labels = append(out.Labels, ErrorLabel{Name: r.Name, Doc: r.Doc})
	}
	return out
}

func errorCodes(t *load.Tables) []ErrorCode {
	var out []ErrorCode
	names, numbers := newGoNames(t), newUnique[int32](t)
	for _, r := range t.ErrorCodes().Rows {
		numbers.add(r.Code, r.Name, r.At, "code %d is named twice", r.Code)
		if r.Code < 0 {
			t.Problemf(r.At, "%s: no reply carries the code %d", r.Name, r.Code)
		}
		for _, name := range append([]string{r.Name}, r.Formerly...) {
			names.add(name, r.At)
		}
		checkSentence(t, r.At, r.Doc)
		out = append(out, ErrorCode{Code: r.Code, Name: r.Name, Doc: r.Doc, Formerly: r.Formerly, classes: r.Classes})
	}
	slices.SortFunc(out, func(a, b ErrorCode) int { return cmp.Compare(a.Code, b.Code) })
	return out
}

// errorClass collects the codes of a class and checks the subset relations that its row declares.
func errorClass(t *load.Tables, r load.ErrorClass, known map[string]bool, codes []ErrorCode) ErrorClass {
	for _, name := range append(slices.Clone(r.Within), r.Union...) {
		if name == r.Name {
			t.Problemf(r.At, "%s lies within itself", r.Name)
		}
		if !known[name] {
			t.Problemf(r.At, "%s: there is no class %s of codes", r.Name, name)
		}
	}
	out := ErrorClass{Name: r.Name, Doc: r.Doc, Spec: r.Spec, Substrings: r.Substrings}
	for _, c := range codes {
		member := slices.Contains(c.classes, r.Name)
		for _, name := range r.Union {
			member = member || slices.Contains(c.classes, name)
		}
		if !member {
			continue
		}
		out.Codes = append(out.Codes, c)
		for _, name := range r.Within {
			if known[name] && !slices.Contains(c.classes, name) {
				t.Problemf(r.At, "%s lies within %s, but %s (%d) is not of that class", r.Name, name, c.Name, c.Code)
			}
		}
	}
	if len(out.Codes) == 0 {
		t.Problemf(r.At, "%s: no code is of this class", r.Name)
	}
	return out
}
