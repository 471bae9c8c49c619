package main

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const (
	parityStart = "<!-- parity: written by go test -run TestParity -update -->\n"
	parityEnd   = "<!-- end of parity -->"
)

// TestParity lists every exported name of the official driver with Onion's name for it, from the source of both modules, and
// compares PARITY.md with the result. A name that Onion does not have needs a reason, each name of Onion on the page must exist,
// and a golden file must show each rewrite.
func TestParity(t *testing.T) {
	official := officialNames(t)
	table := parityTable(t, official, shownRewrites(t))
	page, err := os.ReadFile("PARITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for key := range different {
		if !strings.Contains(string(page), key) {
			t.Errorf("PARITY.md does not list the false friend %s", key)
		}
	}
	head, rest, ok := strings.Cut(string(page), parityStart)
	_, tail, closed := strings.Cut(rest, parityEnd)
	if !ok || !closed {
		t.Fatal("PARITY.md lacks the marks of its table")
	}
	want := head + parityStart + table + parityEnd + tail
	if *update {
		if err := os.WriteFile("PARITY.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	checkNamesExist(t, want, official)
	if want != string(page) {
		t.Error("PARITY.md is not what the two modules export: run go test -run TestParity -update")
	}
}

// officialNames lists what the public packages of version 2 export.
func officialNames(t *testing.T) map[string]string {
	t.Helper()
	var paths []string
	packagesOfUsers := []string{
		"bson", "event", "mongo", "mongo/options", "mongo/readpref", "mongo/readconcern", "mongo/writeconcern", "tag",
	}
	for _, rest := range packagesOfUsers {
		paths = append(paths, officialModule+"v2/"+rest)
	}
	loaded, err := packages.Load(&packages.Config{Mode: loadMode, Dir: "testdata/v2"}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		describe(p.Types, shortName(p.PkgPath), names)
	}
	return names
}

// A parityRow is one type of the official driver, or the functions and values of a package.
type parityRow struct{ same, other, left []string }

func parityTable(t *testing.T, names map[string]string, rewrites map[string]bool) string {
	t.Helper()
	rows, counts := map[string]*parityRow{}, [3]int{}
	for _, key := range slices.Sorted(maps.Keys(names)) {
		owner, name := key[:strings.LastIndexByte(key, '.')], key[strings.LastIndexByte(key, '.')+1:]
		if name == "Internal" && strings.HasPrefix(key, "options.") {
			continue // for the official driver alone, as its comment says
		}
		row := rows[owner]
		if row == nil {
			row = &parityRow{}
			rows[owner] = row
		}
		to, reason := parityOf(key, names[key])
		if rewrites[key] && (to == "" || callRules[key] != nil || !isSimplyRenamed(to, key, names[key])) {
			name += "\\*"
		} else if callRules[key] != nil && to != key && !otherwise[key] {
			t.Errorf("%s has a rule, and no golden file of version 2 shows it", key)
		}
		switch {
		case to == key:
			row.same = append(row.same, name)
			counts[0]++
		case to != "":
			row.other = append(row.other, name+" → "+shortenName(to, key))
			counts[1]++
		case reason == "":
			t.Errorf("%s (%s) has no counterpart and no reason: add it to missing or families", key, names[key])
		default:
			row.left = append(row.left, name+" ("+reason)
			counts[2]++
		}
	}
	var b strings.Builder
	sum := counts[0] + counts[1] + counts[2]
	fmt.Fprintf(&b, "\n%d names: %d the same, %d in another form, %d left out.\n\n", sum, counts[0], counts[1], counts[2])
	b.WriteString("| official driver | the same | in another form | left out |\n|---|---|---|---|\n")
	for _, owner := range slices.Sorted(maps.Keys(rows)) {
		r := rows[owner]
		cells := []string{owner, strings.Join(r.same, ", "), strings.Join(r.other, ", "), strings.Join(groupReasons(r.left), "; ")}
		b.WriteString("| " + strings.ReplaceAll(strings.Join(cells, " | "), "  ", " ") + " |\n")
	}
	return b.String() + "\n"
}

// parityOf returns Onion's name for one of the official driver, or why there is none.
func parityOf(key, text string) (to, reason string) {
	to = counterpart(key)
	if strings.Count(key, ".") == 2 {
		to = member(key)
		if named := setterField(key); named != "" {
			return named, ""
		}
	}
	owner, _, _ := strings.Cut(key, ".")
	switch name := key[strings.LastIndexByte(key, '.')+1:]; {
	case strings.HasPrefix(to, "(") && strings.HasSuffix(to, ")"):
		return strings.TrimSuffix(strings.TrimPrefix(to, "("), ")"), ""
	case strings.Count(key, ".") == 1 && strings.HasPrefix(text, "func() *options.") && api[madeStruct(text)] == "type struct":
		return "&" + madeStruct(text) + "{}", ""
	case strings.HasPrefix(key, "mongo.New") && strings.HasSuffix(key, "Model"):
		return "&mongo." + strings.TrimPrefix(name, "New") + "{}", ""
	case strings.HasSuffix(owner, "Builder") || name == "List" && strings.Contains(key, "Builder."):
		return "", "builders are structs"
	case api[to] != "" && (different[to] != "" || strings.HasPrefix(text, "func") && !canReplace(text, api[to]) && !accepted[key]):
		if to == key {
			return to + " `" + strings.ReplaceAll(api[to], "|", "\\|") + "`", ""
		}
		return to, ""
	case api[to] != "":
		return to, ""
	case api["bson.RawValue."+okName(name)] != "" && strings.HasPrefix(key, "bson.RawValue."):
		return "bson.RawValue." + okName(name), ""
	case bsonOptions[name].marshal != "" || bsonOptions[name].unmarshal != "":
		return bsonOptionField(name), ""
	}
	return "", strings.TrimPrefix(advice(key), ": ")
}

// madeStruct names the struct that takes the place of what a constructor without arguments makes.
func madeStruct(text string) string { return strings.TrimPrefix(translateType(text), "func() *") }

// isSimplyRenamed reports whether each use of a name is right with the new name in its place.
func isSimplyRenamed(to, key, text string) bool {
	return !strings.Contains(to, "`") && (setterField(key) != "" || strings.HasSuffix(to, "{}") || !strings.HasPrefix(text, "func") || canReplace(text, api[to]))
}

// otherwise are names with a rule for another package's or version's function of that name.
var otherwise = map[string]bool{
	"bson.ReadArray": true, "bson.ReadDocument": true, // bsoncore's
	"bson.Registry.RegisterKindDecoder": true, "bson.Registry.RegisterKindEncoder": true, // they are reported
}

// named finds the names of Onion's packages.
var named = regexp.MustCompile(`\b(?:mongo|bson|options|event|description|uri|errcode|bsontype|mongotest)(?:\.[A-Z]\w*)+`)

// checkNamesExist checks that the names of Onion on the page exist, and those of the official driver's version 2 in its list of false
// friends.
func checkNamesExist(t *testing.T, page string, official map[string]string) {
	t.Helper()
	friends, all, _ := strings.Cut(page, "## All names")
	for line := range strings.Lines(friends) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for _, name := range named.FindAllString(cells[3], -1) {
			if api[name] == "" {
				t.Errorf("PARITY.md names %s, which Onion does not have: %s", name, line)
			}
		}
		for _, name := range named.FindAllString(cells[1], -1) {
			if api[name] == "" && official[name] == "" {
				t.Errorf("PARITY.md names %s, which neither driver has: %s", name, line)
			}
		}
	}
	for line := range strings.Lines(all) {
		cells := strings.Split(line, " | ")
		if len(cells) < 4 {
			continue
		}
		text := strings.Join(cells[2:], " | ")
		for _, name := range named.FindAllString(text, -1) {
			if api[name] == "" {
				t.Errorf("PARITY.md names %s, which Onion does not have, in the row of %s", name, cells[0])
			}
		}
	}
}

// shownRewrites lists the names of version 2 that the golden modules use and of which no report speaks.
func shownRewrites(t *testing.T) map[string]bool {
	shown := map[string]bool{}
	for _, name := range goldenModules {
		m := loadModule(t, name)
		reported := map[string]map[int]bool{}
		for _, l := range m.leaves {
			if reported[l.at.Filename] == nil {
				reported[l.at.Filename] = map[int]bool{}
			}
			reported[l.at.Filename][l.at.Line] = true
		}
		for _, f := range m.files {
			ast.Inspect(f.tree, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				at := f.pkg.Fset.Position(s.Sel.Pos())
				if key, o := f.keyOf(s); key != "" && strings.HasPrefix(o.Pkg().Path(), officialModule+"v2/") && !reported[at.Filename][at.Line] {
					shown[key] = true
				}
				return true
			})
		}
	}
	return shown
}

