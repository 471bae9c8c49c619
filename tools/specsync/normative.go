package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// normativeSentence is a sentence that asks something of drivers.
type normativeSentence struct {
	section string
	id      string // 12 hexadecimal digits, and a number where the section says the same again
	line    int    // where its paragraph begins, from 1
	text    string
	must    bool // MUST or MUST NOT; otherwise SHOULD alone
}

// isBinding reports whether a file of a checkout may ask something of drivers. Test plans ask it of tests, for which
// prosetests.yaml answers.
func isBinding(name string) bool {
	return isDocument(name) && !strings.Contains(name, "/tests/") && !strings.HasSuffix(name, "-tests.md") &&
		!strings.HasPrefix(path.Base(name), "README")
}

var (
	mustWord   = regexp.MustCompile(`\b(?:MUST|REQUIRED|SHALL)\b`)
	shouldWord = regexp.MustCompile(`\b(?:SHOULD|RECOMMENDED)\b`)
	boiler     = regexp.MustCompile(`RFC ?2119|rfc2119`)
	// unbindingTitles are titles of sections that ask nothing of drivers, with everything in them.
	unbindingTitles = regexp.MustCompile(`(?i)^(?:meta|change ?log|test plan|tests?|testing|spec tests|prose tests|unit tests)$`)
)

// normativeSentences lists the sentences of a document with MUST and SHOULD, in order: of paragraphs, lists, tables, and comments
// inside code.
func (d *document) normativeSentences() []normativeSentence {
	return remember(d, "normatives", func() []normativeSentence {
		var out []normativeSentence
		hidden := 0 // the level of a heading whose sections are left out
		for _, s := range d.sections() {
			if hidden > 0 && s.level > hidden {
				continue
			}
			hidden = 0
			if unbindingTitles.MatchString(strings.Trim(s.title, `"*`)) {
				hidden = s.level
				continue
			}
			seen := map[string]int{}
			for _, p := range d.paragraphs(s) {
				for _, text := range split(stripMarkup(p.text)) {
					must := mustWord.MatchString(text)
					if !must && !shouldWord.MatchString(text) || boiler.MatchString(text) {
						continue
					}
					sum := sha256.Sum256([]byte(text))
					id := hex.EncodeToString(sum[:6])
					if seen[id]++; seen[id] > 1 {
						id = fmt.Sprintf("%s/%d", id, seen[id])
					}
					out = append(out, normativeSentence{section: s.name, id: id, line: p.line, text: text, must: must})
				}
			}
		}
		return out
	})
}

// passage is a paragraph, an item of a list, a cell of a table or a comment.
type passage struct {
	line int // from 1
	text string
}

// paragraphs splits a section. Line breaks inside a passage do not matter, nor how code and lists are marked.
func (d *document) paragraphs(s span) []passage {
	var out []passage
	var open passage
	flush := func() {
		if open.text != "" {
			out = append(out, open)
		}
		open = passage{}
	}
	add := func(i int, text string) {
		if open.text == "" {
			open = passage{i + 1, text}
		} else {
			open.text += " " + text
		}
	}
	for i := s.from; i < s.to; i++ {
		text := strings.TrimSpace(d.lines[i])
		switch {
		case d.kind(i) == fence:
			flush()
		case d.kind(i) == code:
			before, comment, commented := cutComment(text)
			if before != "" || !commented || comment == "" || comment[0] == '@' || strings.HasPrefix(comment, "- ") {
				flush()
			}
			if !commented {
				comment = before
			}
			if comment != "" {
				add(i, strings.TrimPrefix(comment, "- "))
			}
			if !commented {
				flush()
			}
		case text == "" || isSeparator(d.lines[i]):
			flush()
		case isTableLine(text):
			flush()
			for _, cell := range splitCells(text) {
				out = append(out, passage{i + 1, cell})
			}
		default:
			text = strings.TrimSpace(strings.TrimLeft(text, "> "))
			if m := listItem.FindString(text); m != "" {
				flush()
				text = text[len(m):]
			}
			add(i, text)
		}
	}
	flush()
	return out
}

var commentMark = regexp.MustCompile(`(?:^|\s)(?://+|#+|/\*+|\*/|\*)(?:\s+|$)`)

// cutComment splits a line of code where its comment begins.
func cutComment(text string) (before, comment string, commented bool) {
	at := commentMark.FindStringIndex(text)
	if at == nil || at[0] > 0 && strings.TrimSpace(text[at[0]:at[1]]) == "*" {
		return text, "", false
	}
	comment = strings.TrimSpace(strings.TrimSuffix(text[at[1]:], "*/"))
	return strings.TrimSpace(text[:at[0]]), comment, true
}

var (
	linked    = regexp.MustCompile(`!?\[([^\[\]]*)\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?: "[^"]*")?\)|\[[^\]]*\])?`)
	markupTag = regexp.MustCompile(`</?[a-z]+(?: [^>]*)?/?>`)
)

// stripMarkup removes from a passage what says nothing: targets of links, emphasis, the typeface of code, tags and spaces.
func stripMarkup(text string) string {
	text = strings.ReplaceAll(plainWords(text), "[^]", "")
	text = linked.ReplaceAllString(text, "$1")
	text = markupTag.ReplaceAllString(text, " ")
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("`*_", r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

var (
	sentenceStop = regexp.MustCompile(`[.!?]["')\]]* `)
	abbreviated  = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "a.k.a.", "approx."}
)

// split divides a passage into sentences.
func split(text string) []string {
	var out []string
	from := 0
	for _, at := range sentenceStop.FindAllStringIndex(text, -1) {
		before := strings.ToLower(text[from : at[0]+1])
		next := text[at[1]:]
		small := next != "" && next[0] >= 'a' && next[0] <= 'z'
		if small || slices.ContainsFunc(abbreviated, func(a string) bool { return strings.HasSuffix(before, a) }) {
			continue
		}
		out = append(out, strings.TrimSpace(text[from:at[1]]))
		from = at[1]
	}
	if rest := strings.TrimSpace(text[from:]); rest != "" {
		out = append(out, rest)
	}
	return out
}
