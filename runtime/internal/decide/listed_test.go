package decide

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// abbreviated are the folders of decisions as CONTRIBUTING.md abbreviates them.
var abbreviated = map[string]string{"D": "operation", "T": "timeout", "S": "changestream", "W": "withtransaction"}

// The list "Where a decision is made" names every table of decisions, and only files and functions that exist.
func TestEveryDecisionIsListed(t *testing.T) {
	const root = "../../../"
	text, err := os.ReadFile(root + "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "## Where a decision is made")
	list, _, _ = strings.Cut(list, "\n## ")
	for short, folder := range abbreviated {
		files, err := filepath.Glob(root + "specs/" + folder + "/decisions/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			if name := "`" + short + "/" + filepath.Base(file) + "`"; !strings.Contains(list, name) {
				t.Errorf("%s is not listed", name)
			}
		}
	}
	for _, name := range regexp.MustCompile("(?:`([A-Za-z]+)` in )?`([A-Za-z]+)/([a-zA-Z]+\\.(?:yaml|go))`").FindAllStringSubmatch(list, -1) {
		function, folder, file := name[1], name[2], name[3]
		found := false
		for _, place := range []string{"specs/" + folder, "specs/" + abbreviated[folder] + "/decisions", "runtime/" + folder, "runtime/internal/" + folder} {
			text, err := os.ReadFile(root + place + "/" + file)
			found = found || err == nil && (function == "" || regexp.MustCompile(`(?m)^func (\(.*\) )?`+function+`[\[(]`).Match(text))
		}
		if !found {
			t.Errorf("%s is listed and is not there", name[0])
		}
	}
}
