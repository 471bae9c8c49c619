package unified

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// Span is what a span must look like.
type Span struct {
	Name       string
	Attributes any
	Nested     []Span
}

// Traces asserts that the client has made these spans and no others.
func (c *Client) Traces(want ...Span) { c.checkSpans(want, false) }

// TracesAmongOthers asserts that the client has made these spans.
func (c *Client) TracesAmongOthers(want ...Span) { c.checkSpans(want, true) }

func (c *Client) checkSpans(want []Span, others bool) {
	c.run.t.Helper()
	var got []*collectedSpan
	if c.spans != nil { // a client that observes no spans has none
		got = c.spans.outermostSpans()
	}
	if err := matchSpans(want, got, others, ""); err != nil {
		c.run.failf("%v\n%s", err, strings.Join(describeSpans(got, ""), "\n"))
	}
}

// spanCollector is a tracer that keeps spans as a tree.
type spanCollector struct {
	mu    sync.Mutex
	roots []*collectedSpan
}

// collectedSpan is a span that was made.
type collectedSpan struct {
	tracer     *spanCollector
	name       string
	attributes bson.D
	nested     []*collectedSpan
}

type spanKey struct{}

// Start implements options.Tracer.
func (t *spanCollector) Start(ctx context.Context, name string, _ time.Time, attributes []options.SpanAttribute) options.Span {
	s := &collectedSpan{tracer: t, name: name}
	s.SetAttributes(attributes)
	t.mu.Lock()
	defer t.mu.Unlock()
	if parent, ok := ctx.Value(spanKey{}).(*collectedSpan); ok && parent.tracer == t {
		parent.nested = append(parent.nested, s)
	} else {
		t.roots = append(t.roots, s)
	}
	return s
}

// Context implements options.Span.
func (s *collectedSpan) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, spanKey{}, s)
}

// Traceparent implements options.Span.
func (s *collectedSpan) Traceparent() string { return "" }

// SetAttributes implements options.Span.
func (s *collectedSpan) SetAttributes(attributes []options.SpanAttribute) {
	s.tracer.mu.Lock()
	defer s.tracer.mu.Unlock()
	for _, a := range attributes {
		value := any(a.Text)
		if a.IsNumber {
			value = a.Number
		}
		s.attributes = append(slices.DeleteFunc(s.attributes, func(e bson.E) bool { return e.Key == a.Key }),
			bson.E{Key: a.Key, Value: value})
	}
}

// End implements options.Span.
func (s *collectedSpan) End(error) {}

// outermostSpans returns the outermost spans, without the spans of fail points: the runner sets these, not the case.
func (t *spanCollector) outermostSpans() []*collectedSpan {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.roots), func(s *collectedSpan) bool {
		return slices.ContainsFunc(s.nested, func(n *collectedSpan) bool { return n.name == "configureFailPoint" })
	})
}

// matchSpans compares spans in order. Where others are allowed, they may be between the wanted ones.
func matchSpans(want []Span, got []*collectedSpan, others bool, path string) error {
	at := 0
	for i, w := range want {
		place := fmt.Sprintf("%sspan %d", path, i)
		var last error
		found := false
		for ; at < len(got) && !found; at++ {
			if last = matchSpan(w, got[at], others, place+" > "); last == nil {
				found = true
			} else if !others {
				return fmt.Errorf("%s: %w", place, last)
			}
		}
		if !found {
			if last != nil {
				return fmt.Errorf("%s, %q, is missing; the last one that was looked at: %w", place, w.Name, last)
			}
			return fmt.Errorf("%s, %q, is missing", place, w.Name)
		}
	}
	if !others && at < len(got) {
		return fmt.Errorf("%sspan %d, %q, is not expected", path, at, got[at].name)
	}
	return nil
}

func matchSpan(want Span, got *collectedSpan, others bool, path string) error {
	if got.name != want.Name {
		return fmt.Errorf("the name is %q, want %q", got.name, want.Name)
	}
	if want.Attributes != nil {
		if err := (matcher{}).match(want.Attributes, raw(got.attributes), true, ""); err != nil {
			return fmt.Errorf("%q: %w", want.Name, err)
		}
	}
	return matchSpans(want.Nested, got.nested, others, path)
}

func describeSpans(list []*collectedSpan, indent string) []string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s%s %s", indent, s.name, raw(s.attributes)))
		out = append(out, describeSpans(s.nested, indent+"\t")...)
	}
	return out
}
