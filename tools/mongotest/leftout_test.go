package mongotest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// readLeftOut returns the items of the list in doc.go, each on one line.
func readLeftOut(t *testing.T) (items []string) {
	t.Helper()
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(source), "These are refused:\n")
	list, _, _ = strings.Cut(list, "// Nothing here may import")
	for _, line := range strings.Split(list, "\n") {
		switch line = strings.TrimPrefix(line, "//"); {
		case strings.HasPrefix(line, "   - "):
			items = append(items, line[len("   - "):])
		case strings.HasPrefix(line, "     "):
			items[len(items)-1] += " " + strings.TrimSpace(line)
		}
	}
	return items
}

// doc.go lists exactly the names in the tables of refusals.
func TestNamesLeftOutAreThoseRefused(t *testing.T) {
	items := readLeftOut(t)
	scripts := []string{"$where", "$function", "$accumulator", "mapReduce", "mapreduce"}
	for begin, refused := range map[string][]string{
		"the commands ": server.Absent(), "the stages ": agg.Absent(), "the expressions ": expr.Absent(),
	} {
		refused = slices.DeleteFunc(refused, func(name string) bool { return slices.Contains(scripts, name) })
		i := slices.IndexFunc(items, func(item string) bool { return strings.HasPrefix(item, begin) })
		if i < 0 {
			t.Errorf("doc.go has no item %q", begin)
			continue
		}
		if got := strings.Split(strings.TrimPrefix(items[i], begin), ", "); !slices.Equal(got, refused) {
			t.Errorf("%s\n doc.go has %v\nrefused are %v", begin, got, refused)
		}
	}
}

// refusals maps the text of each error that names mongotest to the beginning of the item in doc.go that covers it.
var refusals = map[string]string{
	"%s into a time series collection is not supported in mongotest":                                  "$out into a time series",
	"query requires %s metadata, but it is not available (mongotest has no Atlas Search)":             "Atlas Search",
	"%s: mongotest keeps search indexes, but searches with none":                                      "Atlas Search",
	"find does not support 'returnKey' with an index over arrays in mongotest":                        "the resume tokens of find",
	"find does not support '%s' in mongotest":                                                         "the resume tokens of find",
	"mongotest reads buckets of version 1 alone, this one has version %s":                             "writes to the buckets",
	"mongotest changes no buckets: write to the time series of %s.%s":                                 "writes to the buckets",
	"collMod does not support '%s' in mongotest":                                                      "$out into a time series",
	"collMod does not support 'forceNonUnique' in mongotest":                                          "$out into a time series",
	"mongotest does not have the first version of Queryable Encryption":                               "the first version",
	"mongotest stores indexes of type '%s' without their values, so that it cannot keep":              "unique indexes",
	"Regular expression is invalid: %s (mongotest uses Go's syntax)":                                  "regular expressions",
	"no globalScriptEngine in $where parsing (mongotest runs no JavaScript)":                          "JavaScript",
	"0: The timezone could not be found in the database, or the text is not one that mongotest reads": "a user's time zone",
	"members of mongotest have no maintenance mode":                                                   "the maintenance mode",
	"%s does not respond: a deployment of mongotest has only its own nodes":                           "the maintenance mode",
	"%s is not reachable: a deployment of mongotest has one shard":                                    "the maintenance mode",
	"mongotest does not search under %d contention factors":                                           "the first version",
	" (mongotest does not have it)":                                                                   "the commands",
}

// doc.go covers every error that names mongotest, and nothing else.
func TestRefusalsAreToldOf(t *testing.T) {
	items := readLeftOut(t)
	told := map[string]bool{}
	for text, found := range refusalTexts(t) {
		begin, known := refusals[text]
		i := slices.IndexFunc(items, func(item string) bool { return strings.HasPrefix(item, begin) })
		switch {
		case !known:
			t.Errorf("%s refuses %q: doc.go and this test need to tell of it", found, text)
		case i < 0:
			t.Errorf("doc.go has no item that begins with %q", begin)
		default:
			told[items[i]] = true
		}
	}
	for _, item := range items {
		named := strings.HasPrefix(item, "the stages ") || strings.HasPrefix(item, "the expressions ")
		if !told[item] && !named {
			t.Errorf("doc.go has %q, but nothing refuses it", item)
		}
	}
}

// refusalTexts finds the texts of errors that name mongotest, and where they are.
func refusalTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if _, isImport := n.(*ast.ImportSpec); isImport {
				return false
			}
			if ok && literal.Kind == token.STRING && strings.Contains(literal.Value, "mongotest") {
				text, _ := strconv.Unquote(literal.Value)
				if strings.Contains(text, " ") && !strings.HasPrefix(text, "mongotest: ") {
					texts[text] = path
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
