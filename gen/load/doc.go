// Package load reads the tables in specs/ into rows that know where they stand.
//
// It is strict: an unknown key, a key written twice, a number with a leading zero, a missing column or a value of
// the wrong kind is a problem with file and line. Every problem of every table is collected, none stops the reading.
// It does not judge what the rows say; that is package model's task. Imported by gen's packages and tools/specsync.
package load
