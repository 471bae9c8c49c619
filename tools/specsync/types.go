package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

const typeTable = "sync/types.yaml"

// typedTables are the folders whose rows have upstream's type beside one of ours.
var typedTables = []string{"options/types", "commands", "events", "logs"}

// syncTypes checks that each row's own type fits the one that upstream declares.
func (s *session) syncTypes(stdout io.Writer) (behind bool, err error) {
	f, err := s.table(typeTable)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	fits := map[string][]string{}
	for _, n := range column(f.root, "rows").Content {
		fits[column(n, "type").Value] = names(column(n, "ours"))
	}
	used := map[string]bool{}
	for _, folder := range typedTables {
		files, err := fs.Glob(os.DirFS(s.specs), path.Join(folder, "*.yaml"))
		if err != nil {
			return false, err
		}
		for _, name := range files {
			table, err := s.table(name)
			if err != nil {
				return false, err
			}
			eachTyped(table.root, func(n *yaml.Node, theirs, ours string) {
				used[theirs] = true
				if !slices.Contains(fits[theirs], ours) {
					fmt.Fprintf(stdout,
						"error specs/%s:%d: upstream's type is %s, and specs/%s does not say that %s fits it\n", name,
						n.Line, theirs, typeTable, ours)
					behind = true
				}
			})
		}
	}
	for _, n := range column(f.root, "rows").Content {
		if theirs := column(n, "type").Value; !used[theirs] {
			fmt.Fprintf(stdout, "error specs/%s:%d: no row has the type %s any more\n", typeTable, n.Line, theirs)
			behind = true
		}
	}
	return behind, nil
}

// eachTyped visits the rows that have both upstream's type and one of ours.
func eachTyped(n *yaml.Node, visit func(n *yaml.Node, theirs, ours string)) {
	if n.Kind == yaml.MappingNode {
		ours := column(n, "go")
		if ours == nil {
			ours = column(n, "kind")
		}
		if theirs := column(n, "type"); theirs != nil && ours != nil && !strings.HasPrefix(ours.Value, "Attr") {
			visit(n, theirs.Value, ours.Value)
		}
	}
	for _, below := range n.Content {
		eachTyped(below, visit)
	}
}
