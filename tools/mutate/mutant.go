package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// mutant is one change to one table.
type mutant struct {
	target *target
	line   int // from 1
	was    string
	is     string
	text   string // the whole table with the change
}

func (m *mutant) String() string {
	return fmt.Sprintf("specs/%s:%d: %s -> %s", m.target.file, m.line, m.was, m.is)
}

// What is changed: switches, elements of lists, and numbers with or without a unit. Texts and names are not: they are
// documentation, or the compiler would notice.
var (
	switches = regexp.MustCompile(`: (true|false)\b`)
	lists    = regexp.MustCompile(`\[([A-Za-z][\w-]*(?:, [A-Za-z][\w-]*)*)\]`)
	numbers  = regexp.MustCompile(`\b(min|max|priority|value|duration|size|maxBytes): (-?\d+)(\.\d+)?([a-z]*)\b`)
	prose    = regexp.MustCompile(`\b(doc|spec|override|comment|document|text|template|title|fields|phrase)(: \[[^\]]*\]|: '[^']*'|: "[^"]*"|: \{[^}]*\}|: [^,{}\[\]]*)`)
)

// mutants lists every change that can be made to a table.
func mutants(t *target, table string) []*mutant {
	lines := strings.Split(table, "\n")
	var all []*mutant
	add := func(i, start, end int, with string) {
		changed := append([]string(nil), lines...)
		changed[i] = lines[i][:start] + with + lines[i][end:]
		all = append(all, &mutant{t, i + 1, lines[i][start:end], with, strings.Join(changed, "\n")})
	}
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		data := blank(line)
		for _, m := range switches.FindAllStringSubmatchIndex(data, -1) {
			add(i, m[2], m[3], map[string]string{"true": "false", "false": "true"}[data[m[2]:m[3]]])
		}
		for _, m := range lists.FindAllStringSubmatchIndex(data, -1) {
			items := strings.Split(data[m[2]:m[3]], ", ")
			for k := range items {
				rest := append(append([]string(nil), items[:k]...), items[k+1:]...)
				add(i, m[2], m[3], strings.Join(rest, ", "))
			}
		}
		for _, m := range numbers.FindAllStringSubmatchIndex(data, -1) {
			n, err := strconv.Atoi(data[m[4]:m[5]])
			if err == nil {
				add(i, m[4], m[5], strconv.Itoa(n+1))
			}
		}
	}
	return all
}

// blank replaces what is prose in a line by spaces, so that places stay what they are.
func blank(line string) string {
	return prose.ReplaceAllStringFunc(line, func(s string) string { return strings.Repeat(" ", len(s)) })
}
