package main

// errorTables are the tables of codes. Each is found after the first line with a text, and belongs to one class.
var errorTables = []struct{ class, path, after string }{
	{"RetryableRead", "retryable-reads/retryable-reads.md", "# Retryable Error"},
	{"RetryableWrite", "retryable-writes/retryable-writes.md", "RetryableWriteError Labels"},
	{"Resumable", "change-streams/change-streams.md", "# Resumable Error"},
	{"Recovering", sdamDoc, "indicate a replica set member is temporarily unusable"},
	{"NotWritablePrimary", sdamDoc, `error codes indicate a "not writable primary" error`},
	{"Shutdown", sdamDoc, `errors is defined to be "node is shutting down" errors`},
	{"ShardUnreachable", sdamDoc, "may be returned from a mongos when it cannot route"},
}

const sdamDoc = "server-discovery-and-monitoring/server-discovery-and-monitoring.md"

// readErrorClasses reads the codes of each class.
func readErrorClasses(open func(string) (*document, error)) ([]table, error) {
	var out []table
	for _, e := range errorTables {
		d, err := open(e.path)
		if err != nil {
			return nil, err
		}
		at, err := d.find(e.after)
		if d.note(err) {
			continue
		}
		rows, err := d.table(at, "Error Name", "Error Code")
		if d.note(err) {
			continue
		}
		t := table{file: "errors/codes.yaml", list: "rows", key: "code", members: "classes", member: e.class, source: e.path}
		for _, r := range rows {
			if _, err := d.digits(r, 1); d.note(err) {
				continue
			}
			t.rows = append(t.rows, row{key: r.cells[1], facts: []fact{{"code", r.cells[1]}, {"name", r.cells[0]}}})
		}
		out = append(out, t)
	}
	return out, nil
}

// readTrace reads the attributes of spans and the names of operations.
func readTrace(open func(string) (*document, error)) ([]table, error) {
	d, err := open("open-telemetry/open-telemetry.md")
	if err != nil {
		return nil, err
	}
	attributes := table{file: "trace/attributes.yaml", list: "rows", key: "attribute"}
	seen := map[string]bool{}
	for _, s := range []struct{ section, column string }{
		{"Operation Span Attributes", "operation"}, {"Command Span Attributes", "command"},
	} {
		at, err := d.section(s.section, 0)
		if err != nil {
			return nil, err
		}
		rows, err := d.table(at, "Attribute", "Type", "Description", "Requirement Level")
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			r, err := readAttribute(d, r, s.column)
			if d.note(err) {
				continue
			}
			if i := indexOf(attributes.rows, r.key); seen[r.key] {
				attributes.rows[i].facts = append(attributes.rows[i].facts, r.facts[2])
				continue
			}
			seen[r.key] = true
			attributes.rows = append(attributes.rows, r)
		}
	}
	operations, err := readTracedOperations(d)
	return []table{attributes, operations}, err
}

// levels are the cells of the requirement level, and our words for them.
var levels = map[string]string{
	"Required": "required", "Required if available": "available", "Required if an error happens": "error", "Conditional": "conditional",
}

func readAttribute(d *document, r mdRow, column string) (row, error) {
	name, err := d.codeText(r, 0)
	if err != nil {
		return row{}, err
	}
	typ, err := d.codeText(r, 1)
	if err != nil {
		return row{}, err
	}
	level, ok := levels[r.cells[3]]
	if !ok {
		return row{}, d.errorf(r.line, "%q is not a requirement level", r.cells[3])
	}
	return row{key: name, facts: []fact{{"attribute", name}, {"type", typ}, {column, level}}}, nil
}

func readTracedOperations(d *document) (table, error) {
	out := table{file: "trace/operations.yaml", list: "rows", key: "operation"}
	at, err := d.section("Covered operations", 0)
	if err != nil {
		return out, err
	}
	rows, err := d.table(at, "Operation", "Test")
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		name, err := d.codeText(r, 0)
		if d.note(err) {
			continue
		}
		if indexOf(out.rows, name) < 0 { // delete appears twice
			out.rows = append(out.rows, row{key: name, facts: []fact{{"operation", name}}})
		}
	}
	return out, nil
}

func indexOf(rows []row, key string) int {
	for i := range rows {
		if rows[i].key == key {
			return i
		}
	}
	return -1
}

// readStableAPI reads how a declared API version is mapped to command options.
func readStableAPI(open func(string) (*document, error)) ([]table, error) {
	d, err := open("versioned-api/versioned-api.md")
	if err != nil {
		return nil, err
	}
	at, err := d.section("Command Syntax", 0)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "ServerApi field", "Command option")
	if err != nil {
		return nil, err
	}
	out := table{file: "stableapi/fields.yaml", list: "rows", key: "field"}
	for _, r := range rows {
		field, err := d.codeText(r, 0)
		if d.note(err) {
			continue
		}
		command, err := d.codeText(r, 1)
		if d.note(err) {
			continue
		}
		out.rows = append(out.rows, row{key: field, facts: []fact{{"field", field}, {"command", command}}})
	}
	return []table{out}, nil
}
