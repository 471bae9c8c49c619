package encrypt

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// TestRequestsOfTheVectors runs the directories that show what the driver learns about collections, but not what it sends.
func TestRequestsOfTheVectors(t *testing.T) {
	mixed := analysis.BothFamilies()
	wrong := map[string]string{
		"lookup/csfle-view": "cannot auto encrypt a view", "lookup/mixed/csfle/qe": mixed, "lookup/mixed/qe/csfle": mixed,
	}
	ran := 0
	err := filepath.WalkDir(vectors.Folder("testdata/vectors")+"/lookup", func(path string, d fs.DirEntry, err error) error {
		dir, _ := filepath.Rel(vectors.Folder("testdata/vectors"), path)
		f := flow{dir: filepath.ToSlash(dir), command: filepath.ToSlash(dir) + "/cmd.json"}
		if err != nil || !d.IsDir() || f.sentCommand(t) != nil {
			return err
		}
		cmd, ok := readVector(t, f.command)
		if !ok {
			return nil
		}
		ran++
		t.Run(f.dir, func(t *testing.T) {
			a := f.newAuto(t)
			a.analysis = func(target queryanalysis.Target, cmd bson.Raw, schemas queryanalysis.Schemas) (queryanalysis.Result, error) {
				f.compareRequest(t, target, schemas)
				return queryanalysis.Analyze(target, cmd, schemas)
			}
			if reply := f.readFirst(t, "reply-from-mongocryptd.json"); reply != nil {
				a.analysis = f.answerWith(t, reply)
			}
			got, err := a.Encrypt(t.Context(), "db", cmd)
			if want := wrong[f.dir]; want != "" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
				return
			}
			if err != nil || !bytes.Equal(got, cmd) {
				t.Errorf("got %s, %v; want %s", got, err, cmd)
			}
		})
		return nil
	})
	if err != nil || ran < 8 {
		t.Errorf("%d directories, %v", ran, err)
	}
}

// TestBulkWritesOfTheVectors sends one command to collections with encryptedFields, without a query analysis, and with no schema.
func TestBulkWritesOfTheVectors(t *testing.T) {
	cmd := mustReadVector(t, "bulkWrite", "simple", "cmd.json")
	fields := splitNamespaces(mustReadVector(t, "bulkWrite", "simple", "encrypted-field-map.json"))
	a := &Auto{Ring: ringOfVectors(t, "keys"), Random: &repeating{}, EncryptedFields: fields, BypassAnalysis: true}
	got, err := a.Encrypt(t.Context(), "admin", cmd)
	if want := mustReadVector(t, "bulkWrite", "bypassQueryAnalysis", "payload.json"); err != nil || got.Len() != want.Len() {
		t.Errorf("got %s, %v; want %s", got, err, want)
	} else {
		for key, v := range want.All() { // in another order
			if !got.Lookup(key).Equal(v) {
				t.Errorf("%s is %s, want %s", key, got.Lookup(key), v)
			}
		}
	}
	a = &Auto{Ring: ringOfVectors(t, "keys"), Random: &repeating{}, Schemas: map[string]bson.Raw{"db.test": {5, 0, 0, 0, 0}}}
	f := flow{dir: "bulkWrite/jsonSchema"}
	a.analysis = func(target queryanalysis.Target, cmd bson.Raw, schemas queryanalysis.Schemas) (queryanalysis.Result, error) {
		f.compareRequest(t, target, schemas)
		return queryanalysis.Analyze(target, cmd, schemas)
	}
	if got, err := a.Encrypt(t.Context(), "admin", cmd); err != nil || !bytes.Equal(got, cmd) {
		t.Errorf("without a schema: got %s, %v", got, err)
	}
}
