// Package connstring serves compiled tests, not users: it runs the cases that say what a connection string means: hosts,
// credentials, options, read and write concern, and whether it is refused or warned about.
package connstring
