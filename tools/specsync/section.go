package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// span is a section of a document, without the sections inside it.
type span struct {
	name     string // the heading; a repeated one has the headings around it in front
	title    string
	level    int // how many # its heading has
	depth    int // how many sections are around it
	from, to int // lines[from:to]; the heading is the line before
}

var leveled = regexp.MustCompile(`^(#+) +(.*?) *$`)

// sections lists the sections of a document in order. A # in a code block is not a heading.
func (d *document) sections() []span {
	if d.spans != nil {
		return d.spans
	}
	var out []span
	var titles [8]string
	seen := map[string]bool{}
	for i, line := range d.lines {
		if d.kind(i) != prose || !strings.HasPrefix(line, "#") {
			continue
		}
		m := leveled.FindStringSubmatch(line)
		if m == nil || len(m[1]) >= len(titles) {
			continue
		}
		if n := len(out); n > 0 {
			out[n-1].to = i
		} else if before := strings.TrimSpace(strings.Join(d.lines[:i], "")); before != "" {
			out = append(out, span{name: prologue, title: prologue, level: 1, to: i})
		}
		level := len(m[1])
		titles[level] = plainTitle(m[2])
		clear(titles[level+1:])
		s := span{name: titles[level], title: titles[level], level: level, from: i + 1, to: len(d.lines)}
		for up := level - 1; up > 0 && seen[s.name]; up-- {
			if titles[up] != "" {
				s.name = titles[up] + " / " + s.name
			}
		}
		for n := 2; seen[s.name]; n++ {
			s.name = fmt.Sprintf("%s (%d)", s.title, n)
		}
		seen[s.name] = true
		out = append(out, s)
	}
	if len(out) == 0 {
		out = []span{{name: prologue, title: prologue, level: 1, to: len(d.lines)}}
	}
	var open []int
	for i := range out {
		for len(open) > 0 && open[len(open)-1] >= out[i].level {
			open = open[:len(open)-1]
		}
		out[i].depth = len(open)
		open = append(open, out[i].level)
	}
	d.spans = out
	return out
}

// sectionAt returns the name of the section that holds a line.
func (d *document) sectionAt(line int) string {
	for _, s := range d.sections() {
		if s.from <= line && line < s.to {
			return s.name
		}
	}
	return ""
}

// prologue is the name of the text before the first heading.
const prologue = "before the first heading"

// sentenceEnd is where one sentence of a paragraph ends and the next begins.
var sentenceEnd = regexp.MustCompile(`[.!?:]["')\]*_` + "`" + `]* `)

// sentences splits a section into sentences, list items, rows of tables and lines of code. Line breaks
// inside a paragraph do not matter.
func (d *document) sentences(s span) []string {
	var out, paragraph []string
	flush := func() {
		text := plainWords(strings.Join(paragraph, " "))
		paragraph = nil
		for text != "" {
			at := sentenceEnd.FindStringIndex(text)
			if at == nil {
				out = append(out, text)
				return
			}
			out = append(out, text[:at[1]-1])
			text = text[at[1]:]
		}
	}
	var open []int // the indentations of the code around a line
	for i := s.from; i < s.to; i++ {
		line := d.lines[i]
		text := strings.Join(strings.Fields(line), " ")
		switch {
		case text == "" && d.kind(i) == prose:
			flush()
		case text == "" || isSeparator(line) && d.kind(i) == prose:
		case d.kind(i) != prose:
			flush()
			indent := len(line) - len(strings.TrimLeft(line, " "))
			if d.kind(i) == fence {
				open = nil
				continue
			}
			if text[0] == '*' && len(open) > 0 {
				indent = open[len(open)-1] // the comment goes on, however its stars are aligned
			}
			for len(open) > 0 && open[len(open)-1] >= indent {
				open = open[:len(open)-1]
			}
			out = append(out, strings.Repeat(" ", len(open)+1)+text)
			open = append(open, indent)
		case isTableLine(line):
			flush()
			out = append(out, plainWords(text))
		case text[0] == '-' || numberedItem.MatchString(text+" "):
			flush()
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			paragraph = append(paragraph, indent+numberedItem.ReplaceAllString(text, "1. "))
		default:
			paragraph = append(paragraph, text)
		}
	}
	flush()
	return out
}

var (
	anchorTag = regexp.MustCompile(`</?(?:a|span|div)(?: [^>]*)?>|\{#[\w.-]+\}`)
	escaped   = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)
	anyNote   = regexp.MustCompile(`\[\^[^\]]+\]`)
	typed     = strings.NewReplacer("\u201c", `"`, "\u201d", `"`, "\u2018", "'", "\u2019", "'", "\u00a0", " ",
		"\u2026", "...", "\ufeff", "", "\u200b", "", "<br/>", "<br>", "<br />", "<br>")
)

// plainWords leaves out what does not change the meaning of a sentence: anchors, the numbers of footnotes, escapes that
// stand for the sign after them, and how quotation marks are drawn.
func plainWords(text string) string {
	if strings.ContainsAny(text, "<{") {
		text = anchorTag.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "[^") {
		text = anyNote.ReplaceAllString(text, "[^]")
	}
	if strings.Contains(text, `\`) {
		text = escaped.ReplaceAllString(text, "$1")
	}
	return strings.TrimRight(typed.Replace(text), `\ `)
}

// hashes returns the fingerprints of sentences. They are long enough to show which are new, too short to hold any text.
func hashes(sentences []string) []string {
	var out []string
	for _, s := range sentences {
		sum := sha256.Sum256([]byte(s))
		out = append(out, hex.EncodeToString(sum[:2]))
	}
	return out
}

// fingerprint returns the fingerprint of a whole section.
func fingerprint(sentences []string) string {
	sum := sha256.Sum256([]byte(strings.Join(sentences, "\n")))
	return hex.EncodeToString(sum[:8])
}
