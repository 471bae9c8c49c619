package main

import (
	"regexp"
	"strings"
)

// readWire reads the flags of OP_MSG, the arguments that may be sections, compressors, levels and the commands that are
// not compressed.
func readWire(open func(string) (*document, error)) ([]table, error) {
	d, err := open("message/OP_MSG.md")
	if err != nil {
		return nil, err
	}
	flags, err := readMarkdownTable(d, "The currently defined flags are", []string{"Bit", "Name", "Request", "Response", "Description"},
		table{file: "wire/protocol.yaml", list: "flags", key: "name"}, readMsgFlag)
	if err != nil {
		return nil, err
	}
	sequences, err := readMarkdownTable(d, "MongoDB only allows certain command arguments", []string{"Command Name", "Command Argument"},
		table{file: "wire/protocol.yaml", list: "sequences", key: "command"},
		func(_ *document, r mdRow) (row, bool, error) {
			return row{key: r.cells[0], facts: []fact{{"command", r.cells[0]}, {"arguments", "[" + r.cells[1] + "]"}}}, true, nil
		})
	if err != nil {
		return nil, err
	}
	compression, err := readCompression(open)
	return append(compression, flags, sequences), err
}

// readMsgFlag reads a row of flags. The sign of a bit marks an optional one.
func readMsgFlag(d *document, r mdRow) (row, bool, error) {
	if _, err := d.digits(r, 0); err != nil {
		return row{}, false, err
	}
	name := strings.ToUpper(r.cells[1][:1]) + r.cells[1][1:]
	mark := func(cell int) string {
		if r.cells[cell] == "x" {
			return "true"
		}
		return "false"
	}
	return row{key: name, facts: []fact{{"name", name}, {"bit", r.cells[0]}, {"request", mark(2)}, {"response", mark(3)}}}, true, nil
}

func readCompression(open func(string) (*document, error)) ([]table, error) {
	d, err := open("compression/OP_COMPRESSED.md")
	if err != nil {
		return nil, err
	}
	compressors, err := readMarkdownTable(d, "Each compressor is assigned a predefined compressor ID",
		[]string{"compressorId", "Handshake Value", "Description"},
		table{file: "wire/compression.yaml", list: "compressors", key: "text"},
		func(d *document, r mdRow) (row, bool, error) {
			if _, err := d.digits(r, 0); err != nil && r.cells[1] != "reserved" {
				return row{}, false, err
			}
			return row{key: r.cells[1], facts: []fact{{"id", r.cells[0]}, {"text", r.cells[1]}}}, r.cells[1] != "reserved", nil
		})
	if err != nil {
		return nil, err
	}
	levels, err := readMarkdownTable(d, "Integer value from `-1` - `9`", []string{"Level", "Description"},
		table{file: "wire/compression.yaml", list: "levels", key: "value"},
		func(d *document, r mdRow) (row, bool, error) {
			_, err := d.digits(r, 0)
			return row{key: r.cells[0], facts: []fact{{"value", r.cells[0]}}}, true, err
		})
	if err != nil {
		return nil, err
	}
	commands, err := readUncompressible(d)
	return []table{compressors, levels, commands}, err
}

var commandBullet = regexp.MustCompile("^- (?:`(\\w+)`|legacy hello .*)$")

func readUncompressible(d *document) (table, error) {
	out := table{file: "wire/compression.yaml", list: "uncompressible", key: "command"}
	at, err := d.find("Messages using the following commands MUST NOT be compressed")
	if err != nil {
		return out, err
	}
	for ; at < len(d.lines) && !heading.MatchString(d.lines[at]); at++ {
		if isOtherBullet(d.lines[at]) {
			d.note(d.errorf(at+1, "the list has bullets of another form"))
			continue
		}
		if !strings.HasPrefix(d.lines[at], "- ") {
			continue
		}
		m := commandBullet.FindStringSubmatch(d.lines[at])
		if m == nil {
			d.note(d.errorf(at+1, "%q is not a command", d.lines[at]))
			continue
		}
		if m[1] != "" { // the legacy hello has two rows of ours
			out.rows = append(out.rows, row{key: m[1], facts: []fact{{"command", m[1]}}})
		}
	}
	return out, nil
}

var release = regexp.MustCompile(`^\d+\.\d+$`)

// readWireVersions reads the wire version of each release; of a release with two, the later holds.
func readWireVersions(open func(string) (*document, error)) ([]table, error) {
	d, err := open("wireversion-featurelist/wireversion-featurelist.md")
	if err != nil {
		return nil, err
	}
	out := table{file: "wire/versions.yaml", list: "rows", key: "server"}
	rows, err := d.table(0, "Server version", "Wire version", "Feature List")
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if !release.MatchString(r.cells[0]) {
			d.note(d.errorf(r.line, "%q is not a release", r.cells[0]))
			continue
		}
		if _, err := d.digits(r, 1); d.note(err) {
			continue
		}
		x := row{key: r.cells[0], facts: []fact{{"server", r.cells[0]}, {"wire", r.cells[1]}}}
		if n := len(out.rows); n > 0 && out.rows[n-1].key == x.key {
			out.rows[n-1] = x
			continue
		}
		out.rows = append(out.rows, x)
	}
	return []table{out}, nil
}

// readMarkdownTable reads the first table after a text. take says what a row means, and whether it is a row at all.
func readMarkdownTable(d *document, after string, header []string, out table,
	take func(*document, mdRow) (row, bool, error),
) (table, error) {
	at, err := d.find(after)
	if err != nil {
		return out, err
	}
	rows, err := d.table(at, header...)
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		x, ok, err := take(d, r)
		if d.note(err) {
			continue
		}
		if ok {
			out.rows = append(out.rows, x)
		}
	}
	return out, nil
}
