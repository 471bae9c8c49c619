package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/specdrivers/onion/gen/generator"
)

func main() {
	from := flag.String("from", "../shared/specifications", "checkout of the upstream specifications")
	specs := flag.String("specs", "specs", "directory of the tables")
	check := flag.Bool("check", false, "edit nothing and exit 1 when the tables are behind")
	generate := flag.Bool("generate", false, "run gen after the refresh; without a checkout, run only gen")
	grammar := flag.String("grammar", "", "file with the BSON grammar; without it the BSON tables stay as they are")
	root := flag.String("root", ".", "directory of the module, which the other paths count from")
	var accept, acknowledge []string
	several := func(list *[]string) func(string) error {
		return func(text string) error { *list = append(*list, text); return nil }
	}
	flag.Func("accept", "a row to remove that upstream no longer has, as the report names it; may be given several times", several(&accept))
	flag.Func("acknowledge",
		`a section that somebody has read as it is now, as in "crud/crud.md, Read"; may be given several times`, several(&acknowledge))
	var moves []string
	flag.Func("move", `a row of evidence and its new sentence, as the report names them; may be given several times`, several(&moves))
	because := flag.String("because", "", "what the reader of the sections of -acknowledge, or of the sentences of -move, found")
	ask := flag.Bool("ask", false, "ask on the terminal about each row that upstream no longer has")
	replay := flag.String("replay", "",
		"clone of the specifications whose commits are followed, forwards and backwards, as in -replay DIR FROM..TO")
	flag.Parse()
	debug.SetGCPercent(400) // a run is short, and its memory small
	if *replay != "" {
		if err := walk(*replay, flag.Arg(0), *root, *specs, os.Stdout, io.Discard); err != nil {
			fail(err)
		}
		return
	}
	if err := os.Chdir(*root); err != nil {
		fail(err)
	}
	o := options{from: *from, specs: *specs, library: newLibrary(), check: *check, accepts: newAcceptances(accept)}
	var err error
	if o.acknowledge, err = parseAcknowledgements(acknowledge, *because); err != nil {
		fail(err)
	}
	moved, err := parseMovements(moves, *because)
	if err == nil {
		err = o.move(moved)
	}
	if err != nil {
		fail(err)
	}
	if *ask {
		o.accepts.ask = newAsker(os.Stdin, os.Stdout)
	}
	o.wrote = func() { fmt.Fprintf(os.Stderr, "to undo this: git restore %s\n", *specs) }
	os.Exit(refreshAndGenerate(o, *grammar, *generate, os.Stdout, os.Stderr))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "specsync:", err)
	os.Exit(2)
}

// refreshAndGenerate brings the tables up to date and, if asked to, runs gen. Work that is left for people does not stop it: the
// rest reaches the generated code. The status is the worse of the two.
func refreshAndGenerate(o options, grammar string, generate bool, stdout, stderr io.Writer) int {
	code := 0
	switch {
	case o.from == "" && !generate:
		fmt.Fprintln(stderr, "specsync: no checkout is named, the tables stay as they are")
	case o.from != "":
		readers := allReaders(o.from, o.specs, o.library)
		if grammar != "" {
			readers = append(readers, readGrammar(grammar))
		} else {
			fmt.Fprintln(stderr, "specsync: no -grammar, the BSON tables stay as they are")
		}
		code = run(o, readers, stdout, stderr)
	}
	if generate {
		code = max(code, generator.Run(filepath.Join(o.specs, ".."), !o.check, "", stdout, stderr))
	}
	if code > 0 {
		fmt.Fprintf(stderr, "specsync: exit %d; CONTRIBUTING.md, \"A refresh\", says what to do\n", code)
	}
	return code
}
