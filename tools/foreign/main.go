// Foreign runs test suites that other people wrote for MongoDB against mongotestd, as `make foreign` does.
//
//	cd tools/foreign && go run . -match go-driver
//
// Each file in suites describes one suite: where its source comes from, the servers that it runs against, the tests that are
// left out, and the failures that are known. Nothing of the suites is part of this repository: the sources are fetched into
// the user's cache, once. A suite whose source, interpreter or package is missing is not run, and the report says so.
//
// The exit code is 1 when a test fails that is not listed, when a listed one passes, or when fewer tests pass than the suite's
// file says. It is 2 when the tables or the arguments make no sense.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// settings holds the values of the flags.
type settings struct {
	suites, root, cache, server, report, keep, run, specs string
	match, on                                             *regexp.Regexp
	sample, once, required                                bool
	budget                                                time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run runs the suites and returns the exit code.
func run(ctx context.Context, args []string) int {
	s, err := parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		return 2
	}
	suites, err := loadSuites(s.suites)
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		return 2
	}
	results, err := runSuites(ctx, s, suites, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		return 1
	}
	text := summarize(results)
	fmt.Print("\n", text)
	if s.report != "" {
		if err := os.WriteFile(s.report, []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "foreign:", err)
			return 1
		}
	}
	for _, r := range results {
		if r.isRed(s.required) {
			return 1
		}
	}
	return 0
}

// parse reads the arguments.
func parse(args []string) (*settings, error) {
	s := &settings{}
	var match, on string
	flags := flag.NewFlagSet("foreign", flag.ContinueOnError)
	flags.StringVar(&s.suites, "suites", "suites", "`folder` with one file per suite")
	flags.StringVar(&s.root, "root", "../..", "`folder` of the repository, where mongotestd is built")
	flags.StringVar(&s.cache, "cache", "", "`folder` for the sources (default: onion-foreign in the user's cache)")
	flags.StringVar(&s.server, "server", "", "`URI` of a deployment that takes the place of mongotestd; it must be empty")
	flags.StringVar(&s.report, "report", "", "write the report to this `file`, too")
	flags.StringVar(&s.keep, "keep", "", "move tests in this `folder` and leave them there")
	flags.StringVar(&match, "match", ".", "run the suites whose names match this `expression`")
	flags.StringVar(&on, "on", ".", "run on the servers that match this `expression`, such as 'replicaset 8.0'")
	flags.StringVar(&s.specs, "specs", "../../../shared/specifications", "`folder` of the specifications, for suites that read them")
	flags.StringVar(&s.run, "run", "", "run this `part` in place of each suite's sample: for Go an expression for the names of tests")
	flags.BoolVar(&s.sample, "sample", false, "run the sample of each suite on its first server")
	flags.BoolVar(&s.once, "once", false, "run each suite on the first of its servers that matches")
	flags.BoolVar(&s.required, "required", false, "a suite that cannot run is a failure")
	flags.DurationVar(&s.budget, "budget", 0, "start no suite after this `time`")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	s.sample = s.sample || s.run != ""
	var err error
	if s.on, err = regexp.Compile(on); err != nil {
		return nil, err
	}
	s.match, err = regexp.Compile(match)
	return s, err
}
