package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// accepts parses the value of -accept: a comma-separated list of removals, or all of them.
func accepts(list string) func(string) bool {
	names := strings.Split(list, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return func(removal string) bool { return slices.Contains(names, removal) }
}

// asks returns the removals that a person agrees to.
func asks(named func(string) bool, in io.Reader, out io.Writer) func(string) bool {
	answers := bufio.NewScanner(in)
	return func(removal string) bool {
		if named(removal) {
			return true
		}
		fmt.Fprintf(out, "upstream no longer has %s; take it out? [y/N] ", removal)
		return answers.Scan() && strings.EqualFold(strings.TrimSpace(answers.Text()), "y")
	}
}

// acknowledgements reads documents and sections, and wants a reason for them.
func acknowledgements(list, reason string) ([]acknowledgement, error) {
	if list == "" {
		return nil, nil
	}
	if reason == "" {
		return nil, errors.New("-acknowledge wants a reason: say it with -because")
	}
	var out []acknowledgement
	for part := range strings.SplitSeq(list, ";") {
		document, section, found := strings.Cut(strings.TrimSpace(part), ", ")
		if !found {
			return nil, fmt.Errorf("-acknowledge %q is not a document, a comma and a section", part)
		}
		out = append(out, acknowledgement{document, strings.Trim(section, `"`), reason})
	}
	return out, nil
}
