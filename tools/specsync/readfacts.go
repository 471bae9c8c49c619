package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
)

const factTable = "sync/facts.yaml"

// readFacts reads the values that upstream states in sentences: facts.yaml has the words around each.
func readFacts(specs string, l *library) reader {
	return func(open openFunc) ([]table, error) {
		f, err := l.openFile(specs, factTable)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		var out []table
		var problems []error
		for _, n := range column(f.root, "rows").Content {
			t, err := readFact(n, open)
			if err != nil {
				problems = append(problems, fmt.Errorf("specs/%s:%d: %w", factTable, n.Line, err))
				continue
			}
			out = append(out, t)
		}
		return out, errors.Join(problems...)
	}
}

// placeholders are the marks for a value in a pattern, with the text that each matches.
var placeholders = map[string]string{
	"{value}":   `(?:\*\*)?([\d,.]*\d|one|two|three|four|five|six|seven|eight|nine|ten)(?:\*\*)?`,
	"{version}": `(\d+\.\d+)(?:\.\d+)?`,
	"{name}":    `([\w$][\w.$]*)`,
	"{text}":    "([^\"'`]+)",
	"{url}":     "(https?://[^\\s\"`&<>]+)",
}

// placeholder finds the one placeholder in a pattern. Any other braces in the pattern belong to quantities.
var placeholder = regexp.MustCompile(`\{(?:value|version|name|text|url)\}`)

func factPattern(says string) (*regexp.Regexp, error) {
	found := placeholder.FindAllString(says, -1)
	if len(found) != 1 {
		return nil, fmt.Errorf("%q is not a pattern with one of {value}, {version}, {name}, {text} and {url}", says)
	}
	return regexp.Compile(strings.Replace(says, found[0], placeholders[found[0]], 1))
}

func readFact(n *yaml.Node, open openFunc) (table, error) {
	cell := func(name, otherwise string) string {
		if c := column(n, name); c != nil {
			return c.Value
		}
		return otherwise
	}
	says, unit := cell("says", ""), cell("unit", "")
	pattern, err := factPattern(says)
	if err != nil {
		return table{}, err
	}
	d, err := open(cell("document", ""))
	if err != nil {
		return table{}, err
	}
	text, at, err := d.sectionText(cell("section", ""))
	if of := cell("of", ""); of != "" && err == nil {
		text, at, err = d.memberText(of)
	}
	if err != nil {
		return table{}, err
	}
	found := pattern.FindAllStringSubmatch(text, -1)
	switch len(found) {
	case 0:
		return table{}, d.errorf(at, "the section %q no longer says %q", cell("section", ""), says)
	case 1:
	default:
		return table{}, d.errorf(at, "the section %q says %q %d times; add words around it that only its subject has",
			cell("section", ""), says, len(found))
	}
	m := found[0]
	fallback := "value"
	if unit != "" {
		fallback = "duration"
	}
	value, err := spellInUnit(m[1], unit)
	if err != nil {
		return table{}, d.errorf(at, "%v", err)
	}
	return table{
		file: cell("file", ""), within: factPlace(cell("within", "")), list: cell("list", "rows"), key: cell("key", "name"), partial: true,
		source: fmt.Sprintf("%s, %q", d.path, cell("section", "")),
		rows:   []row{{key: cell("row", ""), facts: []fact{{cell("column", fallback), value}}}},
	}, nil
}

// factPlace leads to the row of a list that holds the list of a fact: "operations.GetMore".
func factPlace(text string) []step {
	list, name, found := strings.Cut(text, ".")
	if !found {
		return nil
	}
	return []step{{list, "name", name}}
}

// sectionText returns a section and the sections below it, in one line.
func (d *document) sectionText(name string) (string, int, error) {
	list := d.sections()
	at := slices.IndexFunc(list, func(s span) bool { return s.name == name })
	for i, s := range list {
		if at < 0 && s.title == name {
			at = i
		}
	}
	if at < 0 {
		return "", 0, d.errorf(1, "there is no section %q", name)
	}
	end := list[at].to
	for _, below := range list[at+1:] {
		if below.level <= list[at].level {
			break
		}
		end = below.to
	}
	return strings.Join(strings.Fields(strings.Join(d.lines[list[at].from:end], " ")), " "), list[at].from, nil
}

