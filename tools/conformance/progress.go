package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress is a line on a terminal that shows how far a run has come. It prints nothing when the output is not a terminal.
type progress struct {
	out               io.Writer // nil if the output is not a terminal
	done, all, failed int
	shown             time.Time
}

func newProgress(out io.Writer, all int) progress {
	p := progress{all: all}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.out = out
		}
	}
	return p
}

// count counts a case that has ended.
func (p *progress) count(passed bool) {
	if p.done++; !passed {
		p.failed++
	}
	if p.out == nil || time.Since(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = time.Now()
	fmt.Fprintf(p.out, "\r\x1b[K%s of %s cases, %d failed", thousands(p.done), thousands(p.all), p.failed)
}

// clear removes the line before another one is printed.
func (p *progress) clear() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
