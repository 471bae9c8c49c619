package expr

import (
	"strings"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// check refuses a wrong number of arguments.
func (f function) check(name string, n int) error {
	switch {
	case n >= f.min && (n <= f.max || f.max < 0):
		return nil
	case name == "$setEquals":
		return status.Errorf(17045, "$setEquals needs at least two arguments had: %d", n)
	case strings.HasPrefix(name, "$to") && conversions[name].call != nil:
		return status.Errorf(50723, "%s requires a single argument, got %d", name, n)
	case f.max == f.min:
		return status.Errorf(errcode.Location16020, "Expression %s takes exactly %d arguments. %d were passed in.", name, f.min, n)
	}
	return status.Errorf(errcode.Location28667,
		"Expression %s takes at least %d arguments, and at most %d, but %d were passed in.", name, f.min, f.max, n)
}
