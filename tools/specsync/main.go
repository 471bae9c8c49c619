package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	from := flag.String("from", "../shared/specifications", "checkout of the upstream specifications")
	specs := flag.String("specs", "specs", "directory of the tables")
	check := flag.Bool("check", false, "edit nothing and exit 1 when the tables are behind")
	grammar := flag.String("grammar", "", "file with the BSON grammar; without it the BSON tables stay as they are")
	root := flag.String("root", ".", "directory of the module, which the other paths count from")
	flag.Parse()
	if *from == "" {
		fmt.Fprintln(os.Stderr, "specsync: no checkout is named, the tables stay as they are")
		return
	}
	if err := os.Chdir(*root); err != nil {
		fmt.Fprintln(os.Stderr, "specsync:", err)
		os.Exit(2)
	}
	all := append(readers(), readNothingElse(*from))
	if *grammar != "" {
		all = append(all, readGrammar(*grammar))
	} else {
		fmt.Fprintln(os.Stderr, "specsync: no -grammar, the BSON tables stay as they are")
	}
	os.Exit(run(*from, *specs, *check, all, os.Stdout, os.Stderr))
}

// run is main without the process.
func run(from, specs string, check bool, readers []reader, stdout, stderr io.Writer) int {
	if _, err := os.Stat(from + "/source"); err != nil {
		fmt.Fprintf(stderr, "specsync: there is no checkout of the specifications in %s\n", from)
		return 2
	}
	s := session{specs: specs, documents: map[string]*document{}, files: map[string]*file{}}
	tables, ok := s.read(from, readers, stderr)
	if !ok {
		return 2
	}
	code, err := s.sync(tables, check, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "specsync:", err)
		return 2
	}
	behind, err := syncPins(from, specs, check, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "specsync:", err)
		return 2
	}
	unlike, err := syncFormat(from, specs, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "specsync:", err)
		return 2
	}
	lost := syncReferences(from, specs, stdout)
	if behind || unlike || lost {
		code = 1
	}
	return code
}

// sync reports and makes the changes. What a new row lacks is added in a second pass.
func (s *session) sync(tables []table, check bool, stdout io.Writer) (int, error) {
	code := 0
	for {
		changes, err := s.compare(tables)
		if err != nil {
			return 0, err
		}
		for _, c := range changes {
			fmt.Fprintln(stdout, c.text)
			if c.edit == nil || check {
				code = 1
			}
		}
		if check || len(s.changed) == 0 {
			return code, nil
		}
		if again, err := s.save(); err != nil || !again {
			return code, err
		}
	}
}

// session holds the documents and tables of one run, each opened once.
type session struct {
	specs     string
	documents map[string]*document
	files     map[string]*file
	changed   []*file
}

// read runs every reader, so that one run reports everything that is not understood.
func (s *session) read(from string, readers []reader, stderr io.Writer) ([]table, bool) {
	openDocument := func(path string) (*document, error) {
		if d := s.documents[path]; d != nil {
			return d, nil
		}
		d, err := open(from, path)
		if err == nil {
			s.documents[path] = d
		}
		return d, err
	}
	var out []table
	ok := true
	for _, r := range readers {
		tables, err := r(openDocument)
		if err != nil {
			fmt.Fprintln(stderr, err)
			ok = false
		}
		out = append(out, tables...)
	}
	return out, ok
}

func (s *session) compare(tables []table) ([]change, error) {
	var out []change
	for _, t := range tables {
		f := s.files[t.file]
		if f == nil {
			var err error
			if f, err = openFile(s.specs, t.file); err != nil {
				return nil, err
			}
			s.files[t.file] = f
		}
		changes, err := compare(f, t)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if c.edit != nil {
				c.edit(f)
			}
		}
		if len(f.edits) > 0 && !contains(s.changed, f) {
			s.changed = append(s.changed, f)
		}
		out = append(out, changes...)
	}
	return out, nil
}

func contains(files []*file, f *file) bool {
	for _, x := range files {
		if x == f {
			return true
		}
	}
	return false
}

// save writes the changed files and reports whether another look at them will find more.
func (s *session) save() (again bool, err error) {
	for _, f := range s.changed {
		again = again || f.deferred
		if err := f.save(); err != nil {
			return false, err
		}
	}
	s.changed, s.files = nil, map[string]*file{}
	return again, nil
}
