// Package lint pins the linter that make check runs. It has no code; its go.mod keeps the linter's dependencies out of
// the driver's.
package lint
