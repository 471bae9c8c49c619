// Package source is part of mutate, not for users: it finds what can be changed in the functions of a Go package, and weaves
// many changes into its files at once: the environment of a test binary says which of them is on. Only tools/mutate imports
// it.
package source
