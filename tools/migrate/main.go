package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	write := flag.Bool("write", false, "write the files; without it, print what would change")
	dir := flag.String("C", ".", "the module's `directory`")
	tags := flag.String("tags", "", "build tags, separated by commas")
	mongotest := flag.Bool("mongotest", false, "start mongotest where tests start MongoDB in a container")
	colour := flag.Bool("color", isTerminal(os.Stdout), "print the diff in colours")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: migrate [flags] [packages]\n\n"+
			"Rewrites code for the official MongoDB driver, version 1 or 2, to Onion.")
		flag.PrintDefaults()
	}
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	s := settings{dir: *dir, tags: *tags, patterns: patterns, mongotest: *mongotest, write: *write, colour: *colour}
	if isTerminal(os.Stderr) {
		s.progress = os.Stderr
	}
	if err := run(ctx, os.Stdout, os.Stderr, s); err != nil {
		fmt.Fprintln(os.Stderr, "migrate:", err)
		os.Exit(1)
	}
}

// settings hold the values of the flags.
type settings struct {
	dir, tags                string
	patterns                 []string
	mongotest, write, colour bool
	progress                 io.Writer // nil means that no progress is shown
}

// say shows the progress on one line of the terminal. An empty format removes the line.
func (s settings) say(format string, args ...any) {
	if s.progress != nil {
		fmt.Fprintf(s.progress, "\r\033[K"+format, args...)
	}
}

// run rewrites the packages and says what it did: the diff to out, the report to log. If ctx ends, run stops before the
// next file and reports what it has.
func run(ctx context.Context, out, log io.Writer, s settings) error {
	s.say("reading the packages and their types; the first time compiles them")
	loaded, broken, unread, err := loadAll(ctx, s)
	s.say("")
	if err != nil {
		return err
	}
	for _, what := range broken {
		fmt.Fprintln(log, what)
	}
	files, err := filesOf(loaded, s.mongotest)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		if len(broken) > 0 {
			return errors.New("nothing was rewritten: only code that compiles can be rewritten")
		}
		fmt.Fprintln(log, "no file imports the official driver")
		return nil
	}
	done := outcome{leaves: unread}
	for i, f := range files {
		if ctx.Err() != nil {
			fmt.Fprintf(log, "interrupted: the last %d of %d files are as they were\n", len(files)-i, len(files))
			break
		}
		s.say("%d of %d: %s", i+1, len(files), shownPath(s.dir, f.path))
		if err := done.rewrite(f, out, log, s); err != nil {
			return err
		}
	}
	s.say("")
	report(log, s.dir, done.leaves)
	fmt.Fprintf(log, "%d of %d files, %d lines rewritten; %d places left to you\n",
		done.changed, len(files), done.lines, len(done.leaves))
	if s.write {
		fmt.Fprintln(log, "next: go get github.com/specdrivers/onion@latest && go mod tidy && go vet ./...")
	} else {
		fmt.Fprintln(log, "nothing was written: add -write")
	}
	return nil
}

// outcome is what became of the files so far.
type outcome struct {
	changed, lines int
	leaves         []leave
}

// rewrite rewrites one file, or shows how it would change.
func (o *outcome) rewrite(f *file, out, log io.Writer, s settings) error {
	name := shownPath(s.dir, f.path)
	after, err := f.rewrite()
	if err != nil {
		o.leaves = append(o.leaves, leave{at: token.Position{Filename: f.path, Line: 1, Column: 1}, what: fmt.Sprintf(
			"the whole file stays as it is, because of a bug in this program: its rewritten text is not Go: %v", err)})
		return nil
	}
	o.leaves = append(o.leaves, f.leaves...)
	if bytes.Equal(after, f.src) {
		return nil
	}
	o.changed++
	o.lines += strings.Count(diff(name, f.src, after, false), "\n+") - 1
	if s.write {
		return os.WriteFile(f.path, after, 0o644)
	}
	s.say("")
	fmt.Fprint(out, diff(name, f.src, after, s.colour))
	return nil
}

func shownPath(dir, path string) string {
	base, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(base, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
