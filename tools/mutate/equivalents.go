package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"
)

// equivalentsFile lists the mutants that no test can kill, each with the reason.
const equivalentsFile = "specs/equivalents.yaml"

// readEquivalents reads the reasons. A row names its mutant as the report does.
func readEquivalents(root string) (map[identity]string, error) {
	data, err := os.ReadFile(filepath.Join(root, equivalentsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var table struct {
		Rows []struct{ File, Row, Change, Was, Is, Because string }
	}
	if err := yaml.Unmarshal(data, &table); err != nil {
		return nil, fmt.Errorf("%s: %w", equivalentsFile, err)
	}
	reasons := map[identity]string{}
	for _, r := range table.Rows {
		if r.Because == "" {
			return nil, fmt.Errorf("%s: %s: %s has no reason", equivalentsFile, r.File, r.Row)
		}
		reasons[identity{r.File, r.Row, r.Change, r.Was, r.Is}] = r.Because
	}
	return reasons, nil
}
