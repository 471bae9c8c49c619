package main

import (
	"regexp"
	"slices"
	"strings"
)

const benchmarkDoc = "benchmarking/benchmarking.md"

// benchmarkGroups are the chapters of benchmarks. The document has two spellings of a chapter: in its heading, and in
// the formulas of the scores.
var benchmarkGroups = map[string]string{
	"BSON micro-benchmarks": "bson", "Single-Doc Benchmarks": "single", "Multi-Doc Benchmarks": "multi", "Parallel": "parallel",
	"BSON": "bson", "Single-doc": "single", "Multi-doc": "multi",
}

// benchmarkAliases are the names in formulas that differ from the headings.
var benchmarkAliases = map[string]string{
	"Run Command": "Run command", "Find one": "Find one by ID", "Find many and empty cursor": "Find many and empty the cursor",
}

// benchmark is what its section and the formulas say.
type benchmark struct {
	name, group, dataset, operations, bytes string
	composites                              []string
}

var (
	designated = regexp.MustCompile(`^Dataset: The dataset, designated (\w+)(?: \([^)]*[dD]isk (?:file|directory) ` + "`([^`]+)`" + `\))?`)
	// otherParagraph matches a paragraph about data sets in a form that the reader does not know.
	otherParagraph = regexp.MustCompile(`^(?:\s+|[-*+_>] *)+Dataset(?: size)?:`)
	timesSize      = regexp.MustCompile(
		`\(([\d,]+) bytes\) times ([\d,]+) operations(?: \(insert \+ replace\))?, which equals ([\d,]+) bytes or`)
	onceSize    = regexp.MustCompile(`the size of the source file \(([\d,]+) bytes\) times 1 operation or`)
	totalSize   = regexp.MustCompile(`the total size of all source files: ([\d,]+) bytes or`)
	inventSize  = regexp.MustCompile(`use ([\d,]+) bytes \(([\d,]+) x the size of`)
	averageOf   = regexp.MustCompile(`^Average of all (\S+) micro-benchmarks(?:, except "([^"]+)")?$`)
	averageList = regexp.MustCompile(`^Average of ("[^"]+"(?:, (?:and )?"[^"]+")*) micro-?benchmarks$`)
	averageTwo  = regexp.MustCompile(`^Average of (\w+) and (\w+)$`)
	quoted      = regexp.MustCompile(`"([^"]+)"`)
)

// readBenchmarks reads each benchmark's chapter, data set, size and the scores that count it.
func readBenchmarks(open func(string) (*document, error)) ([]table, error) {
	d, err := open(benchmarkDoc)
	if err != nil {
		return nil, err
	}
	from, err := d.section("Micro-benchmark definitions", 0)
	if err != nil {
		return nil, err
	}
	scores, err := d.section("Composite score calculation", from)
	if err != nil {
		return nil, err
	}
	list, sets, err := readBenchmarkSections(d, from, scores-1)
	if err != nil {
		return nil, err
	}
	if err := readBenchmarkScores(d, scores, list); err != nil {
		return nil, err
	}
	out := table{file: "benchmarks.yaml", list: "rows", key: "name"}
	for _, b := range list {
		facts := []fact{{"name", b.name}, {"group", b.group}}
		if b.dataset != "" {
			facts = append(facts, fact{"dataset", b.dataset})
		}
		if b.operations != "" {
			facts = append(facts, fact{"operations", b.operations})
		}
		facts = append(facts, fact{"bytes", b.bytes}, fact{"composites", "[" + strings.Join(b.composites, ", ") + "]"})
		out.rows = append(out.rows, row{key: b.name, facts: facts})
	}
	return []table{sets, out}, nil
}

