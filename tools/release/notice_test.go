package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNoticeNamesWhatUsersLink compares NOTICE with the modules that a user's program can link, and with the data of
// others that the repository holds.
func TestNoticeNamesWhatUsersLink(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	notice := string(text)
	required := regexp.MustCompile(`(?m)^(?:require )?\s+([\w.]+\.[\w]+/\S+) v`)
	known := map[string]bool{}
	for _, folder := range []string{".", "runtime/mongootel", "runtime/mongokrb5"} {
		mod, err := os.ReadFile(filepath.Join(root, folder, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range required.FindAllStringSubmatch(string(mod), -1) {
			name := regexp.MustCompile(`/v\d+$`).ReplaceAllString(m[1], "")
			if name == "github.com/specdrivers/onion" {
				continue
			}
			if strings.HasPrefix(name, "go.opentelemetry.io/otel") {
				name = "go.opentelemetry.io/otel" // one repository, one licence
			}
			known[name] = true
			if !regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(name) + ` +\S`).MatchString(notice) {
				t.Errorf("%s: NOTICE does not name %s with its licence", folder, name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^  (\S+) +\S`).FindAllStringSubmatch(notice, -1) {
		if !known[m[1]] {
			t.Errorf("NOTICE names %s, which no go.mod requires", m[1])
		}
	}
	for _, data := range []struct{ file, holds, named string }{
		{"specs/encryption/folding.yaml", "Unicode", "Unicode Character Database"},
		{"tools/mongotest/internal/fulltext/stopwords.go", "Snowball", "stop words"},
		{"runtime/internal/encrypt/testdata/README.md", "libmongocrypt", "libmongocrypt"},
	} {
		held, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(data.file)))
		if err != nil || !strings.Contains(string(held), data.holds) {
			t.Errorf("%s does not hold %q any more, %v", data.file, data.holds, err)
		}
		if !strings.Contains(notice, data.named) {
			t.Errorf("NOTICE does not name %s", data.named)
		}
	}
}

// TestNoticeNamesForeignFolders finds every LICENSE that is not the repository's own: NOTICE says whose it is.
func TestNoticeNamesForeignFolders(t *testing.T) {
	root := filepath.Join("..", "..")
	notice, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == ".git" {
			return errSkip(err)
		}
		if d.Name() != "LICENSE" || filepath.Dir(path) == root {
			return nil
		}
		found++
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.Contains(string(notice), filepath.Base(folder)) {
			return nil
		}
		for _, room := range []string{"runtime/internal/encrypt", "runtime/internal/queryanalysis"} {
			if strings.Contains(folder, room+"/") && strings.Contains(string(notice), room) {
				return nil
			}
		}
		t.Errorf("NOTICE does not say whose %s is", path)
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d files, %v", found, err)
	}
}

func errSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}
