package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"text/tabwriter"
)

// The effort of a comparison. Instructions hardly differ from one process to the next, so a few passes are enough.
const (
	basePasses = 3
	// nullSpread is how far the null test of a comparison may lie from 1; a task that exceeds it says nothing.
	nullSpread = 0.02
	// slowerBy is the multiple of the base's instructions from which on a comparison fails.
	slowerBy = 1.05
	// moreAllocations is the increase that counts as a new allocation in the code. Monitors and buffers cause less, now and then.
	moreAllocations = 0.5
)

var errSlower = errors.New("this revision takes more instructions or allocations than the base")

// counted is a task of the program counted, and how often each goroutine does it in a run.
type counted struct {
	name              string
	goroutines, times int
}

func (c counted) String() string {
	if c.goroutines == 1 {
		return c.name
	}
	return fmt.Sprintf("%s, %d goroutines", c.name, c.goroutines)
}

// countedTasks returns the tasks that match a pattern.
func countedTasks(pattern *regexp.Regexp) (list []*versus) {
	add := func(of counted) {
		if pattern.MatchString(of.String()) {
			list = append(list, &versus{of: of})
		}
	}
	for _, name := range []string{"findOne", "insertOne", "updateOne", "getMore", "transaction"} {
		for _, goroutines := range fewAndMany {
			add(counted{name, goroutines, max(32, 4000/goroutines)})
		}
	}
	for _, name := range []string{"insertMany", "to struct", "from struct", "walk"} {
		add(counted{name, 1, 500})
	}
	return list
}

// The members of a pass.
const (
	baseMember = iota
	nowMember
	nullMember // the base once more, in a process of its own: the null test
	members
)

// versus is the comparison of a task.
type versus struct {
	of     counted
	passes [][members]counts
}

// median returns the median of a member's passes.
func (v versus) median(member int, of func(counts) float64) float64 {
	var all []float64
	for _, p := range v.passes {
		all = append(all, of(p[member]))
	}
	return median(all)
}

// ratio is this revision's number as a multiple of the base's; spread is half of how far the runs of the base lie apart.
func (v versus) ratio() (ratio, spread float64) {
	var base []float64
	for _, p := range v.passes {
		base = append(base, p[baseMember].sum(), p[nullMember].sum())
	}
	middle := median(base)
	return v.median(nowMember, counts.sum) / middle, (slices.Max(base) - slices.Min(base)) / 2 / middle
}

// The verdicts of a comparison. A difference counts where it exceeds three times the spread of the null test.
const (
	isWorse  = "WORSE"
	isSlower = "more"
	isFaster = "fewer"
	isVoid   = "void"
)

func (v versus) verdict() string {
	ratio, spread := v.ratio()
	allocations := func(c counts) float64 { return c.allocations }
	if v.median(nowMember, allocations) >= v.median(baseMember, allocations)+moreAllocations {
		return isWorse
	}
	switch beyond := math.Abs(ratio-1) > gainSpreads*spread; {
	case spread > nullSpread:
		return isVoid
	case beyond && ratio > slowerBy:
		return isWorse
	case beyond && ratio > 1:
		return isSlower
	case beyond:
		return isFaster
	}
	return ""
}

// compareBase compares this revision of the driver with another one, by the instructions that a task takes.
func compareBase(w io.Writer, s settings) (err error) {
	list := countedTasks(s.pattern)
	if len(list) == 0 {
		return fmt.Errorf("no task matches %q", s.pattern)
	}
	base, now, remove, err := buildBoth(s.base)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	server, err := startServer("primary 1")
	if err != nil {
		return err
	}
	defer server.input.Close()
	uri := server.uri("heartbeatFrequencyMS=2000000000")
	for _, v := range list {
		for range basePasses {
			var p [members]counts
			for i, program := range []string{baseMember: base, nowMember: now, nullMember: base} {
				if p[i], err = countOnce(program, uri, v.of); err != nil {
					return err
				}
			}
			v.passes = append(v.passes, p)
		}
		ratio, spread := v.ratio()
		say("%s: %.3f, null test ±%.3f %s", v.of, ratio, spread, v.verdict())
	}
	return printComparison(w, list)
}

// printComparison prints every task, and fails when one takes more beyond doubt, or cannot be judged.
func printComparison(w io.Writer, list []*versus) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "instructions of\tbase\tnow\tnow/base\tnull test\tallocs before\tnow\tbytes before\tnow\t\t")
	found := map[string]bool{}
	for _, v := range list {
		ratio, spread := v.ratio()
		both := func(of func(counts) float64) (base, now float64) {
			return v.median(baseMember, of), v.median(nowMember, of)
		}
		base, now := both(counts.sum)
		fmt.Fprintf(table, "%s\t%.0f\t%.0f\t%.3f\t±%.3f\t", v.of, base, now, ratio, spread)
		base, now = both(func(c counts) float64 { return c.allocations })
		fmt.Fprintf(table, "%.1f\t%.1f\t", base, now)
		base, now = both(func(c counts) float64 { return c.bytes })
		fmt.Fprintf(table, "%.0f\t%.0f\t%s\t\n", base, now, v.verdict())
		found[v.verdict()] = true
	}
	err := table.Flush()
	for _, v := range list {
		if verdict := v.verdict(); verdict == isWorse || verdict == isSlower {
			printIncrease(w, v)
		}
	}
	if found[isWorse] {
		err = errors.Join(err, errSlower)
	}
	if found[isVoid] {
		err = errors.Join(err, errVoid)
	}
	return err
}

// printIncrease says which files took more instructions than before.
func printIncrease(w io.Writer, v *versus) {
	p := v.passes[0]
	more := maps.Clone(p[nowMember].instructions)
	for file, n := range p[baseMember].instructions {
		more[file] -= n
	}
	files := slices.SortedFunc(maps.Keys(more), func(a, b string) int { return cmp.Or(cmp.Compare(more[b], more[a]), cmp.Compare(a, b)) })
	fmt.Fprintf(w, "%s takes more in:\n", v.of)
	for _, file := range files[:min(8, len(files))] {
		fmt.Fprintf(w, "  %+7.0f  %s\n", more[file], file)
	}
}
