package suite

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/upstream"
	"gopkg.in/yaml.v3"
)

type formatRule struct {
	Section string   `yaml:"section"`
	Rule    string   `yaml:"rule"`
	Tests   []string `yaml:"tests"`
}

func readRules(t *testing.T) []formatRule {
	t.Helper()
	data, err := os.ReadFile("../../specs/unified/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Rows []formatRule }
	if err := yaml.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	return table.Rows
}

// Every rule of the format names a test that exists.
func TestRulesHaveTests(t *testing.T) {
	checkout := upstream.Path(t, "source")
	for _, r := range readRules(t) {
		if len(r.Tests) == 0 {
			t.Errorf("%s: no test", r.Section)
		}
		for _, test := range r.Tests {
			kind, name, _ := strings.Cut(test, " ")
			switch {
			case kind == "go" && !hasGoTest(t, name), kind == "case" && !hasCase(t, name),
				kind == "upstream" && !hasFile(checkout, name):
				t.Errorf("%s: there is no %s", r.Section, test)
			case kind != "go" && kind != "case" && kind != "upstream":
				t.Errorf("%s: %q is not a kind of test", r.Section, kind)
			}
		}
	}
}

func hasGoTest(t *testing.T, name string) bool {
	dot := strings.LastIndexByte(name, '.')
	files, err := filepath.Glob("../../" + name[:dot] + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		data, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(data), "\nfunc "+name[dot+1:]+"(t *testing.T)")
	})
}

func hasCase(t *testing.T, name string) bool {
	file, description, _ := strings.Cut(name, ": ")
	data, err := os.ReadFile("../../specs/cases/" + file + ".yml")
	return err == nil && (description == "*" || strings.Contains(string(data), "- description: "+description+"\n"))
}

// hasFile looks for a file, or a folder of files, below the tests of the suite.
func hasFile(checkout, name string) bool {
	suite, file, _ := strings.Cut(name, "/")
	for _, extension := range [...]string{".json", ".yml", ""} {
		if _, err := os.Stat(filepath.Join(checkout, suite, "tests", file+extension)); err == nil {
			return true
		}
	}
	return false
}

// Every section of the format that says what a runner does has a row.
func TestRulesNameEverySection(t *testing.T) {
	file, err := os.Open(upstream.Path(t, "source/unified-test-format/unified-test-format.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := map[string]bool{}
	for _, r := range readRules(t) {
		rows[r.Section] = true
	}
	heading := regexp.MustCompile(`^#{3,5} (.*)$`)
	found, begun := map[string]bool{}, false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		m := heading.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		begun = begun || m[1] == "Test Runner Support"
		section := strings.ReplaceAll(m[1], `\`, "")
		found[section] = true
		if section == "Fail Points Commonly Used in Tests" || section == "Determining if a Sharded Cluster Uses Replica Sets" {
			break // the rest is advice for authors of tests
		}
		if begun && !rows[section] && !slices.Contains(notRules, section) {
			t.Errorf("specs/unified/rules.yaml has no row for %q", section)
		}
	}
	for section := range rows {
		if !found[section] {
			t.Errorf("the format has no section %q", section)
		}
	}
}

// notRules are sections that ask nothing of a runner. They introduce other sections, show examples, or name operations
// that no file uses.
var notRules = []string{
	"Impact of Spec Changes on Schema Version", "Test Format", "Entity Test Operations", "watch", "downloadToStream and downloadToStreamByName",
	"openDownloadStream and openDownloadStreamByName", "openUploadStream and openUploadStreamWithId", "uploadFromStream and uploadFromStreamWithId",
	"Cursor Operations", "Special Test Operations", "Special Placeholder Value", "Evaluating Matches", "Examples of Root-level Documents",
	"Special Operators for Matching Assertions", "Test Runner Implementation", "Special Procedures", "Server Fail Points", "Configuring Fail Points",
}
