package main

import (
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// lineEdits compares two texts line by line. Package udiff settles for large edits where there are very many small ones, so the
// texts are first cut at the lines that occur once in each.
func lineEdits(before, after string) (edits []udiff.Edit) {
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	at, i, j := 0, 0, 0
	compare := func(toI, toJ int) {
		was := strings.Join(a[i:toI], "")
		for _, e := range udiff.Lines(was, strings.Join(b[j:toJ], "")) {
			edits = append(edits, udiff.Edit{Start: e.Start + at, End: e.End + at, New: e.New})
		}
		at += len(was)
	}
	for _, p := range anchors(a, b) {
		compare(p[0], p[1])
		at += len(a[p[0]])
		i, j = p[0]+1, p[1]+1
	}
	compare(len(a), len(b))
	return edits
}

// anchors returns the longest list of pairs of equal lines that stand in one order in both texts and once in each.
func anchors(a, b []string) (list [][2]int) {
	places := func(lines []string) map[string]int {
		at := map[string]int{}
		for i, line := range lines {
			if _, twice := at[line]; twice {
				i = -1
			}
			at[line] = i
		}
		return at
	}
	inA, inB := places(a), places(b)
	var pairs [][2]int
	for i, line := range a {
		if j, ok := inB[line]; ok && j >= 0 && inA[line] == i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	// The longest rising sequence of the second numbers: ends holds the last pair of the best sequence of each length.
	var ends []int
	previous := make([]int, len(pairs))
	for k, p := range pairs {
		length := sort.Search(len(ends), func(n int) bool { return pairs[ends[n]][1] > p[1] })
		previous[k] = -1
		if length > 0 {
			previous[k] = ends[length-1]
		}
		ends = append(ends[:length], append([]int{k}, ends[min(length+1, len(ends)):]...)...)
	}
	if len(ends) == 0 {
		return nil
	}
	for k := ends[len(ends)-1]; k >= 0; k = previous[k] {
		list = append(list, pairs[k])
	}
	slices.Reverse(list)
	return list
}
