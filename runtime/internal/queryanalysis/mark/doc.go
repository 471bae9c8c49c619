// Package mark writes the markings and placeholders that stand for values which are yet to be encrypted, and checks that the
// values can be. It does no I/O and knows no commands; only query analysis imports it.
package mark
