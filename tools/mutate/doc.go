// Mutate measures whether the tests would detect a wrong table. It changes one cell or row of a table at a time and
// lets gen write the result into a scratch directory. Then it runs the tests of all packages that depend on the change,
// with a build overlay, until one fails. It starts with the packages that killed the most mutants of the same table: so
// most mutants are killed before a second test is linked.
//
//	go run ./tools/mutate [-n 150] [-seed 1] [-table PATTERN] [-all] [-json FILE] [-continue] [-trust] [-list]
//
// A mutant is killed by gen if gen refuses the table, by the compiler, or by a test that fails twice: on a busy machine
// a test may run out of time even without a mutant. The report lists each survivor with its file and line. It needs a
// case in specs/cases. A mutant that changes no Go, or only comments and generated tests, does not count and is
// replaced by another. The names of decisions' rows are not changed: see README.md, "Names of rows". The sample takes its
// mutants from all tables in turn, so that small tables count. The exit status is 1 if fewer than 95 % of the mutants
// that reached the tests are killed.
//
// Some survivors make no difference that a program could observe. Each has a row in specs/equivalents.yaml with the
// reason. They count as killed, up to 3 % of the mutants that reached the tests. With -continue, mutate first reads the
// file of -json and writes it after each mutant, so that several runs can cover all mutants of a table. It tries
// survivors again, and knows from the file which package to run first.
//
// With -ask PATTERN, mutants that only change functions of one package, as those of decisions do, share one build, as
// those of functions do (see below), and only packages whose path contains the pattern are tested. A killed mutant then
// costs a second or two. A survivor that decides like the original in every state that the packages' explorations reach
// is reported as unreached and does not count: it only changes decisions in states that cannot occur. Other packages may
// still kill a survivor: continue without -ask, with the same results file.
//
// # Functions
//
//	go run ./tools/mutate -pkg runtime/uri[,...] [-own] [-n 150] [-seed 1] [-for 15m] [-json FILE -continue] [-list]
//
// With -pkg it changes hand-written functions instead, -n of each package: it negates a condition or moves it by one,
// drops a call or an assignment, changes a constant or an operator, swaps two arguments, omits a result, or lets the
// function return at once. One copy of the package contains all mutants, so the tests are built once, and an
// environment variable selects the mutant. The package's own tests run first, then those of the packages that depend on
// it, except gen and tools. Before that, the tests run without a mutant, to learn how long each takes and which mutants
// it reaches: for each of the package's own tests, and for all tests of another package together. Only tests that reach a
// mutant are run, the fastest first, and one must fail twice. In the copy nothing is inlined, so some of the package's
// tests fail there without a mutant, such as those that count allocations. They run in a build of the one mutant. Texts
// of fmt.Errorf, errors.New and panic, and functions that recover, are not changed. Mutants that do not compile do not
// count and are replaced.
//
// Several packages share one build, so the repository's tests are built and timed once for all of them. Run each package
// with -own first, which is cheap, and then the survivors of all packages in one run without it, with the same results
// file.
//
// With -own, only the package's own tests run. The exit status is 1 if fewer than 92 % are killed, or 75 % with -own.
// Results depend only on the seed and the code, so a run with -continue resumes an interrupted one.
//
// # Named mistakes
//
//	go run ./tools/mutate -named PATTERN [-for 15m] [-all] [-list]
//
// With -named it plants the mistakes of named.yaml that rows of specs/evidence name, and runs the Go tests of each row.
// The exit status is 1 if one survives or no longer fits its file.
//
// # In every case
//
// The tests must pass on the unchanged tables, and the checkout must not change during the run. README.md reports the
// results so far.
package main
