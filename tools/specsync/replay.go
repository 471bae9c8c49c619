package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// walk follows upstream's history: it brings a copy of the tables to the first commit of a range, and prints for each
// later one what a refresh would report, beside the files that the commit changed. Nothing of ours is written.
func walk(repository, revisions, root, specs string, stdout io.Writer) error {
	from, to, found := strings.Cut(revisions, "..")
	if !found {
		return fmt.Errorf("-replay wants a range of commits, as in FROM..TO, not %q", revisions)
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
	copied := filepath.Join(scratch, "specs")
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(root, specs))); err != nil {
		return err
	}
	o := options{specs: copied, root: root, accepts: func(string) bool { return true }, agree: true, pinNew: true}
	o.code = readGoCode(root, copied)
	if o.from, err = export(repository, from, scratch); err != nil {
		return err
	}
	o.library = newLibrary()
	if code := run(o, allReaders(o.from, copied, o.library), io.Discard, stdout); code == 2 {
		fmt.Fprintf(stdout, "%s is not understood; what follows lacks it\n", from)
	}
	for commit := range strings.FieldsSeq(list) {
		if err := replayed(repository, commit, scratch, o, stdout); err != nil {
			return err
		}
	}
	return nil
}

// replayed reports one commit and follows it.
func replayed(repository, commit, scratch string, o options, stdout io.Writer) error {
	subject, err := gitOutput(repository, "log", "-1", "--format=%h %s", commit)
	if err != nil {
		return err
	}
	files, err := gitOutput(repository, "diff", "--name-only", commit+"^", commit)
	if err != nil {
		return err
	}
	if o.from, err = export(repository, commit, scratch); err != nil {
		return err
	}
	defer os.RemoveAll(o.from)
	o.past = history{from: repository, commit: commit + "^"}
	var report bytes.Buffer
	code := run(o, allReaders(o.from, o.specs, o.library), &report, &report)
	fmt.Fprintf(stdout, "== %s: exit %d\n", strings.TrimSpace(subject), code)
	for name := range strings.FieldsSeq(files) {
		fmt.Fprintf(stdout, "file %s\n", name)
	}
	_, err = stdout.Write(report.Bytes())
	return err
}

// export writes the documents of a commit to a folder of their own.
func export(repository, commit, scratch string) (string, error) {
	to, err := os.MkdirTemp(scratch, "commit")
	if err != nil {
		return "", err
	}
	archive := exec.Command("git", "-C", repository, "archive", commit, "source")
	unpack := exec.Command("tar", "-x", "-C", to)
	if unpack.Stdin, err = archive.StdoutPipe(); err != nil {
		return "", err
	}
	if err := unpack.Start(); err != nil {
		return "", err
	}
	if err := archive.Run(); err != nil {
		return "", fmt.Errorf("git archive %s: %w", commit, err)
	}
	return to, unpack.Wait()
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
