package emit

import (
	"fmt"
	"strings"
)

// page builds a page of Markdown.
type page struct{ b strings.Builder }

// writeText writes a block. An empty line separates it from the block before.
func (p *page) writeText(s string) {
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	p.b.WriteString(s + "\n")
}

func (p *page) writeContents(titles ...string) {
	var lines []string
	for _, t := range titles {
		lines = append(lines, fmt.Sprintf("- [%s](#%s)", t, strings.ReplaceAll(strings.ToLower(t), " ", "-")))
	}
	p.writeText(strings.Join(lines, "\n"))
}

// writeTable writes a table; cells are escaped.
func (p *page) writeTable(header []string, rows [][]string) {
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	line := func(cells []string) string {
		var out []string
		for _, c := range cells {
			out = append(out, escape.Replace(c))
		}
		return strings.TrimRight("| "+strings.Join(out, " | ")+" |", " ")
	}
	dashes := make([]string, len(header))
	for i := range dashes {
		dashes[i] = "---"
	}
	lines := []string{line(header), line(dashes)}
	for _, r := range rows {
		lines = append(lines, line(r))
	}
	p.writeText(strings.Join(lines, "\n"))
}

// formatCode formats a text as code. An empty text stays empty.
func formatCode(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func formatCodes(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, formatCode(s))
	}
	return strings.Join(out, ", ")
}
