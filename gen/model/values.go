package model

import (
	"strings"
	"time"

	"github.com/specdrivers/onion/gen/load"
)

// Values is what the emitter of constants sees: one file of a package.
type Values struct {
	File, Package, Doc string
	Rows               []Value
	Texts              []ValueTexts
}

// ValueTexts is a function from numbers to texts.
type ValueTexts struct {
	Name, Doc, Other string
	Rows             []Value
}

// Value is one value: text, integer, float or boolean, a duration, or a list of texts.
type Value struct {
	Name, Doc string
	Value     any
	Duration  *time.Duration
	List      []string
	Text      string
}

// NewValues returns the function that resolves and checks one table of constants.
func NewValues(file string) func(*load.Tables) *Values {
	return func(t *load.Tables) *Values {
		in := t.Values(file)
		out := &Values{File: file, Package: in.Package, Doc: in.Doc}
		names := newGoNames(t)
		for _, r := range in.Rows {
			names.add(r.Name, r.At)
			checkSentence(t, r.At, r.Doc)
			out.Rows = append(out.Rows, value(t, r))
		}
		for _, r := range in.Texts {
			names.add(r.Name, r.At)
			checkSentence(t, r.At, r.Doc)
			out.Texts = append(out.Texts, valueTexts(t, r, out.Rows))
		}
		return out
	}
}

func valueTexts(t *load.Tables, r load.ValueTexts, rows []Value) ValueTexts {
	out := ValueTexts{Name: r.Name, Doc: r.Doc, Other: r.Other}
	for _, v := range rows {
		if !strings.HasPrefix(v.Name, r.Prefix) {
			continue
		}
		if _, isNumber := v.Value.(int64); !isNumber || v.Text == "" {
			t.Problemf(r.At, "%s needs a number and a text for %s", r.Name, v.Name)
		}
		out.Rows = append(out.Rows, v)
	}
	if len(out.Rows) == 0 {
		t.Problemf(r.At, "no row has the prefix %s", r.Prefix)
	}
	return out
}

func value(t *load.Tables, r load.Value) Value {
	out := Value{Name: r.Name, Doc: r.Doc, Value: r.Value, Text: r.Text}
	given := 0
	if r.Value != nil {
		given++
	}
	if r.Duration != nil {
		given++
		d, err := time.ParseDuration(*r.Duration)
		if err != nil {
			t.Problemf(r.At, "%s: %s is not a duration", r.Name, *r.Duration)
		}
		checkNotNegative(t, r.At, r.Name, *r.Duration)
		out.Duration = &d
	}
	if r.List != nil {
		given++
		twice := newUnique[string](t)
		for _, w := range r.List {
			twice.add(w.Text, r.Name, w.At, "%q is listed twice", w.Text)
			out.List = append(out.List, w.Text)
		}
	}
	if given != 1 {
		t.Problemf(r.At, "%s needs one of value, duration and list", r.Name)
	}
	return out
}
