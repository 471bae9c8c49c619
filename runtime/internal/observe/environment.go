package observe

import (
	"strconv"

	"github.com/specdrivers/onion/generated/options"

	"github.com/specdrivers/onion/generated/core/logmsg"
)

// levelsFromEnv reads the level of each component from the environment. A variable with an invalid value counts as
// unset; a component's own variable precedes EnvAll; without either the component is Off.
//
// Specification: logging/logging.md, "Per-Component Configuration of Log Levels".
func levelsFromEnv(getenv func(string) string) [logmsg.ComponentCount]logmsg.Level {
	all, _ := logmsg.ParseLevel(getenv(logmsg.EnvAll)) // Off unless it is a level
	var levels [logmsg.ComponentCount]logmsg.Level
	for i := range levels {
		levels[i] = all
		if own, ok := logmsg.ParseLevel(getenv(logmsg.Component(i).Env())); ok {
			levels[i] = own
		}
	}
	return levels
}

// maxDocumentLengthFromEnv reads how much of a document is shown from the environment; an invalid value counts as
// unset.
//
// Specification: logging/logging.md, "Configurable Max Document Length".
func maxDocumentLengthFromEnv(getenv func(string) string) int {
	if n, err := strconv.Atoi(getenv(logmsg.EnvMaxDocumentLength)); err == nil && n > 0 {
		return n
	}
	return options.DefaultMaxLogDocumentLength
}
