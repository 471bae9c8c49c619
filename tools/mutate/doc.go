// Mutate measures whether the tests would notice if a table were wrong. It changes one cell or row of a table at a time,
// lets gen write what follows into a scratch directory, and runs the tests of all packages that depend on what changed,
// over it with a build overlay, until one fails.
//
//	go run ./tools/mutate [-n 150] [-seed 1] [-table PATTERN] [-all] [-json FILE] [-continue] [-trust] [-list]
//
// A mutant is killed by gen when gen finds the table itself wrong, by the compiler, or by a test; what survives is
// listed with its file and line and needs a case in specs/cases. A mutant that changes no Go, or nothing but comments
// and generated tests, is not counted, and another one is tried in its place. The sample takes its mutants from all
// tables in turn, so that small tables count. The exit status is 1 when fewer than 95 % of those that reached the tests
// are killed.
//
// A survivor that no program can tell from the table as it is has a row in specs/equivalents.yaml with the reason; such rows
// count as killed up to 3 %. With -continue the file of -json is read first and written after each mutant, so that all mutants
// of a table can be tried in pieces; those that survived are tried again.
//
// The tests must pass on the tables as they are, and the checkout must stand still meanwhile.
package main
