// Package emitted is not for users: it is what the code below generated/ calls, and what no row of a table decides. Its
// functions may change together with what gen prints.
package emitted
