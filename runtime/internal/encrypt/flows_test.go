package encrypt

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// The vectors of whole commands. Each directory has a command, the client's knowledge of its collection, the request to
// mongocryptd with its answer, and the command that is sent. The files in a directory decide how it runs:
// another directory of the same kind needs no code.

// flow is one directory.
type flow struct {
	dir     string
	command string // the file with the command, by default cmd.json
}

// filesElsewhere maps directories to the files in other directories that they use: commands, and for one directory everything else.
var filesElsewhere = map[string]string{
	"fle2-create-encrypted-collection-encrypted-fields-unset-str-encode-version": "fle2-create-encrypted-collection/cmd.json",
	"compact/no-fields": "compact/success/cmd.json",
	"cleanup/no-fields": "cleanup/success/cmd.json",
}

// lenders names the directory from which another directory takes its missing files.
var lenders = map[string]string{
	"fle2-create-encrypted-collection-encrypted-fields-unset-str-encode-version": "fle2-create-encrypted-collection-with-str-encode-version",
}

// readFirst reads the first of some files that a directory has.
func (f flow) readFirst(t *testing.T, names ...string) bson.Raw {
	t.Helper()
	for _, dir := range []string{f.dir, lenders[f.dir]} {
		for _, name := range names {
			if doc, ok := readVector(t, dir, name); ok && dir != "" {
				return doc
			}
		}
	}
	return nil
}

// readVector reads a file of the vectors, if it is there.
func readVector(t *testing.T, path ...string) (bson.Raw, bool) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{vectors.Folder("testdata/vectors")}, path...)...))
	if os.IsNotExist(err) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	doc, err := bson.LegacyExtJSONToRaw(b)
	if err != nil {
		t.Fatal(path, err)
	}
	return doc, true
}

func mustReadVector(t *testing.T, path ...string) bson.Raw {
	t.Helper()
	doc, ok := readVector(t, path...)
	if !ok {
		t.Fatalf("there is no vector %v", path)
	}
	return doc
}

// splitNamespaces reads a file that holds documents by namespace.
func splitNamespaces(doc bson.Raw) map[string]bson.Raw {
	out := map[string]bson.Raw{}
	for name, v := range doc.All() {
		out[name], _ = v.DocumentOK()
	}
	return out
}

