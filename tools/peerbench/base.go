package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"
)

// basePasses is how often each revision is measured, in turn.
const basePasses = 3

// slower is the part of the base's speed below which a task counts as slower, if every pass says so. What a process
// gets by chance (its layout in memory, a neighbour) lasts for a whole pass, and no interval within the pass shows it.
const slower = 0.95

var errSlower = errors.New("this revision is slower or allocates more than the base")

// compareBase measures the revision base of this repository and this revision in turn, each with its own peerbench
// against the official driver, and compares their ratios. The official driver is the same in both, so changes of the
// machine's speed cancel out.
func compareBase(w io.Writer, s settings) (err error) {
	dir, err := os.MkdirTemp("", "peerbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, remove, err := buildBase(s.base, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var base, now []runReport
	for range basePasses {
		if base, err = addPass(base, program, s, dir); err == nil {
			now, err = addPass(now, self, s, dir)
		}
		if err != nil {
			return err
		}
	}
	return printComparison(w, merge(base), merge(now))
}

// buildBase builds the peerbench of another revision in a worktree below dir.
func buildBase(base, dir string) (program string, remove func() error, err error) {
	tree := filepath.Join(dir, "tree")
	if err := command("", "git", "worktree", "add", "--detach", tree, base); err != nil {
		return "", nil, err
	}
	remove = func() error { return command("", "git", "worktree", "remove", "--force", tree) }
	program = filepath.Join(dir, "base")
	if err := command(filepath.Join(tree, "tools", "peerbench"), "go", "build", "-o", program, "."); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return program, remove, nil
}

func command(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", c, err, out)
	}
	return nil
}

// addPass runs a peerbench with the same settings and reads its report.
func addPass(passes []runReport, program string, s settings, dir string) ([]runReport, error) {
	file := filepath.Join(dir, "pass.json")
	err := command("", program, "-specs", s.specs, "-match", s.pattern.String(), "-rounds", strconv.Itoa(s.rounds),
		"-time", s.roundTime.String(), "-heap", strconv.Itoa(s.heap), "-json", file)
	if err != nil {
		return nil, err // a void run among others
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r runReport
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("the report of %s is not one of this version's: %w", program, err)
	}
	return append(passes, r), nil
}

// baseTask is a task of one revision over all passes.
type baseTask struct {
	name        string
	samples     []float64
	medians     []float64 // by pass
	allocations float64
}

// slowerThan reports whether the task is slower than in the base, in every pair of passes.
func (t baseTask) slowerThan(b baseTask) bool {
	return slices.Max(t.medians) < slower*slices.Min(b.medians)
}

// merge joins the passes task by task, in the order of the first pass.
func merge(passes []runReport) (tasks []baseTask) {
	for i, t := range passes[0].Tasks {
		merged := baseTask{name: t.Task}
		for _, p := range passes {
			last := p.Tasks[i].Results[len(p.Tasks[i].Results)-1]
			merged.samples = append(merged.samples, last.Samples...)
			merged.medians = append(merged.medians, median(last.Samples))
			merged.allocations = last.Allocations
		}
		tasks = append(tasks, merged)
	}
	return tasks
}

// printComparison prints the tasks that both revisions have. It fails when one became slower beyond doubt or allocates more.
func printComparison(w io.Writer, base, now []baseTask) error {
	before := map[string]baseTask{}
	for _, t := range base {
		before[t.name] = t
	}
	var failed error
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "task\tbase\tnow\tnow/base\t95 %\tallocs before\tnow\t\t")
	for _, t := range now {
		b, ok := before[t.name]
		if !ok {
			continue
		}
		quotient, in := quotientInterval(t.samples, b.samples)
		verdict := ""
		if in.High < slower && t.slowerThan(b) || t.allocations >= b.allocations+1 {
			verdict, failed = "WORSE", errSlower
		}
		fmt.Fprintf(table, "%s\t%.2fx\t%.2fx\t%.3f\t%.3f-%.3f\t%.0f\t%.0f\t%s\t\n", t.name, median(b.samples), median(t.samples),
			quotient, in.Low, in.High, b.allocations, t.allocations, verdict)
	}
	return errors.Join(table.Flush(), failed)
}
