package main

import (
	"regexp"
	"strings"
)

// mechanismName is the heading of a mechanism in the chapter about authentication: capitals, digits and hyphens.
var mechanismName = regexp.MustCompile(`^### ([A-Z]+(?:-[A-Z0-9]+)*)$`)

// otherMechanism matches a heading of a mechanism anywhere in a document.
var otherMechanism = regexp.MustCompile(`^(#+) ([A-Z]+(?:-[A-Z0-9]+)*)$`)

// noteMechanismLevel notes the heading of a mechanism at another level than theirs.
func (d *document) noteMechanismLevel(at int) {
	if m := otherMechanism.FindStringSubmatch(d.lines[at]); m != nil && m[1] != "###" && m[2] != "META" && m[2] != "URI" {
		d.note(d.errorf(at+1, "the heading of the mechanism %s is of another level", m[2]))
	}
}

// readMechanisms reads the names of the mechanisms. META is a heading of that form and names none.
func readMechanisms(open openFunc) ([]table, error) {
	d, err := open(authDoc)
	if err != nil {
		return nil, err
	}
	out := table{file: "auth/mechanisms.yaml", list: "rows", key: "mechanism"}
	for i, line := range d.lines {
		d.noteMechanismLevel(i)
		if m := mechanismName.FindStringSubmatch(line); m != nil && m[1] != "META" {
			out.rows = append(out.rows, row{key: m[1], facts: []fact{{"mechanism", m[1]}}})
		}
	}
	if len(out.rows) == 0 {
		return nil, d.errorf(1, "there are no mechanisms")
	}
	return []table{out}, nil
}

var (
	stateLine   = regexp.MustCompile(`^  state: ("[^;]+");$`)
	reasonLine  = regexp.MustCompile(`^   \*   - "(\w+)":`)
	stateOwners = map[string]string{"interface Connection {": "Connection", "interface ConnectionPool {": "Pool"}
	reasonTypes = map[string]string{"ConnectionClosedEvent": "ClosedReason", "ConnectionCheckOutFailedEvent": "CheckOutFailedReason"}
)

// readPoolStates reads the states of pools and connections from their declarations.
func readPoolStates(open openFunc) ([]table, error) {
	d, err := open(poolDoc)
	if err != nil {
		return nil, err
	}
	var out []table
	owner := ""
	for i, line := range d.lines {
		if name, opens := stateOwners[line]; opens {
			owner = name
		}
		m := stateLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if owner == "" {
			return nil, d.errorf(i+1, "the states of nothing")
		}
		t := table{file: "pool/states.yaml", within: []step{{"machines", "name", owner}}, list: "states", key: "text"}
		for _, text := range strings.Split(m[1], " | ") {
			text = strings.Trim(text, `"`)
			t.rows = append(t.rows, row{key: text, facts: []fact{{"text", text}}})
		}
		out = append(out, t)
		owner = ""
	}
	if len(out) != len(stateOwners) {
		return nil, d.errorf(1, "%d of %d declarations have states", len(out), len(stateOwners))
	}
	return out, nil
}

// readReasons reads the values that the comments of events list for the field reason.
func readReasons(open openFunc) ([]table, error) {
	d, err := open(poolDoc)
	if err != nil {
		return nil, err
	}
	var out []table
	for i, line := range d.lines {
		m := interfaceStart.FindStringSubmatch(line)
		if m == nil || reasonTypes[m[1]] == "" {
			continue
		}
		t := table{file: "events/reasons.yaml", within: []step{{"rows", "type", reasonTypes[m[1]]}}, list: "values", key: "value"}
		for _, below := range d.lines[i+1:] {
			if below == "}" {
				break
			}
			if v := reasonLine.FindStringSubmatch(below); v != nil {
				t.rows = append(t.rows, row{key: v[1], facts: []fact{{"value", v[1]}}})
			}
		}
		if len(t.rows) == 0 {
			return nil, d.errorf(i+1, "%s lists no reasons", m[1])
		}
		out = append(out, t)
	}
	if len(out) != len(reasonTypes) {
		return nil, d.errorf(1, "%d of %d events have reasons", len(out), len(reasonTypes))
	}
	return out, nil
}