// memberText returns a member of a declaration, as in FindOptions.allowDiskUse, with the comment in front of it, in one line.
func (d *document) memberText(of string) (string, int, error) {
	name, member, _ := strings.Cut(of, ".")
	from, indent, err := d.start(name)
	if err != nil {
		return "", 0, err
	}
	comment, first := false, from
	for i := from; i < len(d.lines) && d.lines[i] != indent+"}"; i++ {
		text := strings.TrimSpace(d.lines[i])
		comment = comment || strings.HasPrefix(text, "/*")
		switch {
		case comment:
			comment = !strings.Contains(text, "*/")
		case text == "" || strings.HasPrefix(text, "//"):
		case strings.HasPrefix(strings.ReplaceAll(text, "?", ""), member+":"):
			return strings.Join(strings.Fields(strings.Join(d.lines[first:i+1], " ")), " "), i + 1, nil
		default:
			first = i + 1
		}
	}
	return "", 0, d.errorf(from, "%s has no member %s", name, member)
}

var words = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// spellInUnit spells a number as tables do, and with a unit as a duration.
func spellInUnit(text, unit string) (string, error) {
	text = strings.ReplaceAll(text, ",", "")
	for i, w := range words {
		if text == w {
			text = strconv.Itoa(i)
		}
	}
	if unit == "" {
		return text, nil
	}
	if _, err := time.ParseDuration(text + unit); err != nil {
		return "", err
	}
	return text + unit, nil
}

// sameNumber reports whether two texts are the same number, or the same span of time in whatever units.
func sameNumber(a, b string) bool {
	if x, err := strconv.ParseFloat(a, 64); err == nil {
		y, err := strconv.ParseFloat(b, 64)
		return err == nil && x == y
	}
	x, err := time.ParseDuration(a)
	if err != nil {
		return false
	}
	y, err := time.ParseDuration(b)
	return err == nil && x == y
}

// checkLiterals checks that the sections that rows of single values and of messages cite hold their texts: the name of a variable, a
// path, a header, an error without parameters.
func checkLiterals(specs string, l *library) reader {
	return func(open openFunc) ([]table, error) {
		tables := load.NewTables(os.DirFS(specs))
		names := map[string]string{}
		for _, d := range tables.Documents().Rows {
			names[d.Name] = d.Path
		}
		spelled, err := spellings(specs, l)
		if err != nil {
			return nil, err
		}
		paths, err := fs.Glob(os.DirFS(specs), "*/values.yaml")
		if err != nil {
			return nil, err
		}
		var problems []error
		messages, err := fs.Glob(os.DirFS(specs), "*/messages.yaml")
		if err != nil {
			return nil, err
		}
		paths = slices.Concat(paths, messages, []string{"logs/settings.yaml", "options/pipelines.yaml"})
		for _, path := range paths {
			f, err := l.openFile(specs, path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, n := range column(f.root, "rows").Content {
				if err := checkLiteral(n, spelled[path], names, open); err != nil {
					problems = append(problems, fmt.Errorf("specs/%s:%d: %w", path, n.Line, err))
				}
			}
		}
		return nil, errors.Join(problems...)
	}
}

// spellings returns upstream's words for texts of the tables, by file and name. A text with empty words is not looked for.
func spellings(specs string, l *library) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	f, err := l.openFile(specs, factTable)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, n := range column(f.root, "spelled").Content {
		file, as := column(n, "file").Value, ""
		if c := column(n, "as"); c != nil {
			as = c.Value
		}
		if out[file] == nil {
			out[file] = map[string]string{}
		}
		out[file][column(n, "row").Value] = as
	}
	return out, nil
}

// checkLiteral looks for the text of a row in the sections that it cites, where a line may end inside of it.
func checkLiteral(n *yaml.Node, spelled map[string]string, names map[string]string, open openFunc) error {
	value, spec := cmp.Or(column(n, "value"), column(n, "text")), column(n, "spec")
	if value == nil || value.Tag != "!!str" || strings.Contains(value.Value, "{") || spec == nil || isOverridden(n, "value") {
		return nil
	}
	r := load.ParseReference(spec.Value)
	path, named := names[r.Document]
	if !named {
		path = r.Document
	}
	if path == "" || len(r.Sections) == 0 {
		return nil
	}
	d, err := open(path)
	if err != nil {
		return err
	}
	want, otherwise := spelled[keyOf(n, "name")]
	if !otherwise {
		want = value.Value
	}
	for _, section := range r.Sections {
		text, _, err := d.sectionText(section)
		if err == nil && strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			return nil
		}
	}
	return fmt.Errorf("%s: %s does not hold %q", keyOf(n, "name"), spec.Value, want)
}
