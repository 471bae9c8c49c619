// Slowest reads the output of `go test -json` and prints the ten tests that took longest, as `make slowest` does. The
// time of a test includes its subtests, which are not listed separately.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := report(os.Stdin, os.Stdout, 10); err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
		os.Exit(1)
	}
}

// event is one line of `go test -json`. `go doc test2json` has the other fields.
type event struct {
	Action, Package, Test string
	Elapsed               float64 // seconds
}

// report prints the n slowest tests, slowest first. It fails if a test failed, for then others may not have run.
func report(in io.Reader, out io.Writer, n int) error {
	var tests []event
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20) // a test may print long lines
	for lines.Scan() {
		if line := lines.Bytes(); len(line) > 0 && line[0] == '{' && !bytes.Contains(line, []byte(`"Elapsed"`)) {
			continue // output of a test, as nearly every line is
		}
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("reading the output of go test -json: %w", err)
		}
		switch {
		case e.Action == "fail":
			return fmt.Errorf("%s %s failed", e.Package, e.Test)
		case e.Action == "pass" && e.Test != "" && !strings.Contains(e.Test, "/"):
			tests = append(tests, e)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	slices.SortStableFunc(tests, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range tests[:min(n, len(tests))] {
		fmt.Fprintf(out, "%7.2f s  %s  %s\n", e.Elapsed, strings.TrimPrefix(e.Package, "github.com/specdrivers/onion/"), e.Test)
	}
	return nil
}
