package main

import (
	"slices"
	"strings"
)

// passedOver lists the tables that no reader reads although one reads their document, by document and header, with the
// reason. If a table changes its form its reader misses it, and it shows up here.
var passedOver = []struct{ path, header, why string }{
	{authDoc, "Name|Friendly Name|Type|Description", "the roles and tenants of a cloud provider's console"},
	{authDoc, "Name|Value", "the variables of a cloud provider's shell"},
	{benchmarkDoc, "Phase|Description", "the steps of a benchmark, which tools/peerbench has by hand"},
	{"compression/OP_COMPRESSED.md", "Field|Description", "the layout of the message, which runtime/internal/conn has by hand"},
	{"message/OP_MSG.md", "Type|Meaning", "words of the document"},
	{"message/OP_MSG.md", "Field|Description", "the layout of the message, which runtime/internal/conn has by hand"},
	{"message/OP_MSG.md", "Operation|Minimum MongoDB Version", "servers that are older than all that we support"},
	{"message/OP_MSG.md", "Argument Name|Default Value|Description", "an option of command helpers"},
	{sdamLogDoc, "Event Type|Condition", "the conditions under which events are published are behavior"},
}

// unreadTables notes the tables of a document that no reader has read. It ignores documents in which no table is read:
// nothing of them is tabulated.
func (d *document) unreadTables() {
	if len(d.tables) == 0 {
		return
	}
	for i := 0; i < len(d.lines); i++ {
		if d.kind(i) != prose || !isTableLine(d.lines[i]) {
			continue
		}
		d.unreadTable(i)
		for i+1 < len(d.lines) && isTableLine(d.lines[i+1]) {
			i++
		}
	}
}

// unreadTable notes one table, by its first line, that has no header or that no reader has read.
func (d *document) unreadTable(at int) {
	if at+1 >= len(d.lines) || !isSeparator(d.lines[at+1]) {
		d.note(d.errorf(at+1, "rows of a table without a header"))
		return
	}
	header := strings.Join(cells(d.lines[at]), "|")
	passed := slices.ContainsFunc(passedOver,
		func(p struct{ path, header, why string }) bool { return p.path == d.path && p.header == header })
	if !passed && !d.tables[at] {
		d.note(d.errorf(at+1, "no reader reads the table with the columns %s", header))
	}
}

// isSeparator reports whether a line is the one below the header of a table.
func isSeparator(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "|") && strings.Trim(line, "|-: ") == "" && strings.Contains(line, "-")
}
