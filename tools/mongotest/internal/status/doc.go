// Package status is the error of the in-memory server: the code, the text and the labels that a reply carries.
//
// It is not an error of the driver: nothing outside mongotest sees the type. Every package below mongotest may import it.
package status
