// Mutate measures whether the tests would notice if a table were wrong. It flips one cell of a table at a time, lets gen
// write what follows in a scratch directory, and runs the packages concerned over it with a build overlay.
//
//	go run ./tools/mutate [-n 150] [-seed 1] [-table PATTERN] [-all]
//
// A mutant is killed when a test fails, and refused when gen finds the table itself wrong. What survives is listed with
// file and line; it needs a case in specs/cases. The exit status is 1 when fewer than 95 % of the others are killed.
package main
