package model

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Reference is what the emitter of REFERENCE.md sees: the rows of the tables in which users look things up.
type Reference struct {
	Client     []load.ClientOption
	URI        []ReferenceOption
	Operations []ReferenceOperation
	Decisions  []*DecisionGroup
	Codes      []load.ErrorCode
	Labels     []load.ErrorLabel
	Events     []load.Event
	Messages   []load.LogMessage
	CommonKeys map[string]string // component.key -> doc
	Rules      []load.DocumentationRule
	Departures []load.Departure
}

// ReferenceOption is one option of a connection string, with what its values may be.
type ReferenceOption struct {
	load.URIOption
	Takes string
}

// ReferenceOperation is one operation and how it is retried: as a read, as a write, or not at all.
type ReferenceOperation struct {
	Name, Command, Access, Retry, Doc string
}

var anchorForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// NewReference returns the function that gathers the tables, with these groups of decisions, and checks that every
// documentation rule has its place.
func NewReference(groups ...string) func(*load.Tables) *Reference {
	return func(t *load.Tables) *Reference { return newReference(t, groups) }
}

func newReference(t *load.Tables, groups []string) *Reference {
	out := &Reference{
		Client: t.Client().Rows, URI: referenceOptions(t.URI()), Codes: t.ErrorCodes().Rows, Labels: t.ErrorLabels().Rows,
		Events: t.Events().Rows, Messages: t.LogMessages().Rows, CommonKeys: map[string]string{},
	}
	for _, k := range t.LogKeys().Rows {
		out.CommonKeys[k.Component+"."+k.Key] = k.Doc
	}
	for _, c := range t.Commands() {
		for _, o := range c.Operations {
			out.Operations = append(out.Operations, ReferenceOperation{Name: o.Name, Command: c.Command, Access: c.Access,
				Retry: o.Retry, Doc: o.Doc})
		}
	}
	for _, group := range groups {
		out.Decisions = append(out.Decisions, NewDecisionGroup(group)(t))
	}
	anchors := newUnique[string](t)
	for _, r := range t.Documentation().Rows {
		if !anchorForm.MatchString(r.Anchor) {
			t.Problemf(r.At, "rule %q: %q is not an anchor", r.Title, r.Anchor)
		}
		anchors.add(r.Anchor, r.Title, r.At, "anchor %s is used twice", r.Anchor)
		checkSentence(t, r.At, r.Doc)
		if r.Spec == "" {
			t.Problemf(r.At, "rule %q names no specification", r.Title)
		}
		out.Rules = append(out.Rules, r)
	}
	for _, r := range t.Departures().Rows {
		if !anchorForm.MatchString(r.Anchor) {
			t.Problemf(r.At, "departure %q: %q is not an anchor", r.Title, r.Anchor)
		}
		anchors.add(r.Anchor, r.Title, r.At, "anchor %s is used twice", r.Anchor)
		checkSentence(t, r.At, r.Doc)
		if !strings.HasSuffix(r.Reason, ".") {
			t.Problemf(r.At, "departure %q: reason needs a sentence that ends with a full stop", r.Title)
		}
		if len(load.ParseReference(r.Spec).Sections) == 0 {
			t.Problemf(r.At, "departure %q names no section of a specification", r.Title)
		}
		out.Departures = append(out.Departures, r)
	}
	return out
}

// referenceOptions replaces a phrase with our own words if there are any.
func referenceOptions(in *load.URI) []ReferenceOption {
	words := map[string]string{}
	for _, v := range in.Values {
		words[v.Phrase] = v.Comment
	}
	var out []ReferenceOption
	for _, r := range in.Rows {
		phrase := cmp.Or(r.Accepts, r.Values)
		out = append(out, ReferenceOption{URIOption: r, Takes: cmp.Or(words[phrase], phrase)})
	}
	return out
}
