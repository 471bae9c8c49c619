package main

import (
	"context"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var runPages = flag.Bool("pages", false, "run the commands of the pages for users")

// TestPagesCommandsWork runs the commands of the pages for users as they are written: each block in a folder of its own, which
// holds the page's program, with the repository next to it as the clone and on a module proxy as the release. Each of the two
// compiles the driver and mongotest again, so make pages runs this, once in CI.
func TestPagesCommandsWork(t *testing.T) {
	if !*runPages {
		t.Skip("make pages runs this: it compiles everything several times")
	}
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	u := newUser(t)
	unused := maps.Clone(notRun)
	ran := 0
	for _, page := range pagesForUsers(t) {
		text := readText(t, root, page)
		for _, block := range commandsOf(text) {
			var lines []string
			for _, line := range block {
				if notRun[line] == "" {
					lines = append(lines, line)
				}
				delete(unused, line)
			}
			ran += len(lines)
			if len(lines) > 0 {
				u.run(t, page, text, lines)
			}
		}
	}
	for line := range unused {
		t.Errorf("no page has the line %q any more", line)
	}
	t.Logf("%d lines were run, %d cannot be", ran, len(notRun))
}

// TestPagesShowTheProgramFirst: go mod tidy takes a requirement away that no program needs yet, so a reader who types a
// page from its beginning must have met the program.
func TestPagesShowTheProgramFirst(t *testing.T) {
	for _, page := range pagesForUsers(t) {
		if line := beforeProgram(readText(t, root, page)); line != "" {
			t.Errorf("%s has the line %q before its program", page, line)
		}
	}
	program, tidy := "```go\npackage main\n```\n", "```\ngo mod init example.com/shop\ngo mod tidy\n```\n"
	for text, want := range map[string]string{program + tidy: "", tidy + program: "go mod tidy", tidy: ""} {
		if got := beforeProgram(text); got != want {
			t.Errorf("%q before the program, want %q, in\n%s", got, want, text)
		}
	}
}

// beforeProgram returns a line that needs the program of a page and stands before it, empty without a program or such a line.
func beforeProgram(text string) string {
	above, _, ok := strings.Cut(text, "\npackage main\n")
	if !ok {
		return ""
	}
	for _, block := range commandsOf(above) {
		for _, line := range block {
			if strings.Contains(line, "go mod tidy") || strings.HasPrefix(line, "go run .") {
				return line
			}
		}
	}
	return ""
}

// pagesForUsers returns the README, the guides, and the pages that they lead to.
func pagesForUsers(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob(filepath.Join(root, "runtime", "mongo", "guide", "*.md"))
	if err != nil || len(guides) < 5 {
		t.Fatal(guides, err)
	}
	pages := []string{
		"README.md", "tools/mongotest/README.md", "tools/migrate/README.md", "tools/bsongen/README.md",
		"runtime/mongo/README.md", "runtime/mongootel/README.md", "runtime/mongokrb5/README.md",
	}
	for _, guide := range guides {
		pages = append(pages, "runtime/mongo/guide/"+filepath.Base(guide))
	}
	return pages
}

var (
	fence  = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	inline = regexp.MustCompile("`([^`]+)`")
	typed  = regexp.MustCompile(`^(\w+=\S+ )*(go|make|git|ssh|docker|curl) \S`)
)

// commandsOf returns the blocks of commands of a page, and each command in its prose as a block of one line. A block that is not
// in another language is one of commands.
func commandsOf(page string) [][]string {
	var blocks [][]string
	prose := fence.ReplaceAllStringFunc(page, func(block string) string {
		m := fence.FindStringSubmatch(block)
		if !slices.Contains([]string{"go", "yaml", "text"}, m[1]) {
			blocks = append(blocks, strings.Split(strings.TrimSpace(m[2]), "\n"))
		}
		return ""
	})
	for _, m := range inline.FindAllStringSubmatch(prose, -1) {
		if line := strings.Join(strings.Fields(m[1]), " "); typed.MatchString(line) {
			blocks = append(blocks, []string{line})
		}
	}
	return blocks
}

// user is somebody with nothing but Go, a clone and a module proxy.
type user struct {
	env []string
}

func newUser(t *testing.T) *user {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	proxy := t.TempDir()
	for _, m := range r.modules {
		// Modules inside the repository require this version of the driver while they are developed.
		if err := r.publish(proxy, m, "v0.0.0"); err != nil {
			t.Fatal(err)
		}
	}
	configured, err := command(dir, "go", "env", "GOPROXY", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	usual, cache, _ := strings.Cut(strings.TrimSpace(configured), "\n")
	return &user{env: []string{
		// What the machine has downloaded before need not come again.
		"GOPROXY=file://" + proxy + ",file://" + cache + "/cache/download," + usual,
		"GOMODCACHE=" + t.TempDir(), "GONOSUMDB=" + r.modules[0].path, "GOWORK=off",
		// Without its folder in what is compiled, a package need not be compiled again for the next folder.
		"GOFLAGS=-modcacherw -trimpath",
	}}
}

// run runs lines in a module next to the clone.
func (u *user) run(t *testing.T, page, text string, lines []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	put(t, dir, map[string]string{"main.go": programOf(t, page, text)})
	if clone, err := filepath.Abs(root); err != nil {
		t.Fatal(err)
	} else if err := os.Symlink(clone, filepath.Join(filepath.Dir(dir), "onion")); err != nil {
		t.Fatal(err)
	}
	script := strings.Join(lines, "\n")
	u.shell(t, dir, page, prerequisitesOf(page, script))
	out := u.shell(t, dir, page, script)
	if want := printedBy[page]; slices.Contains(lines, "go run .") && !strings.Contains(out, want) {
		t.Errorf("%s: these lines print\n%s\nwithout %q:\n%s", page, out, want, script)
	}
	u.shell(t, dir, page, "test ! -e go.mod || go vet ./...")
}

func (u *user) shell(t *testing.T, dir, page, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-ec", script)
	c.Dir = dir
	c.WaitDelay = time.Second // a child that outlives the shell holds its output open
	c.Env = append(os.Environ(), append(u.env, "PWD="+dir)...)
	begin := time.Now()
	out, err := c.CombinedOutput()
	t.Logf("%v %s %s", time.Since(begin), page, script)
	if err != nil {
		t.Errorf("%s: %v\n%s\n%s", page, err, script, out)
	}
	return string(out)
}
