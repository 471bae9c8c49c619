package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// listCompiled asks the go command for the packages of the driver and what is generated for it, and for the compiled form of all that
// they import.
func listCompiled(root string) ([]goPackage, map[string]string, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles", "./runtime/...", "./generated/...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var packages []goPackage
	compiled := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var p struct {
			goPackage
			Export string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, compiled, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("go list: %w", err)
		}
		compiled[p.ImportPath] = p.Export
		if isOurs(p.ImportPath) && len(p.GoFiles) > 0 {
			packages = append(packages, p.goPackage)
		}
	}
}
