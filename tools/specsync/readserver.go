package main

import (
	"regexp"
	"strings"
)

// readServerTypes reads the enumerations, the initial types, and when a topology is readable and writable.
func readServerTypes(open func(string) (*document, error)) ([]table, error) {
	d, err := open(sdamDoc)
	if err != nil {
		return nil, err
	}
	servers, err := readEnumeration(d, "ServerType", "servers")
	if err != nil {
		return nil, err
	}
	topologies, err := readEnumeration(d, "TopologyType", "topologies")
	if err != nil {
		return nil, err
	}
	events, err := open("server-discovery-and-monitoring/server-discovery-and-monitoring-logging-and-monitoring.md")
	if err != nil {
		return nil, err
	}
	if err := readAvailability(events, topologies.rows); err != nil {
		return nil, err
	}
	initial, err := readInitialTypes(d)
	return []table{servers, topologies, initial}, err
}

// readEnumeration reads a sentence that lists the members of a type.
func readEnumeration(d *document, title, list string) (table, error) {
	out := table{file: "server/types.yaml", list: list, key: "text"}
	at, err := d.section(title, 0)
	if err != nil {
		return out, err
	}
	for at < len(d.lines) && d.lines[at] == "" {
		at++
	}
	sentence, ok := strings.CutSuffix(d.paragraph(at), ".")
	if !ok {
		return out, d.errorf(at+1, "the list of a %s does not end with its paragraph", title)
	}
	for name := range strings.SplitSeq(strings.NewReplacer(", or ", ", ", " or ", ", ").Replace(sentence), ", ") {
		out.rows = append(out.rows, row{key: name, facts: []fact{{"text", name}}})
	}
	return out, nil
}

// readableWords are the words that cells begin with, and our words for them.
var readableWords = []struct{ opening, word string }{
	{"`true` if ", "available"}, {"Called with ", "preference"}, {"`true`", "always"}, {"`false`", "never"},
}

// readAvailability adds to each topology type when its servers can be read from and written to.
func readAvailability(d *document, topologies []row) error {
	at, err := d.section("Determining If A Topology Has Readable/Writable Servers", 0)
	if err != nil {
		return err
	}
	rows, err := d.table(at, "Topology Type", "`hasReadableServer`", "`hasWritableServer`")
	if err != nil {
		return err
	}
	for _, r := range rows {
		i := indexOf(topologies, r.cells[0])
		if i < 0 {
			d.note(d.errorf(r.line, "there is no topology type %s", r.cells[0]))
			continue
		}
		for c, column := range []string{1: "readable", 2: "writable"} {
			if column == "" {
				continue
			}
			word := ""
			for _, w := range readableWords {
				if word == "" && strings.HasPrefix(r.cells[c], w.opening) {
					word = w.word
				}
			}
			if word == "" {
				d.note(d.errorf(r.line, "%q is not one of the known rules", r.cells[c]))
				continue
			}
			topologies[i].facts = append(topologies[i].facts, fact{column, word})
		}
	}
	return nil
}

func readInitialTypes(d *document) (table, error) {
	out := table{file: "server/types.yaml", list: "initial", key: "directConnection+replicaSet"}
	at, err := d.section("Initial TopologyType", 0)
	if err != nil {
		return out, err
	}
	rows, err := d.table(at, "directConnection", "replicaSet present", "Initial TopologyType")
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		present, ok := map[string]string{"yes": "true", "no": "false"}[r.cells[1]]
		if !ok {
			d.note(d.errorf(r.line, "%q is neither yes nor no", r.cells[1]))
			continue
		}
		out.rows = append(out.rows, row{key: r.cells[0] + " " + present, facts: []fact{
			{"directConnection", r.cells[0]}, {"replicaSet", present}, {"topology", topologyName(r.cells[2])},
		}})
	}
	return out, nil
}

// topologyName and serverName are our names of the types called Unknown.
func topologyName(text string) string { return strings.Replace(text, "Unknown", "TopologyUnknown", 1) }

func serverName(text string) string { return strings.Replace(text, "Unknown", "ServerUnknown", 1) }

// readTransitions reads the TopologyType table.
func readTransitions(open func(string) (*document, error)) ([]table, error) {
	d, err := open(sdamDoc)
	if err != nil {
		return nil, err
	}
	at, err := d.section("TopologyType table", 0)
	if err != nil {
		return nil, err
	}
	topologies := []string{"Unknown", "Sharded", "ReplicaSetNoPrimary", "ReplicaSetWithPrimary"}
	header := []string{""}
	for _, t := range topologies {
		header = append(header, "TopologyType "+t)
	}
	rows, err := d.table(at, header...)
	if err != nil {
		return nil, err
	}
	out := table{file: "server/transitions.yaml", list: "rows", key: "server"}
	for _, r := range rows {
		name, ok := strings.CutPrefix(r.cells[0], "ServerType ")
		if !ok {
			d.note(d.errorf(r.line, "%q is not a server type", r.cells[0]))
			continue
		}
		x := row{key: serverName(name), facts: []fact{{"server", serverName(name)}}}
		for i, t := range topologies {
			actions, err := readTransitionActions(d, r, i+1)
			if d.note(err) {
				continue
			}
			x.facts = append(x.facts, fact{topologyName(t), actions})
		}
		out.rows = append(out.rows, x)
	}
	return []table{out}, nil
}

