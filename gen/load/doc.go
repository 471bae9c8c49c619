// Package load is part of the generator, not for users: it reads the tables in specs/ into rows that record their file and
// line.
//
// It is strict: an unknown key, a key written twice, a number with a leading zero, a missing column or a value of the
// wrong kind is a problem with file and line. No problem stops the reading: it collects every problem of every table.
// It does not judge what the rows say; package model does. Only gen's packages and tools/specsync import it.
package load
