// Mutate measures whether the tests would notice if a table were wrong. It changes one cell or row of a table at a time,
// lets gen write what follows into a scratch directory, and runs the tests of all packages that depend on what changed,
// over it with a build overlay, until one fails.
//
//	go run ./tools/mutate [-n 150] [-seed 1] [-table PATTERN] [-all] [-json FILE] [-list]
//
// A mutant is killed by gen when gen finds the table itself wrong, by the compiler, or by a test; what survives is
// listed with its file and line and needs a case in specs/cases. A mutant that changes no Go, or nothing but comments
// and generated tests, is not counted, and another one is tried in its place. The sample takes its mutants from all
// tables in turn, so that small tables count. The exit status is 1 when fewer than 95 % of those that reached the tests
// are killed.
//
// The tests must pass on the tables as they are, and the checkout must stand still meanwhile.
package main
