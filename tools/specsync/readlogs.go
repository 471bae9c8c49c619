package main

import (
	"regexp"
	"strings"
)

const (
	commandDoc = "command-logging-and-monitoring/command-logging-and-monitoring.md"
	poolDoc    = "connection-monitoring-and-pooling/connection-monitoring-and-pooling.md"
	sdamLogDoc = "server-discovery-and-monitoring/server-discovery-and-monitoring-logging-and-monitoring.md"
	selectDoc  = "server-selection/server-selection.md"
	loggingDoc = "logging/logging.md"
)

// logDocuments are the documents with log messages; common is the cell of the type in the table of common keys.
var logDocuments = []struct {
	component, path string
	header          []string
	typeCell        int
}{
	{"command", commandDoc, []string{"Key", "Suggested Type", "Value"}, 1},
	{"connection", poolDoc, []string{"Key", "Suggested Type", "Value"}, 1},
	{"topology", sdamLogDoc, []string{"Key", "Applicable Messages", "Suggested Type", "Value"}, 2},
	{"serverSelection", selectDoc, []string{"Key", "Suggested Type", "Value"}, 1},
}

// readLogs reads the messages of every component, their keys and templates, and the common keys.
func readLogs(open func(string) (*document, error)) ([]table, error) {
	messages := table{file: "logs/messages.yaml", list: "rows", key: "message"}
	common := table{file: "logs/keys.yaml", list: "rows", key: "component+key"}
	var out []table
	for _, c := range logDocuments {
		d, err := open(c.path)
		if err != nil {
			return nil, err
		}
		at, err := d.section("Common Fields", 0)
		if d.note(err) {
			continue
		}
		rows, err := d.table(at, c.header...)
		if d.note(err) {
			continue
		}
		for _, r := range rows {
			common.rows = append(common.rows, row{key: c.component + " " + r.cells[0], facts: []fact{
				{"component", c.component}, {"key", r.cells[0]}, {"type", r.cells[c.typeCell]},
			}})
		}
		found, keys, err := readLogMessages(d, rows[len(rows)-1].line, c.component)
		if d.note(err) {
			continue
		}
		messages.rows = append(messages.rows, found...)
		out = append(out, keys...)
	}
	return append(out, messages, common), nil
}

var messageCell = regexp.MustCompile(`^"([^"]+)"$`)

// readLogMessages reads each table of keys after a line. The first row is the message itself, and the template is below.
func readLogMessages(d *document, from int, component string) ([]row, []table, error) {
	var messages []row
	var keys []table
	for at := from; at < len(d.lines); at++ {
		if c := splitCells(d.lines[at]); !isTableLine(d.lines[at]) || len(c) != 3 || c[0] != "Key" || c[1] != "Suggested Type" {
			continue
		}
		rows, err := d.table(at, "Key", "Suggested Type", "Value")
		if d.note(err) {
			continue
		}
		last := rows[len(rows)-1].line
		m := messageCell.FindStringSubmatch(rows[0].cells[2])
		if rows[0].cells[0] != "message" || m == nil {
			d.note(d.errorf(rows[0].line, "the first key of a message is its text in quotation marks"))
			at = last
			continue
		}
		template, err := d.quotation(last)
		if d.note(err) {
			at = last
			continue
		}
		level, named := d.readLevel(at)
		if named != "" {
			component = named
		}
		messages = append(messages, row{key: m[1], facts: []fact{
			{"message", m[1]}, {"component", component}, {"level", level}, {"template", template},
		}})
		own := table{file: "logs/messages.yaml", within: []step{{"rows", "message", m[1]}}, list: "keys", key: "key"}
		for _, r := range rows[1:] {
			own.rows = append(own.rows, row{key: r.cells[0], facts: []fact{{"key", r.cells[0]}, {"type", r.cells[1]}}})
		}
		keys = append(keys, own)
		at = last
	}
	if len(messages) == 0 {
		return nil, nil, d.errorf(from, "there are no messages")
	}
	return messages, keys, nil
}

var (
	loggedAt  = regexp.MustCompile("logged at `(\\w+)` level")
	loggedFor = regexp.MustCompile("use the `(\\w+)` log component")
)

// readLevel returns the level of messages, and the component that they are for, as the last sentence before a line says.
func (d *document) readLevel(before int) (level, component string) {
	text := strings.Join(d.lines[:before], " ")
	for _, m := range loggedAt.FindAllStringSubmatch(text, -1) {
		level = strings.ToLower(m[1])
	}
	for _, m := range loggedFor.FindAllStringSubmatch(text, -1) {
		component = m[1]
	}
	return level, component
}

// readLogSettings reads the components and the levels.
func readLogSettings(open func(string) (*document, error)) ([]table, error) {
	d, err := open(loggingDoc)
	if err != nil {
		return nil, err
	}
	components := table{file: "logs/components.yaml", list: "rows", key: "name"}
	levels := table{file: "logs/levels.yaml", list: "rows", key: "name"}
	at, err := d.section("Components", 0)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "Component Name", "Specification(s)", "Environment Variable")
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		env, err := d.codeText(r, 2)
		if d.note(err) {
			continue
		}
		components.rows = append(components.rows, row{key: r.cells[0], facts: []fact{{"name", r.cells[0]}, {"env", env}}})
	}
	if at, err = d.section("Log Severity Levels", at); err != nil {
		return nil, err
	}
	rows, err = d.table(at, "Code", "Level Name", "Meaning", "Environment Variable value (case-insensitive)")
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		env, err := d.codeText(r, 3)
		if d.note(err) {
			continue
		}
		if _, err := d.digits(r, 0); r.cells[0] != "-" && d.note(err) {
			continue
		}
		levels.rows = append(levels.rows, row{key: r.cells[1], facts: []fact{{"name", r.cells[1]}, {"code", r.cells[0]}, {"env", env}}})
	}
	return []table{components, levels}, nil
}

// readSensitive reads the list of sensitive commands. The last row is conditional and names hello.
func readSensitive(open func(string) (*document, error)) ([]table, error) {
	d, err := open(commandDoc)
	if err != nil {
		return nil, err
	}
	at, err := d.section("Security", 0)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "Command")
	if err != nil {
		return nil, err
	}
	out := table{file: "logs/sensitive.yaml", list: "rows", key: "command"}
	for _, r := range rows {
		if name, condition, ok := strings.Cut(r.cells[0], " (or legacy hello) when "); ok &&
			condition == "`speculativeAuthenticate` is present" {
			r.cells[0] = name
			name, err := d.codeText(r, 0)
			if d.note(err) {
				continue
			}
			out.rows = append(out.rows, row{key: name, facts: []fact{{"command", name}, {"speculative", "true"}}})
			continue
		}
		name, err := d.codeText(r, 0)
		if d.note(err) {
			continue
		}
		out.rows = append(out.rows, row{key: name, facts: []fact{{"command", name}}})
	}
	return []table{out}, nil
}
