// Demo shows what Onion is. It changes a row of a table and prints the Go that follows from it, then takes
// the driver on a tour of an in-memory replica set. It needs nothing but Go; run it from the top of the module.
//
//	go run ./tools/demo
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	p := &printer{out: out}
	p.title("1. A row of a table becomes Go")
	if err := showTable(ctx, p, "."); err != nil {
		return err
	}
	p.title("2. The driver on a replica set of three, in this process")
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // only for the tour: the part before compiles, which may take long
	defer cancel()
	if err := runTour(ctx, p); err != nil {
		return err
	}
	p.title("Where to go from here")
	p.say("README.md          a first program, and what works")
	p.say("specs/README.md    the grammar of the tables")
	p.say("make test          the tests, and the suites compiled from specs/cases")
	return p.err
}

// printer writes lines that read well on a terminal and in a file. It keeps the first error.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) say(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, "  "+format+"\n", args...)
	}
}

func (p *printer) title(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, "\n%s\n\n", text)
	}
}

// code prints a line of the tour's program.
func (p *printer) code(text string) { p.say("> %s", text) }
