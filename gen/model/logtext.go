package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// LogPart is a piece of a message's text: a literal, the value of a key, a segment that depends on an optional key,
// or a list of segments.
type LogPart struct {
	Literal string
	Key     *LogKey
	Segment *LogSegment
	List    *LogList
}

// LogSegment is text that is absent when its key is.
type LogSegment struct {
	Key   *LogKey
	Parts []LogPart
}

// LogList is a run of segments. Lead precedes the first that is present, Separator the others.
type LogList struct {
	Lead, Separator string
	Segments        []LogSegment
}

// logSpan is a stretch of a template that becomes one part.
type logSpan struct {
	start, end int
	part       LogPart
}

// logText cuts a template into parts. Every key of the message must appear, every placeholder must be a key, and the
// placeholder of an optional key must be in a segment.
func logText(t *load.Tables, r load.LogMessage, keys []LogKey) []LogPart {
	p := logTextParser{tables: t, row: r, keys: keys, used: map[string]bool{}}
	spans := p.spans()
	var out []LogPart
	at := 0
	for _, s := range spans {
		if s.start < at {
			t.Problemf(r.At, "segments of the template overlap at %q", r.Template[s.start:s.end])
			continue
		}
		out = append(out, p.parts(r.Template[at:s.start], nil)...)
		out = append(out, s.part)
		at = s.end
	}
	out = append(out, p.parts(r.Template[at:], nil)...)
	for _, k := range keys {
		if k.Key != "" && !p.used[k.Key] {
			t.Problemf(r.At, "the template has no placeholder {{%s}}", k.Key)
		}
	}
	return out
}

type logTextParser struct {
	tables *load.Tables
	row    load.LogMessage
	keys   []LogKey
	used   map[string]bool
}

// spans finds the segments and the list in the template, in order.
func (p *logTextParser) spans() []logSpan {
	var out []logSpan
	listed := map[string]bool{}
	if l := p.row.List; l != nil {
		list := &LogList{Lead: l.Lead, Separator: l.Separator}
		var texts []string
		for _, key := range l.Keys {
			listed[key] = true
			text, _ := p.row.Segments.Get(key)
			texts = append(texts, text)
			list.Segments = append(list.Segments, p.segment(key, text, l.At))
		}
		if start, end, ok := p.find(l.Lead+strings.Join(texts, l.Separator), l.At); ok {
			out = append(out, logSpan{start: start, end: end, part: LogPart{List: list}})
		}
	}
	for _, s := range p.row.Segments {
		if listed[s.Key] {
			continue
		}
		segment := p.segment(s.Key, s.Value, s.At)
		if start, end, ok := p.find(s.Value, s.At); ok {
			out = append(out, logSpan{start: start, end: end, part: LogPart{Segment: &segment}})
		}
	}
	slices.SortFunc(out, func(a, b logSpan) int { return cmp.Compare(a.start, b.start) })
	return out
}

func (p *logTextParser) segment(key, text string, at load.Pos) LogSegment {
	k := p.key(key)
	if k == nil || !k.Optional {
		p.tables.Problemf(at, "segment %s: the message has no optional key of that name", key)
	}
	return LogSegment{Key: k, Parts: p.parts(text, k)}
}

// find locates a stretch that must occur exactly once.
func (p *logTextParser) find(text string, at load.Pos) (start, end int, ok bool) {
	if n := strings.Count(p.row.Template, text); n != 1 || text == "" {
		p.tables.Problemf(at, "%q occurs %d times in the template", text, n)
		return 0, 0, false
	}
	start = strings.Index(p.row.Template, text)
	return start, start + len(text), true
}

// parts splits text at its placeholders; inside a segment only the segment's own key may appear.
func (p *logTextParser) parts(text string, own *LogKey) []LogPart {
	var out []LogPart
	for text != "" {
		before, rest, found := strings.Cut(text, "{{")
		if before != "" {
			out = append(out, LogPart{Literal: before})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}}")
		key := p.key(name)
		switch {
		case !closed:
			p.tables.Problemf(p.row.At, "the template has a placeholder that is never closed")
		case key == nil:
			p.tables.Problemf(p.row.At, "placeholder {{%s}} is not a key of the message", name)
		case own != nil && key != own:
			p.tables.Problemf(p.row.At, "placeholder {{%s}} is in the segment of %s", name, own.Key)
		case own == nil && key.Optional:
			p.tables.Problemf(p.row.At, "placeholder {{%s}} is optional but outside a segment", name)
		default:
			p.used[name] = true
			out = append(out, LogPart{Key: key})
		}
		text = after
	}
	return out
}

func (p *logTextParser) key(name string) *LogKey {
	for i := range p.keys {
		if p.keys[i].Key == name {
			return &p.keys[i]
		}
	}
	return nil
}