// findFlows finds the directories that have a command and the command that is sent.
func findFlows(t *testing.T) []flow {
	t.Helper()
	var out []flow
	err := filepath.WalkDir(vectors.Folder("testdata/vectors"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		dir, err := filepath.Rel(vectors.Folder("testdata/vectors"), path)
		if err != nil {
			return err
		}
		f := flow{dir: filepath.ToSlash(dir), command: filepath.ToSlash(dir) + "/cmd.json"}
		if at, ok := filesElsewhere[f.dir]; ok {
			f.command = at
		}
		_, ok := readVector(t, f.command)
		if ok && (f.sentCommand(t) != nil || f.readFirst(t, "mongocryptd-reply.json") != nil) {
			out = append(out, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sentCommand reads the command that the driver must send.
func (f flow) sentCommand(t *testing.T) bson.Raw {
	return f.readFirst(t, "encrypted-payload.json", "encrypted-payload-v2.json", "encrypted-payload-pattern.json", "cmd-to-mongod.json", "payload.json")
}

// newAuto returns an Auto with the options, the server and the keys of a directory.
func (f flow) newAuto(t *testing.T) *Auto {
	t.Helper()
	a := &Auto{
		Ring: ringOfVectors(t, f.dir), Random: f.randomBytes(t),
		EncryptedFields: splitNamespaces(f.readFirst(t, "encrypted-field-config-map.json", "encrypted-field-map.json", "encryptedFieldsMap.json")),
		Schemas:         splitNamespaces(f.readFirst(t, "schema-map.json", "schema_map.json", "schemaMap.json")),
		Collections: func(_ context.Context, _ string, names []string) ([]bson.Raw, error) {
			return f.readCollections(t, names), nil
		},
	}
	if f.dir == "fle2-find-explicit" || strings.HasPrefix(f.dir, "qe_keyAltName/c") && f.dir != "qe_keyAltName/create" {
		request := f.readFirst(t, "cmd-to-mongocryptd.json")
		if request == nil {
			request = mustReadVector(t, "qe_keyAltName", "cmd-to-mongocryptd.json")
		}
		schemas, _ := request.Lookup("encryptionInformation", "schema").DocumentOK()
		a.EncryptedFields = splitNamespaces(schemas)
	}
	return a
}

// readCollections returns the answers to listCollections. Each file holds one; the file's name may contain the collection's.
func (f flow) readCollections(t *testing.T, names []string) (infos []bson.Raw) {
	t.Helper()
	if info := f.readFirst(t, "collinfo.json"); info != nil {
		return []bson.Raw{info}
	}
	for _, name := range names {
		if info := f.readFirst(t, "collinfo-"+name+".json", "collInfo-"+name+".json"); info != nil {
			infos = append(infos, info)
		}
	}
	if len(infos) < len(names) { // a server may also return other collections
		files, _ := filepath.Glob(filepath.Join(vectors.Folder("testdata/vectors"), f.dir, "collInfo-*.json"))
		for _, file := range files {
			infos = append(infos, mustReadVector(t, f.dir, filepath.Base(file)))
		}
	}
	return infos
}

// database is where a command goes. A command over several collections goes to admin.
func database(cmd bson.Raw) string {
	if first, ok := cmd.Index(0); ok && first.Key == "bulkWrite" {
		return "admin"
	}
	return "db"
}

// randomBytes yields the bytes that the vectors drew, or those that upstream's tests draw.
func (f flow) randomBytes(t *testing.T) io.Reader {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors.Folder("testdata/vectors"), "rng-data.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]string
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	name := f.dir
	if strings.Contains(name, "/") {
		name = strings.TrimSuffix(name, "-v2")
	}
	switch {
	case strings.HasPrefix(name, "fle2-insert-text-search"), strings.HasSuffix(name, "with-str-encode-version"):
		name = "fle2-insert-v2" // their payloads come from its placeholder
	}
	drawn, ok := all[name]
	if !ok {
		return &repeating{}
	}
	b, err := hex.DecodeString(drawn)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b)
}

// answerWith replaces our analysis with a reply of mongocryptd, and checks that the schemas are the ones in its request.
func (f flow) answerWith(t *testing.T, reply bson.Raw) func(queryanalysis.Target, bson.Raw, queryanalysis.Schemas) (queryanalysis.Result, error) {
	return func(target queryanalysis.Target, cmd bson.Raw, schemas queryanalysis.Schemas) (queryanalysis.Result, error) {
		f.compareRequest(t, target, schemas)
		result := queryanalysis.Result{Command: cmd}
		for _, name := range target.Collections {
			result.Mode = max(result.Mode, schemas[name].Mode())
		}
		// Only hasEncryptedPlaceholders counts: some replies were edited by hand, and their other flag is wrong.
		marked, said := reply.Lookup("hasEncryptedPlaceholders").BooleanOK()
		doc, _ := reply.Lookup("result").DocumentOK()
		needed, asked := reply.Lookup("schemaRequiresEncryption").BooleanOK()
		if said && !marked || asked && !needed || doc == nil {
			return result, nil
		}
		refs, err := payload.KeysToEncrypt(doc)
		result.Command, result.Marked = removeFields(doc, "encryptionInformation"), len(refs) > 0
		return result, err
	}
}

// removeFields copies a document without some fields, at any depth.
func removeFields(doc bson.Raw, names ...string) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range doc.All() {
		switch {
		case slices.Contains(names, key):
		case v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array:
			dst = append(bson.AppendHeader(dst, v.Type, key), removeFields(bson.Raw(v.Value), names...)...)
		default:
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}

// compareRequest checks that the schemas that we found are in the request to mongocryptd.
func (f flow) compareRequest(t *testing.T, target queryanalysis.Target, schemas queryanalysis.Schemas) {
	t.Helper()
	request := f.readFirst(t, "cmd-to-mongocryptd.json")
	if request == nil {
		return
	}
	if several, ok := request.Lookup("csfleEncryptionSchemas").DocumentOK(); ok {
		for namespace, entry := range splitNamespaces(several) {
			doc, _ := entry.Lookup("jsonSchema").DocumentOK()
			remote, _ := entry.Lookup("isRemoteSchema").BooleanOK()
			want, err := queryanalysis.FromJSONSchema(doc, remote)
			if err != nil {
				t.Fatal(err)
			}
			_, name, _ := strings.Cut(namespace, ".")
			if got := schemas[name]; got.Mode() != want.Mode() || got.Mode() != queryanalysis.None && !reflect.DeepEqual(got, want) {
				t.Errorf("the schema of %s is %+v, want %+v", name, got, want)
			}
		}
		return
	}
	if doc, ok := request.Lookup("jsonSchema").DocumentOK(); ok {
		remote, _ := request.Lookup("isRemoteSchema").BooleanOK()
		want, err := queryanalysis.FromJSONSchema(doc, remote)
		if err != nil {
			t.Fatal(err)
		}
		if got := schemas[target.Collection]; got.Mode() != want.Mode() || got.Mode() != queryanalysis.None && !reflect.DeepEqual(got, want) {
			t.Errorf("the schema is %+v, want %+v", got, want)
		}
		return
	}
	all, _ := request.Lookup("encryptionInformation", "schema").DocumentOK()
	for namespace, doc := range splitNamespaces(all) {
		want, err := queryanalysis.FromEncryptedFields(doc)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(namespace, ".")
		if schemas[name].Mode() == queryanalysis.None && want.Mode() == queryanalysis.None {
			continue
		}
		if !reflect.DeepEqual(schemas[name], want) {
			t.Errorf("the schema of %s is %+v, want %+v", name, schemas[name], want)
		}
	}
}

// Each vector of a command yields exactly the bytes that are sent.
func TestFlows(t *testing.T) {
	all := findFlows(t)
	if len(all) < 50 {
		t.Fatalf("only %d vectors were found", len(all))
	}
	for _, f := range all {
		t.Run(f.dir, func(t *testing.T) {
			a := f.newAuto(t)
			if reply := f.readFirst(t, "mongocryptd-reply.json", "reply-from-mongocryptd.json"); reply != nil {
				a.analysis = f.answerWith(t, reply)
			}
			cmd := mustReadVector(t, f.command)
			got, err := a.Encrypt(t.Context(), database(cmd), cmd)
			if err != nil {
				t.Fatal(err)
			}
			want := f.sentCommand(t)
			if want == nil {
				want = cmd // nothing was marked
			}
			if !isLike(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
