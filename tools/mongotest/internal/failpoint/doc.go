// Package failpoint holds the fail points of one server, which configureFailPoint switches on and off.
//
// It decides whether a fail point acts on a command and what it does. Package server asks it where a real server has
// its fail points. To add one, name it in names, read its data in parseData and call Take where it acts.
package failpoint
