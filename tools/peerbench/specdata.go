package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// specData is the data of the specification, or as much of it as the scale needs.
type specData struct {
	documents []document // flat, deep, full, tweet, small, large
	grid      []byte
	ldjson    []string // files with one document a line
	perFile   int      // lines
	gridFiles []string
}

// ldjsonLines is how many documents a file of the import has.
const ldjsonLines = 5000

// loadSpecData reads the data below the checkout specs, or makes data of the same sizes if there is no checkout. Files
// for the parallel tasks go into a directory of their own below the process's temporary directory.
func loadSpecData(specs string, scale int) (d specData, err error) {
	if d.documents, _, err = documents(specs); err != nil {
		return d, err
	}
	dir := filepath.Join(os.TempDir(), "peerbench-data-"+strconv.Itoa(scale))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return d, err
	}
	d.perFile = ldjsonLines
	data := filepath.Join(specs, "source", "benchmarking", "data")
	wanted := map[string]int{"ldjson_multi": max(1, ldjsonFiles/scale), "gridfs_multi": max(1, gridFiles/scale)}
	err = errors.Join(d.readSingle(filepath.Join(data, "single_and_multi_document.tgz")),
		d.extract(filepath.Join(data, "parallel.tgz"), dir, wanted))
	if errors.Is(err, os.ErrNotExist) {
		err = d.makeUp(dir, wanted)
	}
	d.grid = d.grid[:min(len(d.grid), sizeOf("GridFS upload")/scale)]
	return d, err
}

// eachFile calls found for the files of an archive until it returns io.EOF.
func eachFile(name string, found func(h *tar.Header, r io.Reader) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if err == nil && h.Typeflag == tar.TypeReg {
			err = found(h, archive)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

func (d *specData) readSingle(name string) error {
	return eachFile(name, func(h *tar.Header, r io.Reader) error {
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		base := filepath.Base(h.Name)
		if base == "gridfs_large.bin" {
			d.grid = data
			return nil
		}
		raw, err := bson.ExtJSONToRaw(data, false)
		d.documents = append(d.documents, document{strings.TrimSuffix(strings.TrimSuffix(base, ".json"), "_doc"), raw})
		return err
	})
}

// extract writes the wanted number of files from each directory of the archive.
func (d *specData) extract(name, dir string, wanted map[string]int) error {
	left := map[string]int{}
	for k, n := range wanted {
		left[k] = n
	}
	return eachFile(name, func(h *tar.Header, r io.Reader) error {
		kind := filepath.Base(filepath.Dir(h.Name))
		if left[kind] == 0 {
			if len(d.ldjson) == wanted["ldjson_multi"] && len(d.gridFiles) == wanted["gridfs_multi"] {
				return io.EOF
			}
			return nil
		}
		left[kind]--
		path := filepath.Join(dir, filepath.Base(h.Name))
		d.add(kind, path)
		if info, err := os.Stat(path); err == nil && info.Size() == h.Size {
			return nil // left by an earlier run
		}
		return writeTo(path, func(f *os.File) error { _, err := io.Copy(f, r); return err })
	})
}

func (d *specData) add(kind, path string) {
	if kind == "ldjson_multi" {
		d.ldjson = append(d.ldjson, path)
	} else {
		d.gridFiles = append(d.gridFiles, path)
	}
}

// makeUp makes data of the specification's sizes.
func (d *specData) makeUp(dir string, wanted map[string]int) error {
	text := func(n int) string { return strings.Repeat("x", n) }
	list := make(bson.A, 0, 2500)
	for range cap(list) {
		list = append(list, bson.Doc("text", text(1000)))
	}
	for name, doc := range map[string]bson.D{
		"tweet": bson.Doc("text", text(140), "user", bson.Doc("name", text(20), "description", text(900)), "retweeted", false),
		"small": bson.Doc("oid", text(24), "text", text(180)),
		"large": bson.Doc("list", list),
	} {
		raw, err := bson.Marshal(doc)
		if err != nil {
			return err
		}
		d.documents = append(d.documents, document{name, raw})
	}
	random := rand.NewChaCha8([32]byte{})
	d.grid = make([]byte, sizeOf("GridFS upload"))
	random.Read(d.grid)
	line := `{"text": "` + text(1100) + `"}` + "\n"
	for kind, n := range wanted {
		data := []byte(strings.Repeat(line, ldjsonLines))
		if kind == "gridfs_multi" {
			data = d.grid[:sizeOf("GridFS multi-file upload")/gridFiles]
		}
		for i := range n {
			path := filepath.Join(dir, kind+strconv.Itoa(i))
			d.add(kind, path)
			if err := os.WriteFile(path, data, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizeOf returns how many bytes a benchmark handles.
func sizeOf(name string) int {
	for _, b := range benchmarks() {
		if b.Name == name {
			return int(b.Bytes)
		}
	}
	panic("peerbench: no benchmark is called " + name)
}

// readLines reads a file of documents, one a line.
func readLines(file string) ([][]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")), nil
}
