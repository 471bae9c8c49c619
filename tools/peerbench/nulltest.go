package main

import (
	"fmt"
	"math"
	"slices"
)

// nullTolerance is how far the ratio of a null test may be from 1.
const nullTolerance = 0.05

// attempts is how often a family is tried on a machine that fails its null tests.
const attempts = 3

// nullVerdict is what a null test says.
type nullVerdict string

const (
	nullOK     nullVerdict = "ok"     // both intervals, of time and of processor time, lie within the tolerance
	nullFailed nullVerdict = "failed" // an interval lies outside of the tolerance: one side is favoured
	nullWide   nullVerdict = "wide"   // neither: the machine is too restless to say, and the null test is repeated
)

// nullTests compares a side with itself: the bare socket, and both sides of the first of the tasks.
func nullTests(tasks []task, bare side) []task {
	first := tasks[0]
	nulls := []task{nullTest("bare", first.family, bare, task{})}
	for _, s := range first.sides {
		nulls = append(nulls, nullTest(s.name, first.name, s, first))
	}
	return nulls
}

func nullTest(name, of string, s side, like task) task {
	again := s
	again.name += " again"
	return task{
		name: "null test: " + name + ", " + of, least: like.least, computes: like.computes, collects: like.collects,
		null: true, sides: []side{s, again},
	}
}

// nullVerdict judges a null test by its intervals. Processor time counts as time does: goals speak of it.
func (t taskReport) nullVerdict() nullVerdict {
	last := t.Results[len(t.Results)-1]
	return worseOf(judgeNull(last.Ratio, last.Interval), judgeNull(last.CPURatio, last.CPUInterval))
}

func judgeNull(ratio float64, in interval) nullVerdict {
	const low, high = 1 - nullTolerance, 1 + nullTolerance
	switch {
	case in.Low > high || in.High < low || math.IsNaN(ratio):
		return nullFailed
	case in.Low >= low && in.High <= high:
		return nullOK
	}
	return nullWide
}

func worseOf(a, b nullVerdict) nullVerdict {
	order := []nullVerdict{nullOK, nullWide, nullFailed}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// passesNull reports whether a null test lets the report stand. If its interval stays wide, the ratio decides.
func passesNull(t taskReport) bool {
	last := t.Results[len(t.Results)-1]
	within := func(ratio float64) bool { return math.Abs(ratio-1) <= nullTolerance }
	return t.nullVerdict() != nullFailed && within(last.Ratio) && within(last.CPURatio)
}

// runner measures families of tasks.
type runner struct {
	bare     side
	compare  func(task) []result
	progress func(taskReport)
	stopped  func() bool
	load     func() func() float64 // starts to measure what other processes take; nil if that is not known
}

// measureRun measures the tasks family by family.
func (m runner) measureRun(tasks []task) (r runReport) {
	for len(tasks) > 0 {
		n := slices.IndexFunc(tasks, func(t task) bool { return t.family != tasks[0].family })
		if n < 0 {
			n = len(tasks)
		}
		m.measureFamily(&r, tasks[:n])
		tasks = tasks[n:]
	}
	return r
}

// measureFamily measures a family of tasks with its null tests before and after it. It begins again when a null test does
// not pass, up to three times in all; then the report is void.
func (m runner) measureFamily(r *runReport, tasks []task) {
	var nulls, reports []taskReport
	failed := true
	attempt := 1
	for ; failed && attempt <= attempts && !m.stopped(); attempt++ {
		reports = nil
		if nulls, failed = m.nulls(tasks); failed && attempt < attempts {
			continue // a measurement now would be worth nothing
		}
		for _, t := range tasks {
			if m.stopped() {
				failed = true // the null tests after the tasks do not run
				break
			}
			reports = append(reports, m.measure(t))
		}
		after, bad := m.nulls(tasks)
		nulls, failed = append(nulls, after...), failed || bad
	}
	r.Attempts = max(r.Attempts, attempt-1)
	r.Nulls, r.Tasks = append(r.Nulls, nulls...), append(r.Tasks, reports...)
	if failed {
		r.Void = true
		r.VoidFamilies = append(r.VoidFamilies, tasks[0].family)
	}
}

func (m runner) nulls(tasks []task) (reports []taskReport, failed bool) {
	for _, t := range nullTests(tasks, m.bare) {
		if m.stopped() {
			return reports, true
		}
		report := m.measure(t)
		for try := 1; try < attempts && report.nullVerdict() == nullWide && !m.stopped(); try++ {
			report = m.measure(t)
		}
		reports = append(reports, report)
		failed = failed || !passesNull(report)
	}
	return reports, failed
}

func (m runner) measure(t task) taskReport {
	others := func() float64 { return 0 }
	if m.load != nil {
		others = m.load()
	}
	report := newTaskReport(t, m.compare(t))
	report.Family, report.Others = t.family, others()
	m.progress(report)
	return report
}

// describe says on one line what a null test measured.
func (t taskReport) describeNull() string {
	last := t.Results[len(t.Results)-1]
	return fmt.Sprintf("%s: %.3f (%.3f to %.3f), processor time %.3f (%.3f to %.3f), %d rounds: %s", t.Task, last.Ratio, last.Interval.Low,
		last.Interval.High, last.CPURatio, last.CPUInterval.Low, last.CPUInterval.High, last.Rounds, t.nullVerdict())
}
