package main

import "time"

// config is the command line.
type config struct {
	root  string // of the module
	n     int    // mutants to count
	all   bool
	seed  uint64
	table string // part of the path of the tables to change
	json  string
	list  bool
	limit time.Duration // no new mutant starts after it
	goOn  bool          // keep the results of earlier runs
	trust bool          // assume that the tests pass without a mutant
	pkg   string        // change the functions of this package instead of tables
	ask   string        // of tables: weave the mutants into one build, and ask only packages whose path contains one of these
	own   bool          // ask the package's own tests alone
	named string        // plant the named mistakes that match this expression instead
}
