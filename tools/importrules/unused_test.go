package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeTree writes files by their paths, from the root of a module.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestUnusedProblems(t *testing.T) {
	const txn = `package txn

func Next() { Next() }
func Called() { internal() }
func internal() { Inside() }
func Inside() {}
func (s State) Method() {}
`
	const caller = "package p\n\nimport tx \"" + module + "/generated/core/txn\"\n\nfunc f() { tx.Called() }\n"
	for _, test := range []struct {
		name, list, want string
		more             map[string]string
		fields           map[string]string
	}{
		{name: "a function that calls only itself", want: "generated/core/txn.Next: only tests use it; give it its caller or delete it"},
		{name: "a listed function", list: "generated/core/txn.Next  issue 1: soon\n"},
		{name: "a line without a reason", list: "generated/core/txn.Next\n", want: unusedFile + ": generated/core/txn.Next has no reason"},
		{
			name: "a line about a function in use", list: "# a comment\ngenerated/core/txn.Next  issue 1\ngenerated/core/txn.Called  issue 1\n",
			want: unusedFile + ": generated/core/txn.Called is used, or gone; take the line out",
		},
		{
			name: "a test is no use",
			more: map[string]string{"runtime/a_test.go": strings.ReplaceAll(caller, "Called", "Next")},
			want: "generated/core/txn.Next: only tests use it; give it its caller or delete it",
		},
		{name: "a value counts as a use", more: map[string]string{"runtime/a.go": strings.ReplaceAll(caller, "Called()", "Next")}},
		{
			name: "a constant that nobody reads", list: "generated/core/txn.Next issue 1",
			more: map[string]string{"generated/core/txn/c.go": "package txn\n\nconst (\n\tRead = 1\n\tForgotten = 2\n\tDouble = 2 * Read\n\tlocal = 3\n)\n\nfunc g() int { return Double }\n"},
			want: "generated/core/txn.Forgotten: only tests use it; give it its caller or delete it",
		},
		{
			name: "a constant of users that nobody reads", list: "generated/core/txn.Next issue 1",
			more: map[string]string{
				"generated/options/a.go": "package options\n\nconst (\n\tRead = 1\n\tForgotten = 2\n)\n\nfunc ForUsers() int { return Read }\n",
				"runtime/o.go":           "package p\n\nimport \"" + module + "/generated/options\"\n\nvar _ = options.Read\n",
			},
			want: "generated/options.Forgotten: only tests use it; give it its caller or delete it",
		},
		{
			name: "a value that only its own package names", list: "generated/core/txn.Next issue 1",
			more: map[string]string{
				"generated/core/wire/c.go": "package wire\n\nconst (\n\tSnappy CompressorID = 1\n\tZlib CompressorID = 2\n)\n\nfunc Name() CompressorID { return Zlib + Snappy }\n",
				"runtime/w.go":             "package p\n\nimport \"" + module + "/generated/core/wire\"\n\nvar _ = wire.Name() + wire.Snappy\n",
			},
			want: "generated/core/wire.Zlib: no code handles it; write the code, or delete its row",
		},
		{
			name: "a field without effect", list: "generated/core/txn.Next issue 1", fields: map[string]string{"generated/options.Client.Size": "specs/client.yaml"},
			want: "generated/options.Client.Size: nothing in runtime makes use of it; write the code that does, or delete its row in specs/client.yaml",
		},
		{
			name: "a package without an importer", list: "generated/core/txn.Next issue 1",
			more: map[string]string{"generated/core/gridfs/a.go": "package gridfs\n\nfunc F() {}\n"},
			want: "generated/core/gridfs: only tests use it; give it its caller or delete it",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"generated/core/txn/a.go": txn, "runtime/b.go": caller, unusedFile: test.list}
			for name, text := range test.more {
				files[name] = text
			}
			got, err := unusedProblems(writeTree(t, files), test.fields)
			if err != nil || strings.Join(got, "\n") != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}
