package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// notedTables lists the tables whose rows the cases record. The function rows lists their rows.
var notedTables = []string{"bson/types", "server/hello", "server/transitions", "server/errors", "selection/rules", "pool/states",
	"auth/mechanisms", "auth/properties", "options/uri"}

// isExplored reports whether another check covers a table: decisions, whose explorers in runtime/internal/decide fail when a row
// decides nothing, or types for other tables, where importrules refuses what nothing reads.
func isExplored(name string) bool {
	folder, _, _ := strings.Cut(name, "/")
	return folder == "types" || slices.Contains(model.DecisionGroups, folder)
}

// namedRows lists the rows of every other table in specs, whatever its shape: the entries of its lists, and of the lists
// inside them. The text of its first column identifies a row.
func namedRows(specs fs.FS) ([]tableRow, error) {
	var all []tableRow
	err := fs.WalkDir(specs, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(load.FilesWithoutBehaviour(), name):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || path.Ext(name) != ".yaml":
			return nil
		}
		if slices.Contains(notedTables, strings.TrimSuffix(name, ".yaml")) || isExplored(name) {
			return nil
		}
		data, err := fs.ReadFile(specs, name)
		if err != nil {
			return err
		}
		var root yaml.Node
		if err := yaml.Unmarshal(data, &root); err != nil {
			return fmt.Errorf("specs/%s: %w", name, err)
		}
		if len(root.Content) == 1 {
			all = append(all, entries(strings.TrimSuffix(name, ".yaml"), "", root.Content[0])...)
		}
		return nil
	})
	return all, err
}

// entries lists the rows in the lists of an object.
func entries(table, above string, n *yaml.Node) []tableRow {
	var all []tableRow
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		list := n.Content[i+1]
		if list.Kind != yaml.SequenceNode {
			continue
		}
		for _, item := range list.Content {
			if item.Kind != yaml.MappingNode || len(item.Content) < 2 {
				continue
			}
			first := item.Content[1]
			if first.Kind != yaml.ScalarNode || first.Value == "" {
				all = append(all, entries(table, above, item)...)
				continue
			}
			name := above + first.Value
			if !hasNoDecision(table, item) {
				all = append(all, tableRow{table: table, row: name, names: goNames(item)})
			}
			all = append(all, entries(table, name+"/", item)...)
		}
	}
	return all
}

// hasNoDecision reports whether a row is only a name or data. No decision of the driver depends on an error code without a class.
// How texts fold is Unicode data, which a test compares as a whole.
func hasNoDecision(table string, row *yaml.Node) bool {
	switch table {
	case "encryption/folding":
		return true
	case "errors/codes":
	default:
		return false
	}
	for i := 0; i+1 < len(row.Content); i += 2 {
		if row.Content[i].Value == "classes" {
			return false
		}
	}
	return true
}

// nameColumns are the columns whose text a test of the row would contain.
var nameColumns = []string{"name", "go", "field", "option", "key", "event", "message", "attribute", "label",
	"operation", "value", "code", "text"}

// goNames returns the words with which a test can name a row.
func goNames(row *yaml.Node) []string {
	names := []string{row.Content[1].Value, "Is" + row.Content[1].Value}
	for i := 0; i+1 < len(row.Content); i += 2 {
		v := row.Content[i+1]
		if slices.Contains(nameColumns, row.Content[i].Value) && v.Kind == yaml.ScalarNode && len(v.Value) > 1 {
			names = append(names, v.Value)
		}
	}
	return names
}

// word matches the words of a string literal. One literal can name several rows.
var word = regexp.MustCompile(`[$.A-Za-z0-9_-]+`)

// wordsOfTests collects the identifiers and literals of our own tests. It includes the generated tests, but not those
// compiled from upstream's.
func wordsOfTests(root string) (map[string]bool, error) {
	words := map[string]bool{}
	for _, dir := range []string{"bson", "runtime", "generated", "tools/mongotest", "tools/suite"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "upstream" {
				return filepath.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(name, "_test.go") {
				return nil
			}
			src, err := os.ReadFile(name)
			if err == nil {
				addWords(words, src)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return words, nil
}

func addWords(words map[string]bool, src []byte) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(src)), src, nil, 0)
	for {
		_, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return
		case token.IDENT, token.INT:
			words[text] = true
		case token.STRING:
			if text, err := strconv.Unquote(text); err == nil {
				words[text] = true
				for _, w := range word.FindAllString(text, -1) {
					words[w] = true
				}
			}
		}
	}
}
