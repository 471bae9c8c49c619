package main

import (
	"regexp"
	"strings"
)

// dotStates and dotInputs are our names of the drawing's nodes and labels.
var (
	dotStates = map[string]string{
		"none": "None", "starting": "Starting", "in_progress": "InProgress", "committed": "Committed", "aborted": "Aborted",
		"error": "error",
	}
	dotInputs = map[string]string{"start": "Start", "insert": "Operation", "commit": "Commit", "abort": "Abort"}
	dotEdge   = regexp.MustCompile(`^(\w+) -> (\w+)(?: \[label="([a-z/]+)"\])?$`)
)

// readTransactionStates reads the edges of the drawing of transaction states.
func readTransactionStates(open func(string) (*document, error)) ([]table, error) {
	d, err := open("transactions/client-session-transaction-states.dot")
	if err != nil {
		return nil, err
	}
	machine := []step{{"machines", "name", ""}}
	out := table{file: "transactions/states.yaml", within: machine, list: "edges", key: "from+inputs"}
	initial := ""
	for i, line := range d.lines {
		if !strings.Contains(line, "->") {
			continue
		}
		m := dotEdge.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			d.note(d.errorf(i+1, "%q is not an edge", strings.TrimSpace(line)))
			continue
		}
		to, ok := dotStates[m[2]]
		if !ok {
			d.note(d.errorf(i+1, "there is no state %s", m[2]))
			continue
		}
		if m[1] == "initial" {
			initial = to
			continue
		}
		from, ok := dotStates[m[1]]
		if !ok {
			d.note(d.errorf(i+1, "there is no state %s", m[1]))
			continue
		}
		var inputs []string
		for label := range strings.SplitSeq(m[3], "/") {
			input, ok := dotInputs[label]
			if !ok {
				d.note(d.errorf(i+1, "there is no input %q", label))
				continue
			}
			inputs = append(inputs, input)
		}
		list := "[" + strings.Join(inputs, ", ") + "]"
		out.rows = append(out.rows, row{key: from + " " + list, facts: []fact{{"from", from}, {"inputs", list}, {"to", to}}})
	}
	machines := table{file: "transactions/states.yaml", list: "machines", key: "name", rows: []row{{facts: []fact{{"initial", initial}}}}}
	return []table{machines, out}, nil
}
