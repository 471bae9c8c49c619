package model

import (
	"go/token"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Package is one package below generated/ with its package comment.
type Package struct {
	Path, Doc string
}

// NewPackages checks the table of generated packages.
func NewPackages(t *load.Tables) []Package {
	var out []Package
	paths := newUnique[string](t)
	for _, r := range t.Packages().Rows {
		paths.add(r.Path, r.Path, r.At, "package %s is listed twice", r.Path)
		checkSentence(t, r.At, r.Doc)
		for part := range strings.SplitSeq(r.Path, "/") {
			if !token.IsIdentifier(part) {
				t.Problemf(r.At, "%q is not the path of a package below generated", r.Path)
				break
			}
		}
		out = append(out, Package{Path: r.Path, Doc: r.Doc})
	}
	return out
}
