package main

import (
	"fmt"
	"regexp"
	"strings"
)

// document is one Markdown file of the specifications.
type document struct {
	path     string // below source/
	lines    []string
	kinds    []lineKind
	spans    []span         // its sections, set on first use
	tables   map[int]bool   // the header lines, from 0, of the tables that a reader has read
	toLast   bool           // each of its tables has to be read or listed
	problems []error        // what the reader did not understand in a row, and read past
	memory   map[string]any // what was found out about the text, for remembered; nil remembers nothing
}

// remember calls find once for each text, whichever copy of the document asks, and returns what it found.
func remember[T any](d *document, what string, find func() T) T {
	if d.memory == nil {
		return find()
	}
	found, known := d.memory[what]
	if !known {
		found = find()
		d.memory[what] = found
	}
	return found.(T)
}

// note keeps an error about one row, so the reader can go on with the next. It reports whether there was one.
func (d *document) note(err error) bool {
	if err != nil {
		d.problems = append(d.problems, err)
	}
	return err != nil
}

// errorAt is what a reader reports when it does not understand a line.
type errorAt struct {
	path string
	line int // from 1
	text string
}

func (e errorAt) Error() string { return fmt.Sprintf("%s:%d: %s", e.path, e.line, e.text) }

func (d *document) errorf(line int, format string, args ...any) error {
	return errorAt{path: d.path, line: line, text: fmt.Sprintf(format, args...)}
}

// parse reads a document. Files that are not Markdown keep their lines.
func parse(path string, data []byte) *document {
	d := &document{path: path, tables: map[int]bool{}}
	if isDocument(path) {
		d.lines, d.kinds = normalizeMarkdown(string(data))
		return d
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		d.lines = append(d.lines, strings.TrimRight(line, " \t\r"))
	}
	return d
}

// kind returns what a line is part of.
func (d *document) kind(i int) lineKind {
	if i < len(d.kinds) {
		return d.kinds[i]
	}
	return prose
}

var heading = regexp.MustCompile(`^#+ +(.*?) *$`)

// section returns the line after the heading with a title, which no other heading from a line on may have.
func (d *document) section(title string, from int) (int, error) {
	return d.onlyLine(from, fmt.Sprintf("there is no section %q", title), fmt.Sprintf("the section %q", title), func(i int) bool {
		m := heading.FindStringSubmatch(d.lines[i])
		return d.kind(i) == prose && m != nil && strings.Trim(m[1], "\"*") == title
	})
}

// find returns the line after the only line that holds a text.
func (d *document) find(text string) (int, error) {
	return d.onlyLine(0, fmt.Sprintf("no line says %q", text), fmt.Sprintf("the text %q", text),
		func(i int) bool { return strings.Contains(d.lines[i], text) })
}

// onlyLine returns the line after the one that is meant. It is an error if no line is meant, or several are.
func (d *document) onlyLine(from int, none, what string, meant func(i int) bool) (int, error) {
	found := 0
	for i := from; i < len(d.lines); i++ {
		switch {
		case !meant(i):
		case found > 0:
			return 0, d.errorf(i+1, "%s is also in line %d", what, found)
		default:
			found = i + 1
		}
	}
	if found == 0 {
		return 0, d.errorf(from+1, "%s", none)
	}
	return found, nil
}

// mdRow is one row of a Markdown table.
type mdRow struct {
	line  int
	cells []string
}

