// Package flag is generated.
package flag

// Watched has a test.
const Watched = true

// Alone has none.
const Alone = true
