package mongo_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
)

var update = flag.Bool("update", false, "rewrite the golden file of the shapes")

// structs are the structs of package options that no command encoder reads as its options. runtime/internal/exec lists
// the others.
var structs = []any{
	options.AWSCredentials{}, options.BulkWriteResult{}, options.ChangeEvent{},
	options.ChangeNamespace{}, options.Client{}, options.ClientBulkWriteDeleteResult{}, options.ClientBulkWriteInsertResult{}, options.ClientBulkWriteResult{},
	options.ClientBulkWriteUpdateResult{}, options.NamespaceWriteModel{}, options.Collation{},
	options.Collection{}, options.Credential{}, options.Database{}, options.DeleteManyModel{}, options.DeleteOneModel{},
	options.DeleteResult{}, options.DriverInfo{}, options.GridFSBucket{}, options.GridFSDownload{},
	options.GridFSFile{}, options.GridFSFind{}, options.GridFSName{}, options.GridFSOperation{}, options.GridFSUpload{},
	options.Hedge{}, options.IDPInfo{},
	options.Index{}, options.IndexModel{}, options.InsertManyResult{}, options.InsertOneModel{}, options.InsertOneResult{},
	options.ListSearchIndexes{}, options.LogLevels{}, options.OIDCArgs{}, options.OIDCCredential{}, options.ReadConcern{},
	options.ReadPreference{}, options.ReplaceOneModel{}, options.RunCommand{}, options.RunCursorCommand{}, options.SearchIndex{},
	options.SearchIndexModel{}, options.ServerAPI{}, options.Session{}, options.EndTransaction{}, options.SpanAttribute{},
	options.Tag{}, options.Tracing{}, options.Transaction{},
	options.TruncatedArray{}, options.UpdateDescription{}, options.UpdateManyModel{}, options.UpdateOneModel{},
	options.UpdateResult{}, options.WriteConcern{},
	options.AutoEncryption{},
	options.ClientEncryption{},
	options.DataKey{},
	options.RewrapManyDataKey{},
	options.RewrapManyDataKeyResult{},
	options.Encrypt{},
	options.Range{},
	options.String{},
	options.Substring{},
	options.Prefix{},
	options.Suffix{},
	options.ClusteredIndex{}, options.DefaultIndex{}, options.MapReduce{}, options.PreAndPostImages{}, options.TimeSeries{},
}

// TestShapesOfOptions compares these structs with a list that was checked against the specifications: their fields, the
// types, and the BSON names of decoded fields. Programs compile against them.
func TestShapesOfOptions(t *testing.T) {
	var got []string
	for _, s := range structs {
		typ := reflect.TypeOf(s)
		got = append(got, typ.Name())
		for i := range typ.NumField() {
			f := typ.Field(i)
			got = append(got, strings.TrimRight(fmt.Sprintf("  %s %s %s", f.Name, f.Type, f.Tag), " "))
		}
	}
	golden, want := goldenLines(t, "shapes.txt", got)
	if i := firstDifference(got, want); i >= 0 {
		t.Errorf("line %d of %s: got %q, want %q; -update writes it anew", i+1, golden, got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
	}
}

// goldenLines returns the path and the lines of a golden file. The flag -update writes them first.
func goldenLines(t *testing.T, name string, got []string) (golden string, want []string) {
	t.Helper()
	golden = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	return golden, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func firstDifference(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}

// TestShapesAreComplete looks for structs that are in neither list.
func TestShapesAreComplete(t *testing.T) {
	var known []string
	for _, s := range structs {
		known = append(known, reflect.TypeOf(s).Name())
	}
	encoders, err := os.ReadFile("../internal/exec/testdata/encoders.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../generated/options/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	declared := regexp.MustCompile(`(?m)^type ([A-Z]\w*) struct`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(known, m[1]) && !strings.Contains(string(encoders), "  options options."+m[1]+"\n") {
				t.Errorf("%s is in neither list", m[1])
			}
		}
	}
}
