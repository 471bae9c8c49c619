package main

// leftOut reports whether the row that holds a list says, in its column without, that upstream's row is left out on
// purpose.
func (f *file) leftOut(t table, key string) bool {
	n := f.root
	for _, s := range t.within {
		rows := column(n, s.list)
		if rows == nil {
			return false
		}
		if n = find(rows, s.key, s.value); n == nil {
			return false
		}
	}
	without := column(n, "without")
	return without != nil && column(without, key) != nil
}
