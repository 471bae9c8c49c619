package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// document is one of the documents that the tasks work on.
type document struct {
	name string
	raw  bson.Raw
}

// documents returns the flat, deep and full documents of the specifications' benchmark data, or documents of the same shape
// if there is no checkout. source says which.
func documents(specs string) (docs []document, source string, err error) {
	path := filepath.Join(specs, "source", "benchmarking", "data", "extended_bson.tgz")
	docs, err = benchmarkData(path)
	if errors.Is(err, os.ErrNotExist) {
		return ownDocuments(), "documents of our own, because there is no " + path, nil
	}
	return docs, path, err
}

func benchmarkData(path string) ([]document, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	found := map[string]bson.Raw{}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		name, ok := strings.CutSuffix(filepath.Base(header.Name), "_bson.json")
		if !ok || header.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if found[name], err = bson.ExtJSONToRaw(text, false); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, header.Name, err)
		}
	}
	var docs []document
	for _, name := range []string{"flat", "deep", "full"} {
		if found[name] == nil {
			return nil, fmt.Errorf("%s has no %s document", path, name)
		}
		docs = append(docs, document{name, found[name]})
	}
	return docs, nil
}

// ownDocuments makes a flat document of long strings and numbers, a binary tree of short strings, and one of all types.
func ownDocuments() []document {
	flat, flatStart := bson.AppendDocumentStart(nil)
	full, fullStart := bson.AppendDocumentStart(nil)
	for i := range 24 {
		key := func(kind string) string { return fmt.Sprintf("%s%02d", kind, i) }
		flat = bson.AppendStringElement(flat, key("text"), strings.Repeat("lorem ipsum ", 13))
		flat = bson.AppendStringElement(flat, key("word"), "Lorem ipsum")
		flat = bson.AppendInt32Element(flat, key("int"), int32(i*7919))
		flat = bson.AppendInt64Element(flat, key("long"), int64(i)<<40)
		flat = bson.AppendDoubleElement(flat, key("double"), float64(i)*1.25)
		flat = bson.AppendBooleanElement(flat, key("bool"), i%2 == 0)
	}
	for i := range 10 {
		key := func(kind string) string { return fmt.Sprintf("%s%02d", kind, i) }
		full = bson.AppendDoubleElement(full, key("double"), float64(i)/3)
		full = bson.AppendStringElement(full, key("string"), strings.Repeat("text ", 20))
		full = bson.AppendObjectIDElement(full, key("id"), bson.ObjectID{1, 2, 3, byte(i)})
		full = bson.AppendBooleanElement(full, key("bool"), true)
		full = bson.AppendDateTimeElement(full, key("date"), int64(i)*1e9)
		full = bson.AppendNullElement(full, key("null"))
		full = bson.AppendRegexElement(full, key("regex"), "^a.*b$", "i")
		full = bson.AppendJavaScriptElement(full, key("code"), "function() { return 1; }")
		full = bson.AppendTimestampElement(full, key("stamp"), uint32(i), 2)
		full = bson.AppendInt32Element(full, key("int"), int32(i))
		full = bson.AppendInt64Element(full, key("long"), int64(i)<<33)
		full = bson.AppendBinaryElement(full, key("binary"), 0, []byte("binary data"))
		full = bson.AppendDecimal128Element(full, key("decimal"), bson.NewDecimal128(0x3040<<48, uint64(i)))
	}
	return []document{
		{"flat", bson.AppendDocumentEnd(flat, flatStart)},
		{"deep", makeTree(6)},
		{"full", bson.AppendDocumentEnd(full, fullStart)},
	}
}

// makeTree returns a binary tree of 2^levels leaves.
func makeTree(levels int) bson.Raw {
	doc, start := bson.AppendDocumentStart(nil)
	for _, side := range []string{"left", "right"} {
		if levels == 1 {
			doc = bson.AppendStringElement(doc, side, "leafleaf")
		} else {
			doc = bson.AppendDocumentElement(doc, side, makeTree(levels-1))
		}
	}
	return bson.AppendDocumentEnd(doc, start)
}
