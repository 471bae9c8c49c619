package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// reportUnwritten lists the rows that a refresh added and that still need a person to fill them in.
func (s *session) reportUnwritten(stdout io.Writer) (behind bool, err error) {
	names, err := filesOf(s.specs, func(name string) bool { return path.Ext(name) == ".yaml" })
	for _, name := range names {
		var lines []string
		if f := s.files[name]; f != nil && !s.check {
			lines = f.lines
		} else if data, err := os.ReadFile(filepath.Join(s.specs, name)); err != nil {
			return behind, err
		} else if strings.Contains(string(data), load.Unwritten) {
			lines = strings.Split(string(data), "\n")
		}
		for i, line := range lines {
			if strings.Contains(line, load.Unwritten) {
				fmt.Fprintf(stdout,
					"unwritten specs/%s:%d: write what this row is about, and the columns that upstream does not have\n", name, i+1)
				behind = true
			}
		}
	}
	return behind, err
}
