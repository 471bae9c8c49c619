package guide_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the repository, seen from this folder.
const root = "../../.."

var (
	makeTarget = regexp.MustCompile("(?m)(?:^|`)make ([a-z0-9-]+)")
	goRun      = regexp.MustCompile("go run (?:github\\.com/specdrivers/onion/|\\./)((?:tools/)?[a-z0-9]+)(?:@[a-z]+)?([^`\n]*)")
	flagName   = regexp.MustCompile(` -([a-z][a-z0-9-]*)`)
	quoted     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	defined    = regexp.MustCompile(`\bflags?\.\w+\((?:&[\w.]+, )?"([a-z0-9-]+)"`)
)

// TestPagesNameCommandsThatExist looks up every make target and every flag of a program that a page tells the reader to type.
func TestPagesNameCommandsThatExist(t *testing.T) {
	makefile := readPage(t, "Makefile")
	commands := 0
	for _, page := range listPages(t) {
		text := readPage(t, page)
		for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
			commands++
			if !strings.Contains(makefile, "\n"+m[1]+": ") {
				t.Errorf("%s: there is no make %s", page, m[1])
			}
		}
		for _, m := range goRun.FindAllStringSubmatch(text, -1) {
			commands++
			flags := flagsOf(t, m[1])
			if flags == nil {
				t.Errorf("%s: %s is no program", page, m[1])
			}
			line, _, _ := strings.Cut(m[2], "#")
			for _, name := range flagName.FindAllStringSubmatch(quoted.ReplaceAllString(line, ""), -1) {
				if !flags[name[1]] {
					t.Errorf("%s: %s has no flag -%s", page, m[1], name[1])
				}
			}
		}
	}
	if commands < 40 {
		t.Errorf("%d commands on all pages", commands)
	}
}

// listPages lists the texts for people, as paths below root. Pages in testdata belong to tests.
func listPages(t *testing.T) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".md" {
			list = append(list, name)
		}
		return err
	})
	if err != nil || len(list) < 20 {
		t.Fatalf("%d pages, %v", len(list), err)
	}
	return list
}

// flagsOf returns the flags that the source of a program defines. It is nil if the folder holds no program.
func flagsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(source)
	}
	if !strings.Contains(all.String(), "\nfunc main() {") {
		return nil
	}
	flags := map[string]bool{}
	for _, m := range defined.FindAllStringSubmatch(all.String(), -1) {
		flags[m[1]] = true
	}
	return flags
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
