package main

import (
	"html"
	"regexp"
	"strings"
)

// lineKind is what a line of a document is part of.
type lineKind byte

const (
	prose lineKind = iota
	fence          // opens or closes a block of code
	code
)

// normalizeMarkdown rewrites a document in one of the many forms that say the same, and keeps each line where it is. Headings begin with
// #, bullets are dashes, lists are indented by four spaces a level, cells have a space on each side, emphasis is a star, fences
// are three backticks, and comments and the targets of links are gone. Readers and pins see only this form.
func normalizeMarkdown(text string) (lines []string, kinds []lineKind) {
	lines = strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	kinds = make([]lineKind, len(lines))
	b := blocks{}
	for i, line := range lines {
		lines[i], kinds[i] = b.classifyLine(strings.TrimRight(line, " \t\r"))
	}
	for i := range lines {
		if kinds[i] == prose {
			rewriteUnderline(lines, i)
		}
	}
	for i := 0; i < len(lines); i++ {
		if kinds[i] == prose && i+1 < len(lines) && kinds[i+1] == prose && isDelimiterRow(lines[i+1], lines[i]) {
			for ; i < len(lines) && kinds[i] == prose && lines[i] != "" && !heading.MatchString(lines[i]); i++ {
				lines[i] = rewriteTableRow(lines[i])
			}
		}
	}
	indent := lists{}
	for i := range lines {
		if kinds[i] == prose {
			lines[i] = indent.indentLine(rewriteInline(lines[i]))
		} else if kinds[i] == fence {
			lines[i] = "```"
		}
	}
	return lines, kinds
}

// blocks follows the blocks of code and the comments of a document, line by line.
type blocks struct {
	fence   string // what opened the block of code; empty outside of one
	indent  int    // of the fence
	comment bool
}

var opensFence = regexp.MustCompile("^( *)(`{3,}[^`]*|~{3,}.*)$")

func (b *blocks) classifyLine(line string) (string, lineKind) {
	line = expandTabs(line)
	bare := strings.TrimLeft(line, " ")
	switch {
	case b.fence != "":
		if run := strings.TrimRight(bare, " "); len(run) >= len(b.fence) && strings.Trim(run, b.fence[:1]) == "" {
			b.fence = ""
			return line, fence
		}
		return line[min(b.indent, len(line)-len(bare)):], code
	case b.comment:
		_, rest, ends := strings.Cut(line, "-->")
		if !ends {
			return "", prose
		}
		b.comment = false
		line = rest
	}
	if m := opensFence.FindStringSubmatch(line); m != nil {
		rest := strings.TrimLeft(m[2], m[2][:1])
		b.fence, b.indent = m[2][:len(m[2])-len(rest)], len(m[1])
		return line, fence
	}
	for {
		before, after, opens := strings.Cut(line, "<!--")
		if !opens || strings.Count(before, "`")%2 == 1 { // backticks quote it
			return strings.TrimRight(line, " "), prose
		}
		_, rest, ends := strings.Cut(after, "-->")
		if b.comment = !ends; b.comment {
			rest = ""
		}
		line = before + rest
	}
}

// expandTabs replaces each tab in front of a line by four spaces.
func expandTabs(line string) string {
	rest := strings.TrimLeft(line, " \t")
	return strings.ReplaceAll(line[:len(line)-len(rest)], "\t", "    ") + rest
}