// bsonOptionField names the fields of Onion's codec options that a switch of the official driver became.
func bsonOptionField(name string) string {
	var fields []string
	if o := bsonOptions[name]; o.marshal != "" {
		fields = append(fields, "bson.MarshalOptions."+o.marshal)
	}
	if o := bsonOptions[name]; o.unmarshal != "" {
		fields = append(fields, "bson.UnmarshalOptions."+o.unmarshal)
	}
	return strings.Join(fields, " and ")
}

// setterField names the field that takes a setter's place.
func setterField(key string) string {
	at := strings.LastIndexByte(key, '.')
	owner, name := counterpart(key[:at]), key[at+1:]
	field := strings.TrimPrefix(name, "Set")
	if other := setterNames["Set"+field]; other != "" && api[owner+"."+field] == "" {
		field = other
	}
	if name == "ApplyURI" {
		field = setterNames[name]
	}
	if field == name || !strings.HasPrefix(api[owner+"."+field], "field ") {
		return ""
	}
	return owner + "." + field
}

// shortenName leaves out of a new name the part that it has in common with the owner of the old name.
func shortenName(to, key string) string {
	if owner := counterpart(key[:strings.LastIndexByte(key, '.')]) + "."; strings.HasPrefix(to, owner) {
		return strings.TrimPrefix(to, owner)
	}
	return to
}

// groupReasons writes a reason once for all the names that share it.
func groupReasons(left []string) []string {
	var reasons []string
	byReason := map[string][]string{}
	for _, item := range left {
		name, reason, _ := strings.Cut(item, " (")
		if byReason[reason] == nil {
			reasons = append(reasons, reason)
		}
		byReason[reason] = append(byReason[reason], name)
	}
	var out []string
	for _, reason := range reasons {
		out = append(out, strings.Join(byReason[reason], ", ")+": "+strings.ReplaceAll(reason, "|", "\\|"))
	}
	return out
}
