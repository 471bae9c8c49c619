// Literals finds facts that are typed into hand-written Go although a table holds them:
//
//	go run ./tools/literals              # texts, numbers and durations that equal a constant of a generated package, and
//	                                     # sentences that one of its functions returns
//	go run ./tools/literals -from DIR    # also those that upstream's documents have in tables or code, and that stand
//	                                     # in several files; and sentences that they quote or that suites look for
//
// The measure is whether an edit upstream would have to change the line: then it is a row, and Go names its constant. A name
// that stands once, where a reader expects it, stays. specs/literals.yaml lists what may stay, with the reason; a row there
// that excuses nothing is an error, too.
package main
