package ranges

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/generated/core/analysis"
)

// Root is the edge for the empty prefix, which all values share.
const Root = "root"

// defaultTrimFactor is how many levels below the root are left out by default.
const defaultTrimFactor = 6

// TrimFactor returns the trim factor for integers up to largest: the given one, or the default, lowered to fit.
func TrimFactor(given *int32, largest Number) (int, error) {
	n := largest.Len()
	if given == nil {
		return min(defaultTrimFactor, n-1), nil
	}
	if t := int(*given); t == 0 || t > 0 && t < n {
		return t, nil
	}
	return 0, fmt.Errorf(
		"encrypt: trim factor (%d) must be less than the total number of bits (%d) used to represent any element in the domain",
		*given, n)
}

// Edges returns the nodes of the tree that a value belongs to, the leaf first. sparsity leaves out levels, trim those near the
// root.
func Edges(value, largest Number, sparsity int64, trim int) ([]string, error) {
	if sparsity < 1 {
		return nil, errors.New("encrypt: sparsity must be 1 or larger")
	}
	if largest.Less(value) {
		return nil, errors.New("encrypt: the value is larger than the largest one of its index")
	}
	n := largest.Len()
	leaf := value.text(n)
	out := make([]string, 0, 2+n)
	if trim == 0 {
		out = append(out, Root)
	}
	out = append(out, leaf)
	for i := int64(max(trim, 1)); i < int64(n); i++ {
		if i%sparsity == 0 {
			out = append(out, leaf[:i])
		}
	}
	return out, nil
}

// MinCover returns the fewest nodes that together make up the range from lower to upper, both included.
func MinCover(lower, upper, largest Number, sparsity int64, trim int) ([]string, error) {
	switch {
	case sparsity < 1:
		return nil, errors.New("encrypt: sparsity must be 1 or larger")
	case upper.Less(lower):
		return nil, errors.New("encrypt: " + analysis.RangeOrder())
	case largest.Less(upper):
		return nil, errors.New("encrypt: the range ends above the largest value of its index")
	}
	c := cover{lower: lower, upper: upper, digits: largest.Len(), sparsity: sparsity, trim: trim}
	c.visit(Number{}, c.digits)
	if len(c.out) > maxCover {
		return nil, fmt.Errorf("encrypt: the range has more than %d parts, too many for a document: "+
			"the sparsity (%d) or the trim factor (%d) of the field is too large", maxCover, sparsity, trim)
	}
	return c.out, nil
}

// maxCover is more nodes than a document of 16 MiB holds: the tokens of one take 125 bytes. Sparsity and trim factor may come from a
// server, and large ones leave nothing but the values themselves.
const maxCover = 16 << 20 / 125

// cover collects the nodes of a range.
type cover struct {
	lower, upper Number
	digits, trim int
	sparsity     int64
	out          []string
}

// visit visits the node of the values that share the bits of start above the last free bits, and the nodes below it.
func (c *cover) visit(start Number, free int) {
	end := start.plus(lowBits(free))
	if end.Less(c.lower) || c.upper.Less(start) || len(c.out) > maxCover {
		return
	}
	level := c.digits - free
	inside := !start.Less(c.lower) && !c.upper.Less(end)
	if inside && (free == 0 || level >= c.trim && int64(level)%c.sparsity == 0) {
		c.out = append(c.out, c.nodeName(start, level))
		return
	}
	c.visit(start, free-1)
	c.visit(start.plus(powerOfTwo(free-1)), free-1)
}

func (c *cover) nodeName(start Number, level int) string {
	if level == 0 {
		return Root
	}
	return start.text(c.digits)[:level]
}

// Bounds turns the bounds of a range into inclusive ones. It fails for ranges below the smallest or above the largest value.
func Bounds(lower, upper, largest Number, lowerIncluded, upperIncluded bool) (from, to Number, err error) {
	if !lowerIncluded {
		if !lower.Less(largest) {
			return from, to, errors.New("encrypt: " + analysis.LowerBoundExcluded())
		}
		lower = lower.plus(Number{Lo: 1})
	}
	if !upperIncluded {
		if upper == (Number{}) {
			return from, to, errors.New("encrypt: " + analysis.UpperBoundExcluded())
		}
		upper = upper.minus(Number{Lo: 1})
	}
	return lower, upper, nil
}