// table returns the next table at or after a line, without its header. The header must have the given cells, and the
// table must be in the same section as the line.
func (d *document) table(from int, header ...string) ([]mdRow, error) {
	i := from
	for i < len(d.lines) && !isTableLine(d.lines[i]) {
		if i > from && heading.MatchString(d.lines[i]) {
			return nil, d.errorf(from+1, "the section has no table")
		}
		i++
	}
	if i+1 >= len(d.lines) {
		return nil, d.errorf(from+1, "there is no table")
	}
	if got := splitCells(strings.ReplaceAll(d.lines[i], "**", "")); strings.Join(got, "|") != strings.Join(header, "|") {
		return nil, d.errorf(i+1, "the table has the columns %q, not %q", got, header)
	}
	if !isSeparator(d.lines[i+1]) || len(splitCells(d.lines[i+1])) != len(header) {
		return nil, d.errorf(i+2, "the header of the table is not followed by a line of %d dashes", len(header))
	}
	if d.tables != nil {
		d.tables[i] = true
	}
	rows, end := d.readRows(i+2, len(header))
	d.noteContinuation(end)
	if len(rows) == 0 {
		return nil, d.errorf(end, "the table has no rows")
	}
	return rows, nil
}

// readRows reads the rows of a table, and returns the line after them. It drops a reference to a footnote from a cell.
func (d *document) readRows(from, width int) (rows []mdRow, end int) {
	i := from
	for ; i < len(d.lines) && isTableLine(d.lines[i]); i++ {
		row := mdRow{line: i + 1, cells: splitCells(footnote.ReplaceAllString(d.lines[i], ""))}
		switch {
		case len(row.cells) != width:
			d.note(d.errorf(i+1, "the row has %d cells, not %d", len(row.cells), width))
		case decorated.MatchString(row.cells[0]):
			d.note(d.errorf(i+1, "%q is struck out, bold or a comment", row.cells[0]))
		default:
			rows = append(rows, row)
		}
	}
	return rows, i
}

// noteContinuation notes an error if a table seems to go on after its end: after an empty line, or without its bars.
func (d *document) noteContinuation(end int) {
	if end >= len(d.lines) {
		return
	}
	if d.lines[end] != "" && d.lines[end][0] != '#' {
		d.note(d.errorf(end+1, "the table goes on in another form"))
	}
	for end < len(d.lines) && d.lines[end] == "" {
		end++
	}
	if end+1 < len(d.lines) && isTableLine(d.lines[end]) && !isSeparator(d.lines[end+1]) {
		d.note(d.errorf(end+1, "rows of a table without a header"))
	}
}

// decorated matches a cell that has markup around the name of its row.
var decorated = regexp.MustCompile(`~~|<!--|^\*.*\*$`)

func isTableLine(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "|") }

// isSeparator reports whether a line is the one below the header of a table.
func isSeparator(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "|") && strings.Trim(line, "|-: ") == "" && strings.Contains(line, "-")
}

// splitCells splits a line of a table; \| is no separator.
func splitCells(line string) []string {
	const bar = "\x00"
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, bar)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	parts := strings.Split(line, "|")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(strings.ReplaceAll(p, bar, "|"))
	}
	return parts
}

// digits returns the whole number in a cell.
func (d *document) digits(r mdRow, cell int) (string, error) {
	if !wholeNumber.MatchString(r.cells[cell]) {
		return "", d.errorf(r.line, "%q is not a number", r.cells[cell])
	}
	return r.cells[cell], nil
}

var wholeNumber = regexp.MustCompile(`^-?\d+$`)

// codeText returns the content of a cell in the typeface of code.
func (d *document) codeText(r mdRow, cell int) (string, error) {
	text := r.cells[cell]
	if len(text) < 3 || text[0] != '`' || text[len(text)-1] != '`' || strings.Contains(text[1:len(text)-1], "`") {
		return "", d.errorf(r.line, "%q is not one name in the typeface of code", text)
	}
	return text[1 : len(text)-1], nil
}

// quotation returns the next block quote at or after a line, as one line of text.
func (d *document) quotation(from int) (string, error) {
	i := from
	for i < len(d.lines) && !strings.HasPrefix(d.lines[i], "> ") {
		if heading.MatchString(d.lines[i]) {
			return "", d.errorf(from+1, "the section has no template")
		}
		i++
	}
	var parts []string
	for ; i < len(d.lines) && strings.HasPrefix(d.lines[i], "> "); i++ {
		parts = append(parts, strings.TrimSpace(d.lines[i][2:]))
	}
	return strings.Join(parts, " "), nil
}
