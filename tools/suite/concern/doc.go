// Package concern runs the cases that say what a read or write concern becomes on its way to the server.
package concern
