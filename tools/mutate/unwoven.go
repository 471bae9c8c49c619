package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/specdrivers/onion/tools/mutate/planted"
	"github.com/specdrivers/onion/tools/mutate/source"
)

// findInlined finds the tests of a package that fail only in its woven binary. The compiler does not inline woven functions, so
// tests of allocations fail there.
func (b *bench) findInlined(ctx context.Context, name string, tests *binary) error {
	for _, test := range tests.failing {
		got, err := b.test(ctx, "", []string{name}, true, test)
		if err != nil {
			return err
		}
		if len(got.failed) == 0 {
			tests.inlined = append(tests.inlined, test)
		}
	}
	tests.failing = slices.DeleteFunc(tests.failing, func(test string) bool { return slices.Contains(tests.inlined, test) })
	return nil
}

// killsUnwoven runs tests in a build of their own, which has the mutant in place of the original code and nothing else woven in.
func (b *bench) killsUnwoven(ctx context.Context, m *source.Mutant, name string, tests []string) (bool, error) {
	if len(tests) == 0 {
		return false, nil
	}
	folder, err := os.MkdirTemp(b.scratch, "alone")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(b.root, filepath.FromSlash(m.File.Name))
	overlay, err := planted.Write(map[string]string{file: m.Text()}, folder)
	if err != nil {
		return false, err
	}
	for range 2 { // on a busy machine a test may fail without any mutant
		got, err := b.test(ctx, overlay, []string{name}, true, tests...)
		if err != nil {
			return false, err
		}
		if got.broken {
			return false, fmt.Errorf("%s:%d: %s does not compile in a build of its own", m.File.Name, m.Line(), m.What)
		}
		if len(got.failed) == 0 {
			return false, nil
		}
	}
	return true, nil
}
