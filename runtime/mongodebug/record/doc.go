// Package record is part of mongodebug, not for users. It keeps a bounded record of events for a page of package view:
// how many operations ended in each of the last seconds, which were slowest in each of the last minutes, and the last
// items of any kind.
//
// Operations wait while they write to it, so writing is fast. runtime/mongodebug and the program mongotestd use it.
package record
