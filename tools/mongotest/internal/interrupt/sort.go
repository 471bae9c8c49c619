package interrupt

import "slices"

// run is how many elements are sorted without asking the check.
const run = 8192

// SortStable sorts a list stably and stops when the check says so, which leaves the list in any order.
func SortStable[T any](list []T, compare func(a, b T) int, c *Check) error {
	if len(list) <= run || c == nil {
		slices.SortStableFunc(list, compare)
		return nil
	}
	for part := range slices.Chunk(list, run) {
		if err := Err(c.ctx); err != nil {
			return err
		}
		slices.SortStableFunc(part, compare)
	}
	from, to := list, make([]T, len(list))
	for width := run; width < len(list); width *= 2 {
		for at := 0; at < len(list); at += 2 * width {
			middle, end := min(at+width, len(list)), min(at+2*width, len(list))
			if err := merge(to[at:end], from[at:middle], from[middle:end], compare, c); err != nil {
				return err
			}
		}
		from, to = to, from
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
	return nil
}

// merge puts two sorted lists into one.
func merge[T any](to, a, b []T, compare func(a, b T) int, c *Check) error {
	for i := range to {
		if err := c.Err(); err != nil {
			return err
		}
		switch {
		case len(a) == 0:
			copy(to[i:], b)
			return nil
		case len(b) == 0:
			copy(to[i:], a)
			return nil
		case compare(b[0], a[0]) < 0:
			to[i], b = b[0], b[1:]
		default:
			to[i], a = a[0], a[1:]
		}
	}
	return nil
}
