// Package fault holds the error types that the driver returns and the predicates that read them.
//
// A type is exported where a caller needs its fields (CommandError, WriteException, NetworkError and so on); behaviour
// is asked for through a function (IsTimeout, IsDuplicateKeyError, HasErrorLabel), which looks through every wrapped error. Errors
// are immutable values: AddLabels returns a copy. Errors of a context satisfy errors.Is for context.Canceled and
// context.DeadlineExceeded.
//
// No error of this package holds a command, a credential or a connection string.
//
// The package holds no decisions about retrying or about the topology: those belong to exec and sdam. Every runtime
// package may import it; it imports only generated code and bson.
package fault
