// Package emit prints Go from the model, one function per table.
//
// Emitters are pure: no I/O, no clock, no ranging over maps; the order of the output is the order of the model. Above
// each block of jennifer calls stands the Go that it prints. Files are written or compared elsewhere, in package main
// of gen. Imported by gen's packages only.
package emit
