// Package record is part of mongodebug, not for users: it keeps a bounded part of what happens, for a page of package view:
// how much was done in each of the last seconds, what was slowest in each of the last minutes, and the last of anything.
//
// It is written to while operations wait, and read by viewers. runtime/mongodebug and the program mongotestd use it.
package record
