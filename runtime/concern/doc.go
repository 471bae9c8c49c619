// Package concern is plumbing of the driver, not for users: it writes read concerns, write concerns and read preferences
// into commands, and checks write concerns. It does no I/O.
package concern
