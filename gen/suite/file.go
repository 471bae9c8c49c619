package suite

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite/source"
)

// File is a test file.
type File struct {
	Path   string // as found, slash-separated
	Suite  string // the folder of the specification that it tests
	Folder string // the folders between the specification's tests and the file; empty for none
	Base   string // the name without folder and extension
	Format string // the name of its format; empty when no format fits
	Root   *source.Node
	Err    error // why it could not be read

	among      string   // the suite, if its package also has files of other suites
	zone       []record // the DNS records of a seedlist suite
	ident      string   // what the identifiers that its cases share begin with
	deprecated bool     // a case uses a deprecated option
}

// Name is the path of the file below its suite, without extension: what skips.yaml calls it.
func (f *File) Name() string { return path.Join(f.Folder, f.Base) }

// localName names the file in the package of its cases.
func (f *File) localName() string { return path.Join(f.among, f.Name()) }

// Find reads every test file below root. If a file exists both as JSON and as YAML, Find reads only the JSON. If some
// folders are called tests, Find reads only those folders, because the rest of a specification is not a test. It skips
// the suites that keep rejects.
func Find(fsys fs.FS, keep func(suite string) bool) ([]*File, error) {
	names, err := list(fsys)
	if err != nil {
		return nil, err
	}
	var files []*File
	for _, name := range names {
		f := parsePath(name)
		if keep != nil && !keep(f.Suite) {
			continue
		}
		f.read(fsys)
		files = append(files, f)
	}
	return files, nil
}

// list names the test files. Of a pair of .json and .yml it names one.
func list(fsys fs.FS) ([]string, error) {
	var names []string
	tests := false
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != "." {
			return fs.SkipDir
		}
		if ext := path.Ext(name); !d.IsDir() && (ext == ".json" || ext == ".yml" || ext == ".yaml") {
			names = append(names, name)
			tests = tests || isInTests(name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	stems := map[string]bool{}
	for _, name := range names {
		if path.Ext(name) == ".json" {
			stems[strings.TrimSuffix(name, ".json")] = true
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		ext := path.Ext(name)
		stem := strings.TrimSuffix(name, ext)
		if tests && !isInTests(name) {
			return true
		}
		if ext != ".json" && stems[stem] {
			return true
		}
		stems[stem] = true
		return false
	}), nil
}

func isInTests(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "tests")
}

// parsePath derives suite and folder from a path like source/<suite>/tests/<folder>/<file>, or <suite>/<folder>/<file>.
func parsePath(name string) *File {
	f := &File{Path: name, Base: strings.TrimSuffix(path.Base(name), path.Ext(name))}
	dirs := strings.Split(path.Dir(name), "/")
	if dirs[0] == "source" && len(dirs) > 1 {
		dirs = dirs[1:]
	}
	switch i := slices.Index(dirs, "tests"); {
	case i > 0:
		f.Suite, f.Folder = dirs[i-1], path.Join(dirs[i+1:]...)
	case i == 0:
		f.Suite, f.Folder = "tests", path.Join(dirs[1:]...)
	case dirs[0] == ".":
		f.Suite = "tests"
	default:
		f.Suite, f.Folder = dirs[0], path.Join(dirs[1:]...)
	}
	return f
}

func (f *File) read(fsys fs.FS) {
	data, err := fs.ReadFile(fsys, f.Path)
	if err != nil {
		f.Err = err
		return
	}
	if path.Ext(f.Path) == ".json" {
		f.Root, f.Err = load.Remember(string(data), func() (*source.Node, error) { return source.ParseJSON(data) })
	} else {
		f.Root, f.Err = load.Remember(string(data), func() (*source.Node, error) { return source.ParseYAML(data) })
	}
	if f.Err != nil {
		return
	}
	if f.Format = detect(f); f.Format == "dns-seedlist" {
		f.zone = readZone(fsys, f.Path)
	}
}

// readProblem adds the place to an error from reading a file.
func (f *File) readProblem(from string) load.Problem {
	if e, ok := errors.AsType[*source.Error](f.Err); ok {
		return load.Problem{Pos: load.Pos{File: from + f.Path, Line: e.Line}, Text: e.Text}
	}
	return load.Problem{Pos: load.Pos{File: from + f.Path}, Text: f.Err.Error()}
}
