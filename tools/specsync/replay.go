package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// replay follows upstream's history in both directions. Forwards, a copy of the tables is brought to the first commit of
// the range and then from commit to commit. Backwards, each commit is taken back alone, as an edit of the last one, whose
// tables are ours. Nothing of ours is written.
type replay struct {
	repository, root string
	specs            string // the tables, which stay
	scratch          string
	work             string // a clone whose files follow the history
	code             *goCode
	library          *library        // of both directions, whose documents are mostly the same
	said             map[string]bool // what was not understood at the commit before
	verbose          io.Writer       // gets every report
}

// walk prints a table with the outcome of each commit of a range, and fails if a refresh breaks a table, or is not at
// rest after it.
func walk(repository, revisions, root, specs string, stdout, verbose io.Writer) error {
	from, to, found := strings.Cut(revisions, "..")
	if !found {
		return fmt.Errorf("-replay needs a range of commits, as in FROM..TO, not %q", revisions)
	}
	list, err := gitOutput(repository, "rev-list", "--reverse", "--first-parent", from+".."+to)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "specsync-replay")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	r := &replay{repository: repository, root: root, scratch: scratch, specs: filepath.Join(root, specs), verbose: verbose}
	r.code, r.library, r.work = readGoCode(root, r.specs), newLibrary(), filepath.Join(scratch, "work")
	if _, err := gitOutput(scratch, "clone", "-q", "--shared", "--no-checkout", repository, r.work); err != nil {
		return err
	}
	commits := strings.Fields(list)
	backwards, err := r.replayBackwards(commits, to)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, "| commit | files | forwards | backwards |\n|---|---|---|---|")
	t := tally{}
	err = r.replayForwards(commits, from, func(i int, forwards outcome) error {
		t.add(forwards, backwards[i])
		return r.print(stdout, commits[i], forwards, backwards[i])
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%d commits: %d with forms that no reader knows, %d quiet, %d that could be taken back in part, %d broken\n",
		len(commits), t.unread, t.quiet, t.partly, t.broken)
	if t.broken > 0 {
		return fmt.Errorf("%d commits break a table", t.broken)
	}
	return nil
}

// tally counts the outcomes of commits.
type tally struct{ broken, unread, quiet, partly int }

func (t *tally) add(forwards, backwards outcome) {
	if len(backwards.left) > 0 {
		t.partly++
	}
	switch {
	case forwards.err != nil || backwards.err != nil:
		t.broken++
	case forwards.strange > 0:
		t.unread++
	case forwards.String() == "quiet":
		t.quiet++
	}
}

// outcome is what a run says about one commit.
type outcome struct {
	rows, sections, tests int      // lines about rows, about sections and documents, and about test files
	strange               int      // what was not understood, and was not said at the commit before
	left                  []string // files that stay, because later commits have changed them again
	err                   error
}

func (o outcome) String() string {
	if o.err != nil {
		return "**" + strings.ReplaceAll(o.err.Error(), "\n", "; ") + "**"
	}
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{o.rows, "rows"}, {o.sections, "sections"}, {o.tests, "tests"}, {o.strange, "not understood"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprint(c.n, " ", c.what))
		}
	}
	if len(o.left) > 0 {
		parts = append(parts, fmt.Sprint("without ", len(o.left), " files"))
	}
	if len(parts) == 0 {
		return "quiet"
	}
	return strings.Join(parts, ", ")
}

