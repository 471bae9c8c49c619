// Package concern serves compiled tests, not users: it runs the cases that say what a read or write concern becomes on its
// way to the server.
package concern
