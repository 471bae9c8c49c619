package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"gopkg.in/yaml.v3"
)

// reportUnanchored reports the numbers of values.yaml and of the wire protocol, and the releases of features, for which
// facts.yaml names neither a sentence of upstream nor a reason why there is none. A change of such a number upstream would go
// unnoticed.
func (s *session) reportUnanchored(stdout io.Writer) (behind bool, err error) {
	facts, err := s.table(factTable)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	known := map[string]bool{}
	for _, list := range []string{"rows", "spelled"} {
		for _, n := range column(facts.root, list).Content {
			known[column(n, "file").Value+" "+column(n, "row").Value] = true
		}
	}
	paths, err := fs.Glob(os.DirFS(s.specs), "*/values.yaml")
	if err != nil {
		return false, err
	}
	for _, path := range append(paths, "wire/protocol.yaml", "wire/versions.yaml") {
		f, err := s.table(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		for _, n := range numberedRows(f.root) {
			if name := keyOf(n, "name"); !known[path+" "+name] && column(n, "override") == nil {
				fmt.Fprintf(stdout, "error specs/%s:%d %s: specs/%s names no sentence of upstream for it\n", path, n.Line, name, factTable)
				behind = true
			}
		}
	}
	return behind, nil
}

// numberedRows lists the rows with a name that hold a quantity, a code or a release.
func numberedRows(root *yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	for i := 1; i < len(root.Content); i += 2 {
		if root.Content[i].Kind != yaml.SequenceNode {
			continue
		}
		for _, n := range root.Content[i].Content {
			quantity := slices.ContainsFunc([]string{"value", "code"}, func(c string) bool {
				v := column(n, c)
				return v != nil && (v.Tag == "!!int" || v.Tag == "!!float")
			})
			if column(n, "name") != nil && (quantity || column(n, "duration") != nil || column(n, "since") != nil) {
				out = append(out, n)
			}
		}
	}
	return out
}