var (
	hashHeading = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?$`)
	ruler       = regexp.MustCompile(`^ {0,3}(?:-[- ]*|=+|\*[* ]*\*[* ]*\*|_[_ ]*_[_ ]*_)$`)
	cellRule    = regexp.MustCompile(`^ *\|?(?: *:?-+:? *\|)* *:?-+:? *\|?$`)
)

// rewriteUnderline writes a heading with # where a line of dashes below makes it one, and drops horizontal rules.
func rewriteUnderline(lines []string, i int) {
	if m := hashHeading.FindStringSubmatch(lines[i]); m != nil {
		lines[i] = m[1] + " " + m[2]
	}
	if !ruler.MatchString(lines[i]) || strings.TrimSpace(lines[i]) == "-" {
		return
	}
	sign := strings.TrimSpace(lines[i])[0]
	if i > 0 && (sign == '=' || sign == '-' && !strings.Contains(strings.TrimSpace(lines[i]), " ")) && isParagraph(lines[i-1]) {
		lines[i-1] = map[byte]string{'=': "# ", '-': "## "}[sign] + strings.TrimSpace(lines[i-1])
	}
	lines[i] = ""
}

// isParagraph reports whether a line of dashes below would make the line a heading.
func isParagraph(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '|' && line[0] != '#' && line[0] != '>' && !listItem.MatchString(line)
}

// isDelimiterRow reports whether a line is the one below a header of a table.
func isDelimiterRow(line, header string) bool {
	return strings.Contains(line, "|") && strings.Contains(header, "|") && cellRule.MatchString(line)
}

// rewriteTableRow writes a row of a table with a bar at each end and a space around each cell.
func rewriteTableRow(line string) string {
	list := splitCells(line)
	for i, c := range list {
		list[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	return line[:len(line)-len(strings.TrimLeft(line, " "))] + "| " + strings.Join(list, " | ") + " |"
}

var listItem = regexp.MustCompile(`^( *)(?:[-*+]|(\d{1,9})[.)])( +|$)`)

// lists follows how deep a line is nested in lists.
type lists struct {
	at    []int // the indentation of the items around it
	blank bool  // the line before is empty
}

// indentLine indents a line by four spaces for each item that it is part of.
func (l *lists) indentLine(line string) string {
	bare := strings.TrimLeft(line, " ")
	if bare == "" {
		l.blank = true
		return ""
	}
	indent := len(line) - len(bare)
	m := listItem.FindStringSubmatch(line)
	for n := len(l.at); n > 0 && indent <= l.at[n-1] && (m != nil || l.blank || bare[0] == '#' || bare[0] == '|'); n-- {
		l.at = l.at[:n-1]
	}
	l.blank = false
	depth := min(len(l.at), indent) // the next line of a paragraph may be indented less than its item, and stays where it is
	if m != nil {
		l.at = append(l.at, indent)
		sign := "- "
		if m[2] != "" {
			sign = m[2] + ". "
		}
		bare = sign + bare[len(m[0])-indent:]
	}
	return strings.Repeat("    ", depth) + bare
}

var (
	linkTarget = regexp.MustCompile(`\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?: "[^"]*")?\)|\[[^\]^][^\]]*\])`)
	linkRow    = regexp.MustCompile(`^ {0,3}\[[^\]^]+\]: +\S+(?: "[^"]*")?$`)
	anchorLine = regexp.MustCompile(`^(?:<(a|span|div) (?:id|name)="[^"]*"></(?:a|span|div)>)+$`)
	underscore = regexp.MustCompile(`(^|[\s(|"])(_{1,2})([^\s_](?:[^_]*[^\s_])?)(_{1,2})($|[\s).,:;!?|"])`)
)

// rewriteInline leaves what stands between backticks as it is, and writes the rest in one form.
func rewriteInline(line string) string {
	if linkRow.MatchString(line) || strings.HasPrefix(line, "<") && anchorLine.MatchString(line) {
		return ""
	}
	if !strings.ContainsAny(line, "]_&") {
		return line
	}
	parts := strings.Split(line, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = linkTarget.ReplaceAllString(parts[i], "](#)")
		if plain := html.UnescapeString(parts[i]); strings.Count(plain, "|") == strings.Count(parts[i], "|") { // a bar would end a cell
			parts[i] = plain
		}
		if strings.Contains(parts[i], "_") {
			parts[i] = underscore.ReplaceAllStringFunc(parts[i], starEmphasis)
		}
	}
	return strings.Join(parts, "`")
}

func starEmphasis(text string) string {
	m := underscore.FindStringSubmatch(text)
	if m[2] != m[4] {
		return text
	}
	stars := strings.Repeat("*", len(m[2]))
	return m[1] + stars + m[3] + stars + m[5]
}
