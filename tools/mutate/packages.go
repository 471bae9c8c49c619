package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// packages says which tests depend on which package.
type packages struct {
	module string
	tests  map[string][]string // from a package with tests to the packages that its test binary contains
}

// notAsked are directories whose tests examine the checkout itself, not the generated packages.
var notAsked = []string{"gen", "tools"}

func listPackages(root string) (*packages, error) {
	p := &packages{tests: map[string][]string{}}
	cmd := exec.Command("go", "list", "-e", "-test", "-json=ImportPath,Deps,Module", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var one struct {
			ImportPath string
			Deps       []string
			Module     *struct{ Path string }
		}
		if err := dec.Decode(&one); errors.Is(err, io.EOF) {
			return p, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if one.Module != nil && p.module == "" {
			p.module = one.Module.Path
		}
		name, isTest := strings.CutSuffix(one.ImportPath, ".test")
		if !isTest || strings.Contains(name, " ") || p.isIgnored(name) {
			continue
		}
		for _, dep := range one.Deps {
			dep, _, _ = strings.Cut(dep, " [")
			p.tests[name] = append(p.tests[name], dep)
		}
	}
}

func (p *packages) isIgnored(name string) bool {
	top, _, _ := strings.Cut(strings.TrimPrefix(name, p.module+"/"), "/")
	return slices.Contains(notAsked, top)
}

// affectedBy lists the packages whose tests depend on one of some files of the module.
func (p *packages) affectedBy(files []string) []string {
	var out []string
	for name, deps := range p.tests {
		if slices.ContainsFunc(files, func(f string) bool {
			changed := p.module + "/" + filepath.ToSlash(filepath.Dir(f))
			return name == changed || slices.Contains(deps, changed)
		}) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
