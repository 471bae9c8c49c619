package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const (
		quick  = `{"Action":"pass","Package":"github.com/specdrivers/onion/bson","Test":"TestQuick","Elapsed":0.01}`
		slow   = `{"Action":"pass","Package":"github.com/specdrivers/onion/gen","Test":"TestSlow","Elapsed":12.5}`
		part   = `{"Action":"pass","Package":"github.com/specdrivers/onion/gen","Test":"TestSlow/part","Elapsed":12}`
		whole  = `{"Action":"pass","Package":"github.com/specdrivers/onion/gen","Elapsed":13}`
		output = `{"Action":"output","Package":"github.com/specdrivers/onion/gen","Test":"TestSlow","Output":"=== RUN\n"}`
		failed = `{"Action":"fail","Package":"github.com/specdrivers/onion/gen","Test":"TestBroken","Elapsed":1}`
	)
	for _, test := range []struct {
		name, want, fails string
		lines             []string
	}{
		{"the slowest comes first", "  12.50 s  gen  TestSlow\n   0.01 s  bson  TestQuick\n", "", []string{quick, output, slow}},
		{"neither subtests nor packages are listed", "  12.50 s  gen  TestSlow\n", "", []string{part, slow, whole}},
		{"no more than two", "  12.50 s  gen  TestSlow\n  12.50 s  gen  TestSlow\n", "", []string{slow, quick, slow}},
		{"a failed test", "", "gen TestBroken failed", []string{slow, failed}},
		{"not the output of go test -json", "", "reading the output", []string{"ok  	gen	1.0s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			err := report(strings.NewReader(strings.Join(test.lines, "\n")), &out, 2)
			switch {
			case test.fails == "" && err != nil:
				t.Error(err)
			case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
				t.Errorf("the error is %v, want %q", err, test.fails)
			case out.String() != test.want:
				t.Errorf("it prints\n%s\nwant\n%s", &out, test.want)
			}
		})
	}
}
