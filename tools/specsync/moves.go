package main

import (
	"fmt"
	"slices"
)

// movedSections says where a section was and where it is now, for each section in both lists that has another section around it
// or is in another order.
func movedSections(was, now []pinnedSection) map[string]string {
	out := map[string]string{}
	before, after := parentSections(was), parentSections(now)
	old, fresh := commonNames(was, after), commonNames(now, before)
	for _, name := range fresh {
		a, b := before[name], after[name]
		_, gone := after[a]
		_, new := before[b]
		if renamed := a != "" && b != "" && !gone && !new; a != b && !renamed {
			out[name] = fmt.Sprintf("it was below %s, it is below %s", nameOrTop(a), nameOrTop(b))
		}
	}
	stay := longestCommon(old, fresh)
	for i, name := range fresh {
		if slices.Contains(stay, name) || out[name] != "" {
			continue
		}
		previous := ""
		if i > 0 {
			previous = fresh[i-1]
		}
		out[name] = fmt.Sprintf("it now comes after %s", nameOrTop(previous))
	}
	return out
}

func nameOrTop(name string) string {
	if name == "" {
		return "no section"
	}
	return fmt.Sprintf("%q", name)
}

// parentSections maps each section to the section that it stands in.
func parentSections(list []pinnedSection) map[string]string {
	out := map[string]string{}
	var open []string
	for _, s := range list {
		open = append(open[:min(s.depth, len(open))], s.name)
		out[s.name] = ""
		if len(open) > 1 {
			out[s.name] = open[len(open)-2]
		}
	}
	return out
}

// commonNames returns the names of the sections that are also among others.
func commonNames(list []pinnedSection, others map[string]string) []string {
	var out []string
	for _, s := range list {
		if _, found := others[s.name]; found {
			out = append(out, s.name)
		}
	}
	return out
}

// longestCommon returns a longest list of names that are in the same order in both lists. The lists hold the same names.
func longestCommon(a, b []string) []string {
	if slices.Equal(a, b) {
		return a
	}
	lengths := make([][]int, len(a)+1)
	for i := range lengths {
		lengths[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, a[i])
			i, j = i+1, j+1
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}
