// Package concern reads what a command asks for besides its result: its write concern, its read concern and its read
// preference.
//
// It checks shape and version only. Package replica says whether the members of a set can satisfy a concern, and waits.
package concern
