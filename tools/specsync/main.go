package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	from := flag.String("from", "../shared/specifications", "checkout of the upstream specifications")
	specs := flag.String("specs", "specs", "directory of the tables")
	check := flag.Bool("check", false, "edit nothing and exit 1 when the tables are behind")
	grammar := flag.String("grammar", "", "file with the BSON grammar; without it the BSON tables stay as they are")
	root := flag.String("root", ".", "directory of the module, which the other paths count from")
	accept := flag.String("accept", "", "rows to remove that upstream no longer has, as the report names them, with commas between them")
	acknowledge := flag.String("acknowledge", "",
		`section that somebody has read as it is now, as in "crud/crud.md, Read"; several with a semicolon between them`)
	because := flag.String("because", "", "why nothing more is to be done about the sections of -acknowledge")
	pinNew := flag.Bool("pin-new", false, "pin the sections of documents that are new")
	ask := flag.Bool("ask", false, "ask on the terminal about each row that upstream no longer has")
	replay := flag.String("replay", "", "git repository of the specifications whose commits are walked, as in -replay DIR FROM..TO")
	flag.Parse()
	debug.SetGCPercent(400) // a run is short, and its memory small
	if *replay != "" {
		if err := walk(*replay, flag.Arg(0), *root, *specs, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "specsync:", err)
			os.Exit(2)
		}
		return
	}
	if *from == "" {
		fmt.Fprintln(os.Stderr, "specsync: no checkout is named, the tables stay as they are")
		return
	}
	if err := os.Chdir(*root); err != nil {
		fmt.Fprintln(os.Stderr, "specsync:", err)
		os.Exit(2)
	}
	shared := newLibrary()
	all := allReaders(*from, *specs, shared)
	if *grammar != "" {
		all = append(all, readGrammar(*grammar))
	} else {
		fmt.Fprintln(os.Stderr, "specsync: no -grammar, the BSON tables stay as they are")
	}
	o := options{from: *from, specs: *specs, library: shared, check: *check, accepts: accepts(*accept), pinNew: *pinNew}
	var err error
	if o.acknowledge, err = acknowledgements(*acknowledge, *because); err != nil {
		fmt.Fprintln(os.Stderr, "specsync:", err)
		os.Exit(2)
	}
	if *ask {
		o.accepts = asks(o.accepts, os.Stdin, os.Stdout)
	}
	o.wrote = func() { fmt.Fprintf(os.Stderr, "to undo this: git restore %s\n", *specs) }
	os.Exit(run(o, all, os.Stdout, os.Stderr))
}

// options say what one run does.
type options struct {
	from, specs string
	root        string   // of the module whose Go files are read; beside specs when it is empty
	library     *library // shared by several runs; nil reads the documents anew
	code        *goCode  // shared by several runs; nil reads the Go files anew
	check       bool
	accepts     func(removal string) bool // whether a row that upstream no longer has may go
	acknowledge []acknowledgement
	agree       bool    // every section that changed is acknowledged
	past        history // where the old sentences are; the checkout's own when it is empty
	pinNew      bool    // pin the sections of documents that are new
	wrote       func()  // called at the end when tables were written
}

// module is the root of the module whose Go files are read.
func (o options) module() string {
	if o.root != "" {
		return o.root
	}
	return filepath.Join(o.specs, "..")
}

// run is main without the process. It exits 0 when the tables say what upstream says, 1 when somebody has to act and 2
// when something is not understood; then it writes nothing.
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
	o.library.walked = map[string][]string{} // files come and go between runs
	s := session{specs: o.specs, accepts: o.accepts, library: o.library, documents: map[string]*document{}, files: map[string]*file{}}
	tables, understood := s.read(o.from, readers, stderr)
	o.check = o.check || !understood
	code, err := s.sync(tables, o.check, stdout)
	var cited citations
	for _, look := range []func() (bool, error){
		func() (behind bool, err error) {
			cited, behind, err = syncReferences(o, stdout)
			return behind, err
		},
		func() (bool, error) { return syncPins(o, cited, stdout) },
		func() (bool, error) { return syncFormat(o, stdout) },
		func() (bool, error) { return syncTests(o, stdout) },
		func() (bool, error) { return syncMethods(o, stdout) },
		func() (bool, error) { return syncTypes(o, stdout) },
		func() (bool, error) { return unanchored(o, stdout) },
		func() (bool, error) { return unwritten(o.specs, stdout) },
		func() (bool, error) { return syncCommit(o, understood && code == 0, stdout) },
	} {
		behind, problem := look()
		if behind {
			code = max(code, 1)
		}
		err = errors.Join(err, problem)
	}
	if s.wrote && o.wrote != nil {
		o.wrote()
	}
	if err != nil {
		fmt.Fprintln(stderr, "specsync:", err)
	}
	if err != nil || !understood {
		return 2
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
	accepts   func(removal string) bool
	library   *library
	documents map[string]*document
	files     map[string]*file
	changed   []*file
	said      []string // problems that are printed
	wrote     bool
}

// read runs every reader, so that one run reports everything: an error in one reader hides nothing of the others.
func (s *session) read(from string, readers []reader, stderr io.Writer) ([]table, bool) {
	openDocument := func(path string) (*document, error) {
		if d := s.documents[path]; d != nil {
			return d, nil
		}
		d, err := s.library.open(from, path)
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
		noted := s.noted(stderr)
		for i := range tables {
			tables[i].incomplete = (noted > 0 || err != nil) && !tables[i].certain
			if tables[i].source == "" {
				tables[i].source = strings.Join(opened, ", ")
			}
		}
		problems += noted
		out = append(out, tables...)
	}
	for _, d := range s.documents {
		d.unreadTables()
	}
	problems += s.noted(stderr)
	return out, problems == 0
}

// noted prints what documents could not be understood since the last call, and says how much that was.
func (s *session) noted(stderr io.Writer) int {
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

// file opens a table once.
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

func (s *session) compare(tables []table) ([]change, error) {
	out, tables := s.contradictions(tables)
	for _, t := range tables {
		f, err := s.file(t.file)
		if err != nil {
			return nil, err
		}
		changes, err := compare(f, t, s.accepts)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if c.edit != nil {
				c.edit(f)
			}
		}
		if len(f.edits) > 0 && !slices.Contains(s.changed, f) {
			s.changed = append(s.changed, f)
		}
		out = append(out, changes...)
	}
	return out, nil
}

// save writes the changed files and reports whether another look at them will find more.
func (s *session) save() (again bool, err error) {
	for _, f := range s.changed {
		again = again || f.deferred
		if err := f.save(); err != nil {
			return false, err
		}
	}
	s.wrote = s.wrote || len(s.changed) > 0
	s.changed, s.files = nil, map[string]*file{}
	return again, nil
}
