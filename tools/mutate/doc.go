// Mutate measures whether the tests would notice a wrong table. It changes one cell or row of a table at a time and
// lets gen write the result into a scratch directory. Then it runs the tests of all packages that depend on the change,
// with a build overlay, until one fails. The packages that killed the most mutants of the same table come first: most
// mutants die before the second test is linked.
//
//	go run ./tools/mutate [-n 150] [-seed 1] [-table PATTERN] [-all] [-json FILE] [-continue] [-trust] [-list]
//
// A mutant is killed by gen when gen finds the table itself wrong, by the compiler, or by a test that fails twice: on a
// busy machine a test may run out of time without any mutant. Each survivor is listed with its file and line and needs a
// case in specs/cases. A mutant that changes no Go, or only comments and generated tests, does not count, and another
// one takes its place. The names of rows of decisions stay as they are: see README.md, "Names of rows". The sample takes its mutants
// from all tables in turn, so small tables count. The exit status is 1 when fewer than 95 % of the mutants that reached
// the tests are killed.
//
// Some survivors make no difference that a program could observe. Each has a row in specs/equivalents.yaml with the
// reason. They count as killed, up to 3 % of the mutants that reached the tests. With -continue mutate reads the file of
// -json first and writes it after each mutant, so it can try all mutants of a table in several runs. It tries
// survivors again, and it knows from the file which package to ask first.
//
// With -ask PATTERN, the mutants that change nothing but functions of one package, as those of decisions do, are woven into one
// build, as those of functions are (see below), and only packages whose path contains the pattern are asked. A killed mutant
// then costs a second or two. A survivor that decides alike in every state that the explorations of the packages reach is
// unreached, and not counted: it only changes decisions in states that cannot occur. A mutant that survives may still be noticed by
// the other packages: go on without -ask, with the same file of results.
//
// # Functions
//
//	go run ./tools/mutate -pkg runtime/uri[,...] [-own] [-n 150] [-seed 1] [-for 15m] [-json FILE -continue] [-list]
//
// With -pkg it changes hand-written functions instead, so many of each package that it names: a condition is negated or moved
// by one, a call or an assignment dropped, a constant or an operator changed, two arguments swapped, a result left out, or the
// function returns at once. All mutants are woven into one copy of the package, so the tests are built once, and the environment says
// which of them is on. The package's own tests come first, then those of the packages that depend on it, but for gen and
// tools. The tests run without a mutant before that, to see how long each takes and which mutants are reached, by each of the
// package's own tests and by all tests of another package. Only tests that reach a mutant are asked, the fastest first, and one
// must fail twice. A test of the package itself that fails only in the woven copy, where nothing is inlined, as tests of
// allocations do, is asked in a build of the mutant alone. Texts of fmt.Errorf, errors.New and panic stay as they
// are, and so do functions that recover. Mutants that do not compile are not counted, and others take their places.
//
// Several packages share one build, so the tests of the repository are built and timed once for all of them: try each with
// -own first, which is cheap, and then what survived of all in one run without it, with the same file of results.
//
// -own asks the package's own tests alone. The exit status is 1 when fewer than 92 % are killed, or 75 % with -own.
// Results depend on the seed and the code alone, so a run with -continue goes on where an earlier one was cut off.
//
// # Named mistakes
//
//	go run ./tools/mutate -named PATTERN [-for 15m] [-all] [-list]
//
// With -named it plants the mistakes of named.yaml that rows of specs/evidence name, and asks the Go tests of each row. The
// exit status is 1 when one survives or no longer fits its file.
//
// # In every case
//
// The tests must pass on the unchanged tables, and the checkout must not change during the run. README.md says what
// was tried so far.
package main
