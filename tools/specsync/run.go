package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// options say what one run does.
type options struct {
	from, specs string
	root        string   // of the module whose Go files are read; beside specs when it is empty
	library     *library // shared by several runs; nil makes the run read the documents itself
	code        *goCode  // shared by several runs; nil makes the run read the Go files itself
	check       bool
	lenient     bool // the run writes what it understands, although it does not understand everything
	accepts     *acceptances
	acknowledge []*acknowledgement
	agree       bool    // every section that changed is acknowledged
	past        history // where the old sentences are; the checkout's own when it is empty
	wrote       func()  // called at the end if tables were written
}

// module returns the root of the module whose Go files are read.
func (o options) module() string {
	if o.root != "" {
		return o.root
	}
	return filepath.Join(o.specs, "..")
}

// run is main without the process. It returns 0 when the tables say what upstream says, 1 when somebody has to act, and 2 when
// it does not understand something; then it writes nothing.
func run(o options, readers []reader, stdout, stderr io.Writer) int {
	if _, err := os.Stat(o.from + "/source"); err != nil {
		fmt.Fprintf(stderr, "specsync: there is no checkout of the specifications in %s\n", o.from)
		return 2
	}
	if o.code == nil {
		o.code = readGoCode(o.module(), o.specs)
	}
	o.code.start()
	if o.library == nil {
		o.library = newLibrary()
	}
	o.library.start()
	s := newSession(o)
	behind, understood, err := s.follow(readers, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "specsync:", err)
	}
	s.printCommands(stdout)
	switch {
	case err != nil || !understood:
		return 2
	case behind:
		return 1
	}
	return 0
}

// follow reads the documents, reports, and writes what can be written. Each check reports, whatever another one does not
// understand; in a lenient run, that does not keep the others from writing either.
func (s *session) follow(readers []reader, stdout, stderr io.Writer) (behind, understood bool, err error) {
	tables, understood := s.read(readers, stderr)
	s.check = s.check || !understood && !s.lenient
	behind, err = s.sync(tables, stdout)
	var cited citations
	for _, look := range []func(io.Writer) (bool, error){
		func(w io.Writer) (red bool, err error) {
			cited, red, err = s.checkReferences(w)
			return red, err
		},
		func(w io.Writer) (bool, error) { return s.syncPins(cited, w) },
		s.syncTestFiles, s.syncFormat, s.syncTests, s.syncMethods, s.syncTypes, s.reportUnanchored, s.reportUnwritten, s.checkEvidence,
		func(w io.Writer) (bool, error) { return s.syncCommit(understood && !behind, w) },
	} {
		red, problem := look(stdout)
		behind = behind || red
		if problem != nil && s.lenient {
			fmt.Fprintln(stderr, problem)
			understood, problem = false, nil
		}
		err = errors.Join(err, problem)
	}
	err = errors.Join(err, s.checkUnused())
	if err == nil && !s.check {
		err = s.save()
	}
	return behind, understood, err
}

// checkEvidence compares the sentences with their rows. A replay agrees to everything, and reads no sentences.
func (s *session) checkEvidence(stdout io.Writer) (behind bool, err error) {
	if s.agree {
		return false, nil
	}
	n := naming{from: s.from, specs: s.specs, module: s.module(), library: s.library, code: s.code}
	e := evidence{naming: n, check: s.check, past: s.past.sentences, out: stdout}
	e.write = func(w pendingFile) { s.texts = append(s.texts, w) }
	return e.compare()
}

// session holds the documents and tables of one run, each opened once.
type session struct {
	options
	documents map[string]*document
	files     map[string]*file
	pins      *pins         // as they will be, if they move
	texts     []pendingFile // other files that will change
	said      []string      // problems that have been printed
	unread    []string      // the sections to read, as -acknowledge names them
	gone      []string      // the rows to take out, as -accept names them
}

func newSession(o options) *session {
	return &session{options: o, documents: map[string]*document{}, files: map[string]*file{}}
}

