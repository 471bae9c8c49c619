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
	level    int
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
	code := false
	for i, line := range d.lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if code || !strings.HasPrefix(line, "#") {
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
		titles[level] = title(m[2])
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
	d.spans = out
	return out
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
		text := strings.Join(paragraph, " ")
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
	code := false
	for _, line := range d.lines[s.from:s.to] {
		text := strings.Join(strings.Fields(line), " ")
		fence := strings.HasPrefix(text, "```")
		switch {
		case fence || code || isTableLine(line):
			flush()
			if text != "" && !isSeparator(line) {
				out = append(out, indentation(line, code)+text)
			}
			code = code != fence
		case text == "":
			flush()
		case strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") ||
			text[0] >= '0' && text[0] <= '9' && numberedItem.MatchString(text+" "):
			flush()
			paragraph = append(paragraph, indentation(line, true)+text)
		default:
			paragraph = append(paragraph, text)
		}
	}
	flush()
	return out
}

// indentation returns the white space at the start of a line where it matters: in code and before a list item.
func indentation(line string, matters bool) string {
	if !matters {
		return ""
	}
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
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
