package update

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

func isOfReference(name string) bool { return name == "$id" || name == "$ref" || name == "$db" }

// isArrayFilter reports whether a component can match several positions: $[] or $[identifier].
func isArrayFilter(component string) bool {
	return len(component) > 2 && strings.HasPrefix(component, "$[") && strings.HasSuffix(component, "]")
}

func identifierIn(component string) string {
	return strings.TrimSuffix(strings.TrimPrefix(component, "$["), "]")
}

// sharedComponents returns how many leading components two paths share.
func sharedComponents(a, b path.Path) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func isDynamic(p path.Path) bool {
	return slices.ContainsFunc(p, func(f string) bool { return f == "$" || isArrayFilter(f) })
}
