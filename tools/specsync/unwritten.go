package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// unwritten lists the rows that a refresh added and that still need a person to fill them in.
func unwritten(specs string, stdout io.Writer) (behind bool, err error) {
	err = fs.WalkDir(os.DirFS(specs), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		data, err := fs.ReadFile(os.DirFS(specs), name)
		if err != nil {
			return err
		}
		number := 0
		for line := range strings.Lines(string(data)) {
			number++
			if strings.Contains(line, load.Unwritten) {
				fmt.Fprintf(stdout,
					"unwritten specs/%s:%d: write what this row is about, and the columns that upstream does not have\n",
					name, number)
				behind = true
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return behind, err
}