// replayBackwards takes each commit back alone, from the state of the last commit. These runs only check.
func (r *replay) replayBackwards(commits []string, last string) ([]outcome, error) {
	if _, err := gitOutput(r.work, "checkout", "-q", last); err != nil {
		return nil, err
	}
	r.said = map[string]bool{}
	o := options{from: r.work, specs: r.specs, root: r.root, code: r.code, library: r.library, check: true, lenient: true}
	standing := r.run(o) // what is red before any commit is taken back: nothing, if the tables follow the last commit
	said := r.said
	var out []outcome
	for _, commit := range commits {
		left, err := r.takeBack(commit)
		if err != nil {
			return nil, err
		}
		r.said = said
		got := r.run(o)
		got.left = left
		got.rows, got.sections, got.tests = got.rows-standing.rows, got.sections-standing.sections, got.tests-standing.tests
		out = append(out, got)
		for _, args := range [][]string{{"checkout", "-q", "-f", last}, {"clean", "-q", "-f", "-d"}} {
			if _, err := gitOutput(r.work, args...); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// takeBack undoes a commit in the files of the clone. It leaves files alone if later commits have changed the same
// lines, and returns their names.
func (r *replay) takeBack(commit string) (left []string, err error) {
	names, err := gitOutput(r.work, "diff", "--no-renames", "--name-only", commit, commit+"^", "--", "source")
	if err != nil {
		return nil, err
	}
	for name := range strings.Lines(names) {
		name = strings.TrimSuffix(name, "\n")
		patch, err := gitOutput(r.work, "diff", "--no-renames", "--binary", commit, commit+"^", "--", name)
		if err != nil {
			return nil, err
		}
		apply := exec.Command("git", "-C", r.work, "apply", "-")
		apply.Stdin = strings.NewReader(patch)
		if apply.Run() != nil {
			left = append(left, name)
		}
	}
	return left, nil
}

// replayForwards brings a copy of the tables from commit to commit, and tells the outcome of each. A second run after each must
// have nothing to do.
func (r *replay) replayForwards(commits []string, first string, tell func(int, outcome) error) error {
	copied := filepath.Join(r.scratch, "specs")
	if err := os.CopyFS(copied, os.DirFS(r.specs)); err != nil {
		return err
	}
	o := options{from: r.work, specs: copied, root: r.root, code: r.code, library: r.library, agree: true, lenient: true}
	o.accepts = &acceptances{ask: func(string) bool { return true }}
	r.said = map[string]bool{}
	for i, commit := range append([]string{first}, commits...) {
		if _, err := gitOutput(r.work, "checkout", "-q", "-f", commit); err != nil {
			return err
		}
		o.past = history{from: r.work, commit: commit + "^"}
		got := r.run(o)
		if again := r.run(o); got.err == nil && again.rows+again.sections+again.tests > 0 {
			got.err = fmt.Errorf("not at rest: a second run says %s", again)
		}
		if i == 0 {
			continue // the tables were ours before this commit
		}
		if err := tell(i-1, got); err != nil {
			return err
		}
	}
	return nil
}

// run makes one run and counts what it says.
func (r *replay) run(o options) outcome {
	o.library.start()
	var stdout, stderr bytes.Buffer
	s := newSession(o)
	_, _, err := s.follow(allReaders(o.from, o.specs, o.library), &stdout, &stderr)
	out := outcome{err: err}
	_, _ = fmt.Fprintf(r.verbose, "%s%s", &stdout, &stderr)
	for line := range strings.Lines(stdout.String()) {
		what, about, _ := strings.Cut(line, " ")
		about, _, _ = strings.Cut(about, " ")
		switch {
		case what == "" || what == "unwritten" || what == "error" || about == "specs/UPSTREAM" ||
			what == "evidence" || what == "to" || strings.HasPrefix(about, "specs/evidence"):
		case about == "tests":
			out.tests++
		case slices.Contains([]string{"section", "document", "file"}, about):
			out.sections++
		default:
			out.rows++
		}
	}
	now := map[string]bool{}
	for line := range strings.Lines(stderr.String()) {
		line = lineNumber.ReplaceAllString(line, "")
		if now[line] = true; !r.said[line] {
			out.strange++
		}
	}
	r.said = now
	return out
}

var lineNumber = regexp.MustCompile(`:\d+`)

// print prints the row of a commit.
func (r *replay) print(stdout io.Writer, commit string, forwards, backwards outcome) error {
	subject, err := gitOutput(r.repository, "log", "-1", "--format=%h %as %s", commit)
	if err != nil {
		return err
	}
	files, err := gitOutput(r.repository, "diff", "--name-only", commit+"^", commit)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "| %s | %d | %s | %s |\n", strings.ReplaceAll(strings.TrimSpace(subject), "|", "/"),
		strings.Count(files, "\n"), forwards, backwards)
	return err
}

func gitOutput(repository string, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("git", append([]string{"-C", repository}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}
