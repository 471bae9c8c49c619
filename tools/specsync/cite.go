package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// syncReferences looks up every section that a row of the tables refers to. A person has to say where a rule stands now,
// so that a section that is gone is only reported. Tables without documents.yaml refer to nothing.
func syncReferences(from, specs string, stdout io.Writer) (behind bool) {
	if _, err := os.Stat(specs + "/documents.yaml"); err != nil {
		return false
	}
	tables := load.NewTables(os.DirFS(specs))
	paths := map[string]string{}
	for _, d := range tables.Documents().Rows {
		paths[d.Name] = d.Path
	}
	shelf := map[string]map[string]bool{}
	for _, r := range tables.References() {
		path, named := paths[r.Document]
		if !named {
			path = r.Document
		}
		if path == "" {
			continue // it is outside the repository
		}
		if shelf[path] == nil {
			d, err := open(from, path)
			if err != nil {
				fmt.Fprintf(stdout, "error %s: %v\n", r.At, err)
				behind, d = true, &document{}
			}
			shelf[path] = d.titles()
		}
		for _, s := range r.Sections {
			if !shelf[path][title(s)] {
				fmt.Fprintf(stdout, "error %s: %s has no section %q\n", r.At, path, s)
				behind = true
			}
		}
	}
	return behind
}

var (
	typeName = regexp.MustCompile(`^ *(?:class|interface|enum) (\w+)\b`)
	markup   = strings.NewReplacer("`", "", "*", "", `"`, "", `\`, "")
)

// titles are the headings and declarations of a document.
func (d *document) titles() map[string]bool {
	out := map[string]bool{}
	for _, line := range d.lines {
		if m := heading.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			out[title(m[1])] = true
		} else if m := typeName.FindStringSubmatch(line); m != nil {
			out[m[1]] = true
		}
	}
	return out
}

// title is a heading without markup.
func title(text string) string { return markup.Replace(link.ReplaceAllString(text, "$1")) }
