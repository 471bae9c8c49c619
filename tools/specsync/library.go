package main

import (
	"bytes"
	"os"
	"path/filepath"
)

// library opens the documents of a checkout. It reads each into lines and sections once while its text stays the same.
// Consecutive runs may share it.
type library map[string]*volume

type volume struct {
	data     []byte
	document *document
	pinned   []pinnedSection // the sections with their fingerprints, once somebody asked
}

// open is the function of the same name, but returns a copy that has no marks yet.
func (l library) open(root, path string) (*document, error) {
	data, err := os.ReadFile(filepath.Join(root, "source", filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	v := l[path]
	if v == nil || !bytes.Equal(v.data, data) {
		v = &volume{data: data, document: parse(path, data)}
		v.document.sections()
		l[path] = v
	}
	return &document{path: path, lines: v.document.lines, spans: v.document.spans, tables: map[int]bool{}}, nil
}

// fingerprints are the pins that the sections of a document would have now.
func (l library) fingerprints(d *document) []pinnedSection {
	v := l[d.path]
	if v != nil && v.pinned != nil {
		return v.pinned
	}
	var out []pinnedSection
	for _, s := range d.sections() {
		sentences := d.sentences(s)
		out = append(out, pinnedSection{name: s.name, fingerprint: fingerprint(sentences), hashes: hashes(sentences)})
	}
	if v != nil {
		v.pinned = out
	}
	return out
}
