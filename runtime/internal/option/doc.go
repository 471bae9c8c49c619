// Package option reads, checks and copies options, which are pointers: nil means unset. Any package of runtime may import it.
package option
