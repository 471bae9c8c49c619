// Package emit is part of the generator, not for users: it prints Go from the model, one function per table.
//
// Emitters are pure: no I/O, no clock, no ranging over maps; the output keeps the order of the model. Package main of
// gen writes or compares the files. Only gen's packages import this one.
//
// An emitter prints in one of two ways:
//
//   - Calls of jennifer, for declarations and tables: types, constants, switches, literals. A comment above each
//     block of calls shows the Go that it prints.
//   - Statements as text, through addSource, where a row becomes a sequence of statements: the encoders and parsers of
//     commands, replies and connection strings. Every line comes from a row.
//
// Code that depends on no row is hand-written: in bson/emitted if only printed code calls it, else in the room that
// uses it.
package emit
