package mongo_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestTopicsHaveExamples lists the tasks that users ask about, with the example of each: here, in the guides, or where
// the folder is named.
func TestTopicsHaveExamples(t *testing.T) {
	shown := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "guide/*_test.go", "../mongootel/*_test.go", "../../bson/*_test.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, example := range doc.Examples([]*ast.File{file}...) {
				shown[example.Name] = example.Output != ""
			}
		}
	}
	for topic, examples := range map[string][]string{
		"monitors":                           {"Connect_monitors", "_slowCommands"},
		"slog":                               {"Connect_slog", "_log"},
		"TLS":                                {"Connect_tls"},
		"SCRAM":                              {"Connect_scram", "_password"},
		"PLAIN":                              {"Connect_plain"},
		"X.509":                              {"Connect_x509", "_clientCertificate"},
		"AWS":                                {"Connect_aws"},
		"OIDC":                               {"Connect_oidc", "_oidc"},
		"custom types":                       {"_codec", "_bigInt", "NewCodec_uuid", "NewCodec_decimal"},
		"transient errors":                   {"Session_StartTransaction_transientErrors", "Session_WithTransaction"},
		"streams that resume after restarts": {"Collection_Watch_resumeAfterRestart"},
		"GridFS over HTTP":                   {"GridFSBucket_FS_http"},
		"pagination":                         {"Collection_Find_pagination"},
		"upserts":                            {"Collection_UpdateOne_upsert"},
		"optimistic locking":                 {"Collection_UpdateOne_optimisticLocking"},
	} {
		for _, name := range examples {
			if !shown[name] {
				t.Errorf("%s: Example%s is missing, or has no output", topic, name)
			}
		}
	}
}
