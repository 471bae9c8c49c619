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
	own   bool          // ask the package's own tests alone
}