func readBenchmarkSections(d *document, from, to int) ([]*benchmark, table, error) {
	sets := table{file: "benchmarks.yaml", list: "datasets", key: "dataset"}
	var list []*benchmark
	group := ""
	for i := from; i < to; i++ {
		line := d.lines[i]
		switch {
		case strings.HasPrefix(line, "### "):
			if group = benchmarkGroups[line[4:]]; group == "" {
				return nil, sets, d.errorf(i+1, "%q is not a chapter of benchmarks", line[4:])
			}
		case strings.HasPrefix(line, "#####") || strings.HasPrefix(line, "## "):
			d.note(d.errorf(i+1, "%q is neither a chapter nor a benchmark", line))
		case strings.HasPrefix(line, "#### "):
			if group == "" {
				d.note(d.errorf(i+1, "%q is not in a chapter", line))
			}
			list = append(list, &benchmark{name: line[5:], group: group})
		case otherParagraph.MatchString(line):
			d.note(d.errorf(i+1, "the paragraph about a data set is indented or in a list"))
		case strings.HasPrefix(line, "Dataset: ") && line != "Dataset: n/a":
			m := designated.FindStringSubmatch(d.paragraph(i))
			if m == nil || len(list) == 0 {
				return nil, sets, d.errorf(i+1, "%q names no data set", line)
			}
			list[len(list)-1].dataset = m[1]
			if m[2] != "" {
				sets.rows = append(sets.rows, row{key: m[1], facts: []fact{{"dataset", m[1]}, {"file", m[2]}}})
			}
		case strings.HasPrefix(line, "Dataset size: "):
			if len(list) == 0 || !list[len(list)-1].readSize(d.paragraph(i), &sets) {
				return nil, sets, d.errorf(i+1, "%q names no size", line)
			}
		}
	}
	for _, b := range list {
		if b.bytes == "" {
			return nil, sets, d.errorf(from, "%s has no size", b.name)
		}
	}
	return list, sets, nil
}

// readSize reads the paragraph about a size, and records it for the data set if the data set is new.
func (b *benchmark) readSize(text string, sets *table) bool {
	number := func(s string) string { return strings.ReplaceAll(s, ",", "") }
	bytes := ""
	if m := timesSize.FindStringSubmatch(text); m != nil {
		bytes, b.operations, b.bytes = number(m[1]), number(m[2]), number(m[3])
	} else if m := onceSize.FindStringSubmatch(text); m != nil {
		bytes, b.operations, b.bytes = number(m[1]), "1", number(m[1])
	} else if m := totalSize.FindStringSubmatch(text); m != nil {
		bytes, b.bytes = number(m[1]), number(m[1])
	} else if m := inventSize.FindStringSubmatch(text); m != nil {
		b.bytes, b.operations = number(m[1]), number(m[2])
	}
	for i, r := range sets.rows {
		if r.key == b.dataset && len(r.facts) == 2 {
			sets.rows[i].facts = append(r.facts, fact{"bytes", bytes})
		}
	}
	return b.bytes != ""
}

// readBenchmarkScores reads the formulas; a score of scores counts what those count.
func readBenchmarkScores(d *document, from int, list []*benchmark) error {
	rows, err := d.table(from, "Composite Name", "Compositing formula")
	if err != nil {
		return err
	}
	for _, r := range rows {
		counts, err := parseFormula(d, r, list)
		if err != nil {
			return err
		}
		for _, b := range list {
			if counts(b) {
				b.composites = append(b.composites, r.cells[0])
			}
		}
	}
	return nil
}

func parseFormula(d *document, r mdRow, list []*benchmark) (func(*benchmark) bool, error) {
	named := func(name string) string {
		if alias := benchmarkAliases[name]; alias != "" {
			return alias
		}
		return name
	}
	text := r.cells[1]
	if m := averageOf.FindStringSubmatch(text); m != nil && benchmarkGroups[m[1]] != "" {
		return func(b *benchmark) bool { return b.group == benchmarkGroups[m[1]] && b.name != named(m[2]) }, nil
	}
	if m := averageTwo.FindStringSubmatch(text); m != nil {
		return func(b *benchmark) bool {
			return slices.Contains(b.composites, m[1]) || slices.Contains(b.composites, m[2])
		}, nil
	}
	m := averageList.FindStringSubmatch(text)
	if m == nil {
		return nil, d.errorf(r.line, "%q is not a formula", text)
	}
	var names []string
	for _, q := range quoted.FindAllStringSubmatch(m[1], -1) {
		name := named(q[1])
		if !slices.ContainsFunc(list, func(b *benchmark) bool { return b.name == name }) {
			d.note(d.errorf(r.line, "%q is not a benchmark", q[1]))
			continue
		}
		names = append(names, name)
	}
	return func(b *benchmark) bool { return slices.Contains(names, b.name) }, nil
}

// paragraph returns the paragraph that starts at a line, as one line of text.
func (d *document) paragraph(from int) string {
	to := from
	for to < len(d.lines) && d.lines[to] != "" {
		to++
	}
	return strings.Join(d.lines[from:to], " ")
}
