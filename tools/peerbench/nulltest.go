package main

import "math"

// nullTolerance is how far the ratio of a null test may be from 1.
const nullTolerance = 0.05

// attempts is how often a run is tried on a machine that fails the null tests.
const attempts = 3

// nullTests compares a side with itself: the bare socket, and for each family of tasks both sides of its first task.
func nullTests(tasks []task, bare side) []task {
	nulls := []task{nullTest("bare", bare, 0)}
	seen := map[string]bool{}
	for _, t := range tasks {
		if seen[t.family] {
			continue
		}
		seen[t.family] = true
		for _, s := range t.sides {
			nulls = append(nulls, nullTest(t.name, s, t.least))
		}
	}
	return nulls
}

func nullTest(name string, s side, least int) task {
	again := s
	again.name += " again"
	return task{name: "null test: " + s.name + ", " + name, least: least, sides: []side{s, again}}
}

// passesNull reports whether a null test says that the machine can measure.
func passesNull(r taskReport) bool { return math.Abs(r.Ratio-1) <= nullTolerance }

// measureRun measures the tasks with the null tests before and after them. It begins again when a null test fails, up to
// three times in all; then the report is void.
func measureRun(
	tasks []task, bare side, compare func(task) []result, progress func(taskReport), stopped func() bool,
) runReport {
	var r runReport
	for attempt := range attempts {
		r = runReport{Attempts: attempt + 1}
		if r.Nulls, r.Void = runNulls(tasks, bare, compare, progress, stopped); r.Void && !stopped() && attempt < attempts-1 {
			continue // a measurement now would be worth nothing
		}
		for _, t := range tasks {
			if stopped() {
				r.Void = true // the null tests after the tasks have not run
				return r
			}
			report := newTaskReport(t, compare(t))
			r.Tasks = append(r.Tasks, report)
			progress(report)
		}
		after, failed := runNulls(tasks, bare, compare, progress, stopped)
		r.Nulls = append(r.Nulls, after...)
		if r.Void = r.Void || failed; !r.Void {
			break
		}
	}
	return r
}

func runNulls(
	tasks []task, bare side, compare func(task) []result, progress func(taskReport), stopped func() bool,
) (reports []taskReport, failed bool) {
	for _, t := range nullTests(tasks, bare) {
		if stopped() {
			return reports, true
		}
		report := newTaskReport(t, compare(t))
		reports = append(reports, report)
		progress(report)
		failed = failed || !passesNull(report)
	}
	return reports, failed
}