// sync reports the changes, and makes them in memory. A row changes before the lists within it.
func (s *session) sync(tables []table, stdout io.Writer) (behind bool, err error) {
	changes, tables := s.findContradictions(tables)
	slices.SortStableFunc(tables, func(a, b table) int { return len(a.within) - len(b.within) })
	var problems []error
	for _, t := range tables {
		more, err := s.update(t)
		changes = append(changes, more...)
		problems = append(problems, err)
	}
	var said []string
	for _, c := range changes {
		if text := c.String(); !slices.Contains(said, text) {
			said = append(said, text)
			fmt.Fprintln(stdout, text)
		}
		behind = behind || c.edit == nil || s.check
	}
	return behind, errors.Join(problems...)
}

// update makes the changes of one table, one at a time, each in a fresh tree.
func (s *session) update(t table) ([]change, error) {
	f, err := s.file(t.file)
	if err != nil {
		return nil, err
	}
	var made []change
	done := map[string]bool{}
	for {
		changes, err := compare(f, t, s.accepts.accept)
		if err != nil {
			return made, err
		}
		i := slices.IndexFunc(changes, func(c change) bool { return c.edit != nil })
		if i < 0 {
			for _, c := range changes {
				if c.gone != "" {
					f.gone[c.gone] = true // other tables about the same list leave it alone
					s.gone = append(s.gone, t.file+" "+c.gone)
				}
			}
			return append(made, changes...), nil
		}
		c := changes[i]
		if done[c.what+c.text] {
			return made, fmt.Errorf("%s: the table does not take it; change it by hand", c)
		}
		done[c.what+c.text] = true
		if err := f.apply(c.edit); err != nil {
			return append(made, c), fmt.Errorf("%s: %w", c, err)
		}
		made = append(made, c)
	}
}

// read runs every reader, whatever the others report: an error in one must not hide errors in the rest.
func (s *session) read(readers []reader, stderr io.Writer) ([]table, bool) {
	openDocument := func(path string) (*document, error) {
		if d := s.documents[path]; d != nil {
			return d, nil
		}
		d, err := s.library.open(s.from, path)
		if err == nil {
			s.documents[path] = d
		}
		return d, err
	}
	var out []table
	problems := 0
	for _, r := range readers {
		var opened []string
		tables, err := r(func(path string) (*document, error) {
			if !slices.Contains(opened, path) {
				opened = append(opened, path)
			}
			return openDocument(path)
		})
		if err != nil {
			fmt.Fprintln(stderr, err)
			problems++
		}
		noted := s.printNotes(stderr)
		for i := range tables {
			tables[i].incomplete = (noted > 0 || err != nil) && !tables[i].certain
			if tables[i].source == "" {
				tables[i].source = strings.Join(opened, ", ")
			}
		}
		problems += noted
		out = append(out, tables...)
	}
	if err := noteUnreadTables(s.from, s.specs, s.documents); err != nil {
		fmt.Fprintln(stderr, err)
		problems++
	}
	problems += s.printNotes(stderr)
	return out, problems == 0
}

// printNotes prints what the readers have not understood since the last call, and returns how many problems that were.
func (s *session) printNotes(stderr io.Writer) int {
	var problems []string
	for _, d := range s.documents {
		for _, err := range d.problems {
			problems = append(problems, err.Error())
		}
		d.problems = nil
	}
	slices.Sort(problems)
	for _, p := range problems {
		if !slices.Contains(s.said, p) {
			s.said = append(s.said, p)
			fmt.Fprintln(stderr, p)
		}
	}
	return len(problems)
}

// file opens a table once. The changes of the run are made in it.
func (s *session) file(name string) (*file, error) {
	if f := s.files[name]; f != nil {
		return f, nil
	}
	f, err := s.library.openFile(s.specs, name)
	if err == nil {
		s.files[name] = f
	}
	return f, err
}

// table returns a table as it will be after the run. In a check, that is the table on disk.
func (s *session) table(name string) (*file, error) {
	if s.check {
		return s.library.openFile(s.specs, name)
	}
	return s.file(name)
}

// save writes everything that changed, all or nothing.
func (s *session) save() error {
	writes := s.texts
	if s.pins != nil {
		writes = append(writes, pendingFile{s.pins.path, s.pins.text()})
	}
	for _, f := range s.files {
		if f.edited {
			writes = append(writes, pendingFile{f.path, []byte(strings.Join(f.lines, "\n"))})
		}
	}
	if len(writes) == 0 {
		return nil
	}
	if s.wrote != nil {
		defer s.wrote()
	}
	return replaceFiles(writes)
}
