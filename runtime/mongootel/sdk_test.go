package mongootel_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// OpenTelemetry, "External Dependencies": the SDK belongs to the program. Only tests import it.
func TestNothingButTestsImportsTheSDK(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) < 2 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			if strings.Contains(i.Path.Value, "otel/sdk") && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
	}
}
