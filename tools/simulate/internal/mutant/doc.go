// Package mutant holds bugs to plant in the driver and in the deployment, as replacements of source text that the go command
// is given as an overlay: the sources stay as they are. Worlds with a planted bug must fail, or a checker is missing.
package mutant
