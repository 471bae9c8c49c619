package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"
)

// The effort of a comparison. What a process gets by chance (its layout in memory, a neighbour) lasts as long as the process,
// and no interval within it shows it. So the processes are new in each pass, and a pass counts as one sample.
const (
	baseTurn     = 5 * time.Millisecond
	fewestPasses = 6
	mostPasses   = 20
	baseTime     = 8 * time.Second // of a task; ends it after the fewest passes
	baseNarrow   = 0.007           // half of an interval that ends a task before
)

// slower is how many times the base's processor time makes a comparison fail.
const slower = 1.05

var errSlower = errors.New("this revision is slower or allocates more than the base")

// basePass is what one pass says of a task.
type basePass struct {
	cpu         [members]float64 // nanoseconds of an iteration
	now, null   float64          // as a multiple of the base's
	allocations [members]float64
}

// of takes the lower quartile of the rounds: whatever else the machine does can only add to a time.
func (p basePass) of(r *rounds) basePass {
	for i := range members {
		p.cpu[i] = quantile(sums(r.cpu[i]), 0.25) / 2
	}
	p.now, p.null = p.cpu[nowMember]/p.cpu[baseMember], p.cpu[nullMember]/p.cpu[baseMember]
	return p
}

// versus is the comparison of a task.
type versus struct {
	task   task
	passes []basePass
	spent  time.Duration
}

func (v versus) all(of func(basePass) float64) (out []float64) {
	for _, p := range v.passes {
		out = append(out, of(p))
	}
	return out
}

// ratio is this revision's time as a multiple of the base's; spread is how far the null test may lie from 1.
func (v versus) ratio() (ratio float64, in interval, spread float64) {
	ratio, in = medianInterval(v.all(func(p basePass) float64 { return p.now }))
	_, null := medianInterval(v.all(func(p basePass) float64 { return p.null }))
	return ratio, in, max(math.Abs(null.Low-1), math.Abs(null.High-1))
}

// allocations are the fewest that a pass counted: goroutines and monitors add some now and then.
func (v versus) allocations() (fewest [members]float64) {
	for i := range members {
		fewest[i] = slices.Min(v.all(func(p basePass) float64 { return p.allocations[i] }))
	}
	return fewest
}

// settled reports whether more passes would say nothing new, or would take too long.
func (v versus) settled() bool {
	if len(v.passes) < fewestPasses {
		return false
	}
	_, in, spread := v.ratio()
	return v.spent > baseTime || len(v.passes) >= mostPasses || spread <= baseNarrow && in.High-in.Low <= 2*baseNarrow
}

// The verdicts of a comparison. A difference counts where it exceeds three times the spread of the null test.
const (
	isWorse  = "WORSE"
	isSlower = "slower"
	isFaster = "faster"
	isVoid   = "void"
)

func (v versus) verdict() string {
	ratio, in, spread := v.ratio()
	if a := v.allocations(); a[nowMember] >= max(a[baseMember], a[nullMember])+1 {
		return isWorse
	}
	switch beyond := math.Abs(ratio-1) > gainSpreads*spread; {
	case spread > nullTolerance:
		return isVoid
	case beyond && in.Low > 1 && ratio > slower:
		return isWorse
	case beyond && in.Low > 1:
		return isSlower
	case beyond && in.High < 1:
		return isFaster
	}
	return ""
}

// compareBase compares this revision of the driver with another one. Both have the same benchmarks, in processes of their own
// that take turns, and are judged by their processor time, to which other processes add little.
func compareBase(w io.Writer, s settings) (err error) {
	base, now, remove, err := buildBoth(s.base)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	perPass := max(1, s.rounds/4)
	var list []*versus
	for pass := 0; pass == 0 || slices.ContainsFunc(list, func(v *versus) bool { return !v.settled() }); pass++ {
		t, err := hireTeam(base, now, s)
		if err != nil {
			return err
		}
		if pass == 0 {
			list = comparable(s.workTasks(), t)
		}
		if err := cmp.Or(addPass(t, list, perPass), t.dismiss()); err != nil {
			return err
		}
	}
	return printComparison(w, list)
}

// comparable returns the tasks that both revisions know.
func comparable(tasks []task, t team) (list []*versus) {
	for _, of := range tasks {
		if slices.Contains(t[baseMember].tasks, of.name) {
			list = append(list, &versus{task: of})
		}
	}
	return list
}

// addPass adds a pass to each task that is not settled yet.
func addPass(t team, list []*versus, count int) error {
	for _, v := range list {
		if v.settled() {
			continue
		}
		began := time.Now()
		p, err := t.pass(v.task, count)
		if err != nil {
			return errors.Join(err, t.dismiss())
		}
		v.passes, v.spent = append(v.passes, p), v.spent+time.Since(began)
	}
	return nil
}

// printComparison prints every task, and fails when one is slower beyond doubt, allocates more, or cannot be judged.
func printComparison(w io.Writer, list []*versus) error {
	if len(list) == 0 {
		return errors.New("the revisions have no task in common that matches")
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "processor time of\tbase us\tnow us\tnow/base\t95 %\tnull test\tpasses\tallocs before\tnow\t\t")
	found := map[string]bool{}
	for _, v := range list {
		ratio, in, spread := v.ratio()
		fewest := v.allocations()
		cpu := func(member int) float64 {
			return median(v.all(func(p basePass) float64 { return p.cpu[member] })) / 1e3
		}
		found[v.verdict()] = true
		fmt.Fprintf(table, "%s\t%.2f\t%.2f\t%.3f\t%.3f-%.3f\t±%.3f\t%d\t%.0f\t%.0f\t%s\t\n", v.task.name, cpu(baseMember), cpu(nowMember),
			ratio, in.Low, in.High, spread, len(v.passes), fewest[baseMember], fewest[nowMember], v.verdict())
	}
	err := table.Flush()
	if found[isWorse] {
		err = errors.Join(err, errSlower)
	}
	if found[isVoid] {
		err = errors.Join(err, errVoid)
	}
	return err
}
