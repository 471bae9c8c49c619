package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// packageRow is the processor time of one side of an operation by the package that spends it itself, in nanoseconds for each
// iteration.
type packageRow struct {
	Task     string             `json:"task"` // with the number of goroutines
	Side     string             `json:"side"`
	Total    float64            `json:"cpuNs"`
	Packages map[string]float64 `json:"packages"`
}

// packageOf names the package of the innermost frame. That of the Go runtime does many things, so its place is added.
func packageOf(frames []string) string {
	if len(frames) == 0 {
		return string(other)
	}
	name, _, _ := strings.Cut(frames[0], "[") // what instantiates a generic function has slashes, too
	start := strings.LastIndexByte(name, '/') + 1
	last, _, named := strings.Cut(name[start:], ".")
	if !named {
		return "assembly of the runtime" // memeqbody and the like
	}
	name = name[:start] + last
	if name == "runtime" || strings.HasPrefix(name, "internal/runtime/") && !strings.HasSuffix(name, "syscall") {
		return "runtime, " + string(placeOf(frames))
	}
	for long, short := range map[string]string{
		"github.com/specdrivers/onion/": "onion/", "go.mongodb.org/mongo-driver/v2/": "mongo-driver/",
	} {
		name = strings.Replace(name, long, short, 1)
	}
	return name
}

// measurePackages profiles the operations that the pattern selects, of one goroutine and of many.
func measurePackages(s settings) (rows []packageRow, err error) {
	for _, op := range aboveOperations() {
		for _, goroutines := range []int{fewAndMany[0], fewAndMany[len(fewAndMany)-1]} {
			if !s.pattern.MatchString(aboveName(op.name, goroutines)) {
				continue
			}
			err := withAboveSides(op, goroutines, func(t task, _, _ [][]byte) error {
				for _, side := range t.sides[:againSide] {
					row, err := profilePackages(t, side)
					if err != nil {
						return err
					}
					rows = append(rows, row)
				}
				return nil
			})
			if err != nil {
				return rows, fmt.Errorf("%s: %w", op.name, err)
			}
		}
	}
	return rows, nil
}

func profilePackages(t task, s side) (packageRow, error) {
	row := packageRow{Task: t.name, Side: s.name, Packages: map[string]float64{}}
	_, err := profileSide(s, t.least, func(frames []string, spent float64) {
		row.Packages[packageOf(frames)] += spent
		row.Total += spent
	})
	return row, err
}

// leastShown is the part of an operation's time below which a package is not printed.
const leastShown = 0.005

// printPackages prints a table for each operation, the most expensive packages first.
func printPackages(w io.Writer, rows []packageRow) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Task == rows[0].Task {
			n++
		}
		if err := printPackagesOf(w, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func printPackagesOf(w io.Writer, sides []packageRow) error {
	fmt.Fprintf(w, "%s: processor time by package, in microseconds for each operation\n", sides[0].Task)
	most := map[string]float64{}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "package\t")
	for _, s := range sides {
		fmt.Fprintf(table, "%s\t", s.Side)
		for name, spent := range s.Packages {
			most[name] = max(most[name], spent/s.Total)
		}
	}
	byMost := func(a, b string) int {
		if most[a] != most[b] {
			return int(1e6 * (most[b] - most[a]))
		}
		return strings.Compare(a, b)
	}
	for _, name := range slices.SortedFunc(maps.Keys(most), byMost) {
		if most[name] < leastShown {
			break
		}
		fmt.Fprintf(table, "\n%s\t", name)
		for _, s := range sides {
			fmt.Fprintf(table, "%.2f\t", s.Packages[name]/1e3)
		}
	}
	fmt.Fprint(table, "\ntotal\t")
	for _, s := range sides {
		fmt.Fprintf(table, "%.2f\t", s.Total/1e3)
	}
	fmt.Fprintln(table)
	return table.Flush()
}
