package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestEditsOfTables: each change stands where it belongs, whatever the form of the row and of the list, and a second run
// has nothing left to do.
func TestEditsOfTables(t *testing.T) {
	goods := func(rows ...row) table { return table{file: "shop.yaml", list: "rows", key: "good", rows: rows} }
	good := func(name string, facts ...fact) row {
		return row{key: name, facts: append([]fact{{"good", name}}, facts...)}
	}
	class := func(name string, rows ...string) table {
		out := table{file: "shop.yaml", list: "rows", key: "good", members: "classes", member: name}
		for _, r := range rows {
			out.rows = append(out.rows, row{key: r})
		}
		return out
	}
	parts := func(of string, rows ...row) table {
		return table{file: "shop.yaml", within: []step{{"rows", "good", of}}, list: "parts", key: "part", rows: rows}
	}
	part := func(name string, facts ...fact) row {
		return row{key: name, facts: append([]fact{{"part", name}}, facts...)}
	}
	for _, c := range []struct {
		name, before string
		tables       []table
		after        string
		changes      int
	}{
		{"two columns of a row in braces, the later one first",
			"rows:\n  - {good: apple, code: 1, note: \"a, b\", size: 2}\n",
			[]table{goods(good("apple", fact{"size", "30"}, fact{"note", "longer: than it was"}, fact{"code", "1000"}))},
			"rows:\n  - {good: apple, code: 1000, note: \"longer: than it was\", size: 30}\n", 3},
		{"a column that comes and one that goes",
			"rows:\n  - {good: apple, code: 1, size: 2}\n",
			[]table{goods(good("apple", fact{"size", ""}, fact{"note", "x"}, fact{"code", ""}))},
			"rows:\n  - {good: apple, note: x}\n", 3},
		{"several classes at once",
			"rows:\n  - {good: apple, code: 1}\n  - good: bread\n    code: 2\n  - {good: cake, classes: []}\n",
			[]table{class("Red", "apple", "bread", "cake"), class("Old", "apple", "bread", "cake"), class("New", "apple", "bread", "cake")},
			"rows:\n  - {good: apple, classes: [Red, Old, New], code: 1}\n  - good: bread\n    classes: [Red, Old, New]\n    code: 2\n" +
				"  - {good: cake, classes: [Red, Old, New]}\n", 9},
		{"all classes go",
			"rows:\n  - {good: apple, classes: [Red,\n      Old, New], code: 1}\n",
			[]table{class("Red"), class("Old"), class("New")},
			"rows:\n  - {good: apple, classes: [], code: 1}\n", 3},
		{"a new row with a list of rows of its own",
			"rows:\n  - good: apple\n    doc: Apple grows.\n    parts:\n      - part: core\n        size: 1\n        doc: The core.\n",
			[]table{parts("pear", part("skin", fact{"size", "2"}), part("core", fact{"size", "3"})), goods(good("apple"), good("pear"))},
			"rows:\n  - good: apple\n    doc: Apple grows.\n    parts:\n      - part: core\n        size: 1\n        doc: The core.\n" +
				"  - good: pear\n    parts:\n      - {part: skin, size: 2, doc: \"Write what this row is about.\"}\n" +
				"      - {part: core, size: 3, doc: \"Write what this row is about.\"}\n    doc: \"Write what this row is about.\"\n", 3},
		{"a list of rows in a row in braces",
			"rows:\n  - {good: apple, parts: [{part: core, doc: \"The core.\"}]}\n  - {good: pear, parts: []}\n  - {good: fig, size: 1}\n",
			[]table{parts("apple", part("core"), part("skin")), parts("pear", part("stem")), parts("fig", part("seed"))},
			"rows:\n  - {good: apple, parts: [{part: core, doc: \"The core.\"}, {part: skin, doc: \"Write what this row is about.\"}]}\n" +
				"  - {good: pear, parts: [{part: stem, doc: \"Write what this row is about.\"}]}\n" +
				"  - {good: fig, parts: [{part: seed, doc: \"Write what this row is about.\"}], size: 1}\n", 3},
		{"rows that go",
			"rows:\n  # The first.\n  - {good: apple, parts: [{part: a}, {part: b}, {part: c}]}\n  - good: bread\n    doc: >-\n      Bread is\n      baked.\nothers:\n  - {good: x}\n",
			[]table{parts("apple", part("b")), goods(good("apple")), {file: "shop.yaml", list: "others", key: "good"}},
			"rows:\n  # The first.\n  - {good: apple, parts: [{part: b}]}\nothers: []\n", 4},
		{"a text on two lines",
			"rows:\n  - {good: apple, note: \"one\n      two\", code: 1}\n",
			[]table{goods(good("apple", fact{"note", "three"}, fact{"code", "2"}))},
			"rows:\n  - {good: apple, note: three, code: 2}\n", 2},
		{"signs of YAML within texts",
			"rows:\n  - {good: apple, note: 'it''s {here], #1', code: 1}\n",
			[]table{goods(good("apple", fact{"note", `say "no": {x}`}, fact{"code", "2"}))},
			"rows:\n  - {good: apple, note: \"say \\\"no\\\": {x}\", code: 2}\n", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, specs := writeMiniature(t, "", c.before)
			yields := func(openFunc) ([]table, error) { return c.tables, nil }
			for i, want := range []int{c.changes, 0} {
				var stdout, stderr bytes.Buffer
				o := options{from: from, specs: specs, accepts: &acceptances{ask: func(string) bool { return true }}}
				run(o, []reader{yields}, &stdout, &stderr)
				n := 0
				for line := range strings.Lines(stdout.String()) {
					if !strings.HasPrefix(line, "unwritten ") {
						n++
					}
				}
				if n != want || stderr.Len() > 0 {
					t.Errorf("run %d: %d changes, want %d:\n%s%s", i, n, want, &stdout, &stderr)
				}
				if text := read(t, specs); text != c.after {
					t.Errorf("run %d: the table is\n%swant\n%s", i, text, c.after)
				}
			}
		})
	}
}

