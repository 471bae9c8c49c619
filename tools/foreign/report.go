package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// printDetail prints what a reader of a red run wants to see, test by test.
func printDetail(out io.Writer, r *result) {
	for _, o := range r.unlisted {
		fmt.Fprintf(out, "  fails and is not listed: %s\n%s", o.name, indent(o.message))
	}
	for _, f := range r.stale {
		fmt.Fprintf(out, "  is listed and passes: %s\n", f.Test)
	}
	for _, f := range r.unseen {
		fmt.Fprintf(out, "  is listed and did not run: %s\n", f.Test)
	}
	if r.fewer {
		fmt.Fprintf(out, "  %d tests passed, last time it was %d\n", r.count(passed), r.server.Passed)
	}
}

// What the report shows of a message: Node says at its beginning what is wrong, Go at its end, and dumps of documents are long.
const shownFirst, shownLast, shownColumns = 6, 4, 200

// indent indents a message, so that it stands out from the names.
func indent(message string) string {
	if message == "" {
		return ""
	}
	var b strings.Builder
	lines := strings.Split(strings.TrimSpace(message), "\n")
	for i, line := range lines {
		if i < shownFirst || i >= len(lines)-shownLast {
			fmt.Fprintf(&b, "      %.*s\n", shownColumns, line)
		}
	}
	return b.String()
}

// summarize returns the report: a table of the runs, and a line for each listed failure and each test that was left out.
func summarize(results []*result) string {
	var b strings.Builder
	b.WriteString("| suite | server | run | passed | failed | skipped by the suite | left out | time | memory | verdict |\n")
	b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, r := range results {
		p, f := r.count(passed), r.count(failed)
		fmt.Fprintf(&b, "| %s %s | %v | %d | %d | %d | %d | %d | %v | %d MB | %s |\n", r.suite.Name, r.suite.Source.Version,
			r.server, p+f, p, f, r.count(skipped), len(r.suite.LeftOut), r.took.Round(time.Second), r.memory, r.verdict())
	}
	for _, r := range results {
		for _, f := range r.listed {
			fmt.Fprintf(&b, "\n%s on %v: %s\n  fails, %s: %s\n", r.suite.Name, r.server, f.Test, kinds[f.Kind], f.Why)
		}
	}
	told := map[string]bool{}
	for _, r := range results {
		if told[r.suite.Name] {
			continue
		}
		told[r.suite.Name] = true
		for _, l := range r.suite.LeftOut {
			fmt.Fprintf(&b, "\n%s: %s\n  is left out: %s\n", r.suite.Name, l.Tests, l.Why)
		}
		if r.suite.Unrun != "" {
			fmt.Fprintf(&b, "\n%s has never run: %s\n", r.suite.Name, r.suite.Unrun)
		}
	}
	return b.String()
}