var (
	footnote      = regexp.MustCompile(`\[\^\d+\]`)
	actionLink    = regexp.MustCompile(`^\[(\w+)\]\(#\)$`)
	setTopology   = regexp.MustCompile(`^Set topology type to (\w+)$`)
	betweenAction = regexp.MustCompile(` then | and `)
)

// readTransitionActions reads a cell: no-op, or actions joined by "then" or "and".
func readTransitionActions(d *document, r mdRow, cell int) (string, error) {
	text := footnote.ReplaceAllString(r.cells[cell], "")
	if text == "no-op" {
		return "[]", nil
	}
	var actions []string
	for _, part := range betweenAction.Split(text, -1) {
		if m := setTopology.FindStringSubmatch(part); m != nil {
			actions = append(actions, "Set"+m[1])
		} else if m := actionLink.FindStringSubmatch(part); m != nil {
			actions = append(actions, strings.ToUpper(m[1][:1])+m[1][1:])
		} else {
			return "", d.errorf(r.line, "%q is not an action", part)
		}
	}
	return "[" + strings.Join(actions, ", ") + "]", nil
}

var (
	fieldBullet = regexp.MustCompile("^- (\\(=\\) )?((?:`\\w+`(?:, )?)+):")
	fieldName   = regexp.MustCompile("`(\\w+)`")
)

// readDescriptions reads the fields of the two descriptions and their equality marks.
func readDescriptions(open func(string) (*document, error)) ([]table, error) {
	d, err := open(sdamDoc)
	if err != nil {
		return nil, err
	}
	var out []table
	for _, x := range []struct {
		title, list string
		marked      bool
	}{{"TopologyDescription", "topology", false}, {"ServerDescription", "server", true}} {
		at, err := d.section(x.title, 0)
		if err != nil {
			return nil, err
		}
		t := table{file: "server/description.yaml", list: x.list, key: "field"}
		for ; at < len(d.lines) && !heading.MatchString(d.lines[at]); at++ {
			m := fieldBullet.FindStringSubmatch(d.lines[at])
			if m == nil {
				if isOtherBullet(d.lines[at]) {
					d.note(d.errorf(at+1, "the list has bullets of another form"))
				}
				if strings.HasPrefix(d.lines[at], "- ") {
					d.note(d.errorf(at+1, "the bullet does not open with the name of a field"))
				}
				continue
			}
			for _, name := range fieldName.FindAllStringSubmatch(m[2], -1) {
				facts := []fact{{"field", name[1]}}
				if x.marked {
					facts = append(facts, fact{"equal", map[bool]string{true: "true", false: "false"}[m[1] != ""]})
				}
				t.rows = append(t.rows, row{key: name[1], facts: facts})
			}
		}
		if len(t.rows) == 0 {
			return nil, d.errorf(at, "%s has no fields", x.title)
		}
		out = append(out, t)
	}
	return out, nil
}

// strangeBullet matches a list item that upstream does not write this way: with another sign, or indented.
var strangeBullet = regexp.MustCompile(`^(?:[*+]|[ \t]+[-*+]|\d+[.)]) `)

func isOtherBullet(line string) bool { return strangeBullet.MatchString(line) }

var staleText = regexp.MustCompile("^`?'[^'`*]+'`?$")

// readStale reads the texts of stale primaries. Upstream's rows have no names; ours go by the opening of the
// circumstance.
func readStale(open func(string) (*document, error)) ([]table, error) {
	d, err := open(sdamDoc)
	if err != nil {
		return nil, err
	}
	at, err := d.section("error", 0)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "circumstance", "error substring")
	if err != nil {
		return nil, err
	}
	names := map[string]string{"RSPrimary with a stale": "StalePrimary", "New primary is elected": "NewerPrimary"}
	out := table{file: "server/messages.yaml", list: "rows", key: "name", partial: true}
	for _, r := range rows {
		name := ""
		for opening, n := range names {
			if strings.HasPrefix(r.cells[0], opening) {
				name = n
			}
		}
		if name == "" {
			d.note(d.errorf(r.line, "%q is not one of the known circumstances", r.cells[0]))
			continue
		}
		if !staleText.MatchString(r.cells[1]) {
			d.note(d.errorf(r.line, "%q is not a text in quotation marks", r.cells[1]))
			continue
		}
		text := strings.NewReplacer("<stale tuple>", "{stale}", "<max tuple>", "{max}").Replace(strings.Trim(r.cells[1], "`'"))
		out.rows = append(out.rows, row{key: name, facts: []fact{{"name", name}, {"text", text}}})
	}
	return []table{out}, nil
}