// TestEditsThatFailWriteNothing: a value in a form that no edit knows is reported, and all tables stay.
func TestEditsThatFailWriteNothing(t *testing.T) {
	const before = "rows:\n  - good: apple\n    note: &a one\n    more: |\n      a block\n    code: 1\n"
	for column, value := range map[string]string{"more": "x", "note": "y"} {
		from, specs := writeMiniature(t, "", before)
		yields := func(openFunc) ([]table, error) {
			return []table{{file: "shop.yaml", list: "rows", key: "good", rows: []row{{"apple", []fact{{"code", "2"}, {column, value}}}}}}, nil
		}
		var stdout, stderr bytes.Buffer
		if code := run(options{from: from, specs: specs}, []reader{yields}, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "by hand") {
			t.Errorf("%s: exit %d, %s%s", column, code, &stdout, &stderr)
		}
		if text := read(t, specs); text != before {
			t.Errorf("%s: the table is\n%s", column, text)
		}
	}
}

// TestNewEventIsAddedOnce: an event with fields that upstream declares comes into the table of events once, and the next
// run has nothing to do.
func TestNewEventIsAddedOnce(t *testing.T) {
	from, specs := writeMiniature(t, "", content(t, "../../specs/events/events.yaml"))
	event := row{key: "PoolPaintedEvent", facts: []fact{{"event", "PoolPaintedEvent"}}}
	fields := table{file: "shop.yaml", within: []step{{"rows", "event", "PoolPaintedEvent"}}, list: "fields", key: "name", rows: []row{
		{"address", []fact{{"name", "address"}, {"type", "string"}}}, {"colour", []fact{{"name", "colour"}, {"type", "String"}}},
	}}
	yields := func(openFunc) ([]table, error) {
		return []table{fields, {file: "shop.yaml", list: "rows", key: "event", partial: true, rows: []row{event}}}, nil
	}
	text := ""
	for i := range 3 {
		var stdout, stderr bytes.Buffer
		run(options{from: from, specs: specs}, []reader{yields}, &stdout, &stderr)
		if added := strings.Count(stdout.String(), "added "); stderr.Len() > 0 || added != map[int]int{0: 3}[i] {
			t.Errorf("run %d adds %d rows: %s%s", i, added, &stdout, &stderr)
		}
		if after := read(t, specs); i > 0 && after != text {
			t.Errorf("run %d changes the table", i)
		} else {
			text = after
		}
	}
}
