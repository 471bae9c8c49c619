// Package failpoint holds the fail points of one server, which configureFailPoint switches on and off.
//
// It decides whether a fail point acts on a command and what it does. Package server asks it where a real server has
// its fail points.
//
// To add one, name it in names and read in parseData whatever its data has that failCommand's has not. Then give Points a
// method that calls take, as OnGetMore does. Package server calls that method where the fail point acts, and Act on the
// result. The first lines of failpoint.go list the fail points.
package failpoint
