package mongotest

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// Seed stores documents in a collection, "db.collection", without a client. A document is anything that [bson.Marshal]
// takes. Seed fails where an insert by a client would fail.
func (d *Deployment) Seed(namespace string, documents ...any) error {
	raws := make([]bson.Raw, len(documents))
	for i, doc := range documents {
		raw, err := bson.Marshal(doc)
		if err != nil {
			return fmt.Errorf("mongotest: document %d for %s: %w", i, namespace, err)
		}
		raws[i] = raw
	}
	return d.seed(namespace, raws)
}

// SeedJSON stores documents written in extended JSON: one document, an array, or one document after the other as
// mongoexport writes them.
func (d *Deployment) SeedJSON(namespace, text string) error {
	raws, err := documentsOf(text)
	if err != nil {
		return fmt.Errorf("mongotest: documents for %s: %w", namespace, err)
	}
	return d.seed(namespace, raws)
}

// SeedDir stores the files of a folder: db/collection.json and db.collection.json in extended JSON, and
// db/collection.bson with db/collection.metadata.json as mongodump writes them. The metadata holds the options and
// indexes of the collection.
func (d *Deployment) SeedDir(folder string) error {
	var metadata, documents []string // a collection gets its options before its documents
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
		case strings.HasSuffix(path, ".metadata.json"):
			metadata = append(metadata, path)
		default:
			documents = append(documents, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, path := range append(metadata, documents...) {
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if err := d.seedFile(path, strings.ReplaceAll(filepath.ToSlash(relative), "/", ".")); err != nil {
			return err
		}
	}
	return nil
}

// seedFile stores one file. Its name within the folder is the namespace plus an extension.
func (d *Deployment) seedFile(path, name string) error {
	var load func(namespace string, data []byte) error
	namespace, isMetadata := strings.CutSuffix(name, ".metadata.json")
	switch {
	case isMetadata:
		load = d.seedMetadata
	case strings.HasSuffix(name, ".json"):
		namespace = strings.TrimSuffix(name, ".json")
		load = func(namespace string, data []byte) error { return d.SeedJSON(namespace, string(data)) }
	case strings.HasSuffix(name, ".bson"):
		namespace = strings.TrimSuffix(name, ".bson")
		load = d.seedBSON
	default:
		return nil
	}
	if strings.HasPrefix(namespace, "oplog") || strings.Contains(namespace, ".system.") {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := load(namespace, data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (d *Deployment) seedBSON(namespace string, data []byte) error {
	var raws []bson.Raw
	for len(data) > 0 {
		if len(data) < 5 {
			return fmt.Errorf("mongotest: %d bytes behind the last document", len(data))
		}
		size := binary.LittleEndian.Uint32(data)
		if size < 5 || uint64(size) > uint64(len(data)) {
			return fmt.Errorf("mongotest: a document of %d bytes where %d are left", size, len(data))
		}
		raws, data = append(raws, bson.Raw(data[:size])), data[size:]
	}
	return d.seed(namespace, raws)
}

// seedMetadata creates a collection with the options and indexes of a dump.
func (d *Deployment) seedMetadata(namespace string, data []byte) error {
	list, err := documentsOf(string(data))
	if err != nil || len(list) != 1 {
		return fmt.Errorf("mongotest: the metadata of %s: %d documents, %w", namespace, len(list), err)
	}
	db, name, _ := strings.Cut(namespace, ".")
	create := bson.Doc("create", name)
	options, _ := list[0].Lookup("options").DocumentOK()
	for key, v := range options.All() {
		create = append(create, bson.E{Key: key, Value: v})
	}
	if len(create) > 1 {
		if err := d.run(db, create); err != nil {
			return err
		}
	}
	indexes := bson.A{}
	array, _ := list[0].Lookup("indexes").ArrayOK()
	for _, item := range array.All() {
		index, ok := item.DocumentOK()
		if name, _ := index.Lookup("name").StringOK(); !ok || name == "_id_" {
			continue
		}
		spec := bson.D{}
		for key, v := range index.All() {
			if key != "ns" {
				spec = append(spec, bson.E{Key: key, Value: v})
			}
		}
		indexes = append(indexes, spec)
	}
	if len(indexes) == 0 {
		return nil
	}
	return d.run(db, bson.Doc("createIndexes", name, "indexes", indexes))
}

// seed inserts documents in batches as large as a command may have.
func (d *Deployment) seed(namespace string, documents []bson.Raw) error {
	db, name, ok := strings.Cut(namespace, ".")
	if !ok {
		return fmt.Errorf("mongotest: %q is not a namespace such as \"shop.users\"", namespace)
	}
	for len(documents) > 0 {
		n := min(len(documents), 10_000)
		batch := bson.A{}
		for _, doc := range documents[:n] {
			batch = append(batch, doc)
		}
		if err := d.run(db, bson.Doc("insert", name, "documents", batch)); err != nil {
			return err
		}
		documents = documents[n:]
	}
	return nil
}

// run executes a command without a connection.
func (d *Deployment) run(db string, command bson.D) error {
	_, err := d.cluster.Run(context.Background(), db, command)
	return err
}

// documentsOf reads extended JSON: documents one after the other, or an array.
func documentsOf(text string) ([]bson.Raw, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "[") {
		var outer struct{ D []bson.Raw }
		if err := bson.UnmarshalExtJSON([]byte(`{"D":`+text+`}`), false, &outer); err != nil {
			return nil, err
		}
		return outer.D, nil
	}
	var list []bson.Raw
	for _, part := range splitDocuments(text) {
		var doc bson.Raw
		if err := bson.UnmarshalExtJSON([]byte(part), false, &doc); err != nil {
			return nil, err
		}
		list = append(list, doc)
	}
	return list, nil
}

// splitDocuments splits a text of consecutive documents.
func splitDocuments(text string) (parts []string) {
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			if depth == 0 {
				start = i
			}
			depth++
		case c == '}':
			if depth--; depth == 0 {
				parts = append(parts, text[start:i+1])
			}
		}
	}
	if rest := strings.TrimSpace(text[start:]); depth != 0 || len(parts) == 0 && rest != "" {
		parts = append(parts, rest) // so that the decoder reports the error
	}
	return parts
}
