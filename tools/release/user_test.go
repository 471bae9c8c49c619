package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a program that connects and inserts adds to its go.mod and go.sum. The official driver adds 8 and 46. Half of the lines of
// go.sum belong to the module of stringprep, which names old modules; others belong to what the tests of the packages import that a
// program imports. Such a test imports no package for JavaScript.
const (
	mostIndirect = 7
	mostSums     = 44
)

// TestAUsersModuleStaysSmall tidies the module of a program that uses the driver.
func TestAUsersModuleStaysSmall(t *testing.T) {
	readPackages(t, "bson", "runtime/mongo")
	dir := t.TempDir()
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, map[string]string{
		"go.mod": "module example.com/user\n\ngo 1.26.0\n\nrequire github.com/specdrivers/onion v0.0.0\n\n" +
			"replace github.com/specdrivers/onion => " + filepath.ToSlash(repository) + "\n",
		"main.go": `package main

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

func main() {
	ctx := context.Background()
	client, err := mongo.Connect(ctx, "mongodb://localhost:27017")
	if err == nil {
		_, err = client.Database("shop").Collection("users").InsertOne(ctx, bson.Doc("name", "Ada"))
	}
	if err != nil {
		panic(err)
	}
}
`})
	if _, err := commandIn(dir, []string{"GOFLAGS=-mod=mod", "GOWORK=off"}, "go", "mod", "tidy"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(readText(t, dir, "go.mod"), "// indirect"); n == 0 || n > mostIndirect {
		t.Errorf("%d indirect modules, %d are the limit:\n%s", n, mostIndirect, readText(t, dir, "go.mod"))
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(sums), "\n"); n == 0 || n > mostSums {
		t.Errorf("%d lines in go.sum, %d are the limit:\n%s", n, mostSums, sums)
	}
}

// readPackages opens what decides the outcome, so that the go command runs the test again when it changes: it does not know what
// commands read that a test starts.
func readPackages(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range append(folders, ".") {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append(files, filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum")) {
			if _, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestProgramsRunWithoutAClone: go run and go install refuse PROGRAM@VERSION if its go.mod has a replace directive.
func TestProgramsRunWithoutAClone(t *testing.T) {
	programs := map[string]bool{}
	for _, page := range pagesForUsers(t) {
		for _, m := range regexp.MustCompile(`github\.com/specdrivers/onion/([\w/]+)@\w`).FindAllStringSubmatch(readText(t, root, page), -1) {
			programs[m[1]] = true
		}
	}
	for folder := range programs {
		if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
			t.Error(err)
		}
		for dir := folder; dir != "."; dir = path.Dir(dir) {
			if text, err := os.ReadFile(filepath.Join(root, dir, "go.mod")); err == nil && strings.Contains(string(text), "replace ") {
				t.Errorf("%s/go.mod has a replace directive, and pages run %s at a version", dir, folder)
			}
		}
	}
	if len(programs) < 2 {
		t.Errorf("pages run %v at a version", programs)
	}
}
