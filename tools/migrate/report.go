package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// report says what is left to a person, grouped by what it is: the worst first, and of equally bad ones the most frequent. Each
// text comes once, with all its places.
func report(log io.Writer, dir string, leaves []leave) {
	groups := map[string][]leave{}
	for _, l := range leaves {
		groups[l.what] = append(groups[l.what], l)
	}
	var texts []string
	for what := range groups {
		texts = append(texts, what)
	}
	slices.SortFunc(texts, func(a, b string) int {
		return cmp.Or(cmp.Compare(severity(a), severity(b)), len(groups[b])-len(groups[a]), strings.Compare(a, b))
	})
	last := -1
	for _, what := range texts {
		if s := severity(what); s != last {
			fmt.Fprintf(log, "%s:\n", severities[s])
			last = s
		}
		list := groups[what]
		slices.SortFunc(list, func(a, b leave) int {
			return cmp.Or(strings.Compare(a.at.Filename, b.at.Filename), a.at.Offset-b.at.Offset)
		})
		list = slices.CompactFunc(list, func(a, b leave) bool { return a.at == b.at })
		if len(list) == 1 {
			fmt.Fprintf(log, "  %s: %s\n", placeOf(dir, list[0]), what)
			continue
		}
		fmt.Fprintf(log, "  %d places: %s\n", len(list), what)
		for _, l := range list {
			fmt.Fprintf(log, "    %s\n", placeOf(dir, l))
		}
	}
}

func placeOf(dir string, l leave) string {
	return fmt.Sprintf("%s:%d:%d", shownPath(dir, l.at.Filename), l.at.Line, l.at.Column)
}

// severities are the headings of the report.
var severities = [...]string{
	"Files that are as they were", "It compiles and means something else", "It does not compile until you have changed it",
	"It differs in rare cases", "The text of a value differs",
}

// elsewhere are parts of reports about code that compiles and means something else.
var elsewhere = [...]string{
	"the official driver ignores the flag", "the official driver stores", "decodes a document inside", "decodes into the zero value",
	"is left out here, and written", "applies inside a bson.D too", "not a mongo.NetworkError", "options win over", "zero means unset",
	"where AuthSource is not set", "String hides the password", "each host has its port", "does not escape HTML",
	"of a connection string is ignored", "the text of an error", "the JSON of a bson.D",
	"nothing calls the method here", "arrives wrapped here", "takes a nil context", "is nil here", "begin with 1 here",
	"a map with several keys", "never reaches this case of the switch",
}

// rarely are parts of reports about what differs in rare cases.
var rarely = [...]string{
	"TryNext asks", "a context's deadline", "makes no indexes", "in an explicit session", "of killCursors", "a batch size of 0",
	"returns no error of the write concern", "refuses plain numbers", "the limit of findOne", "a redacted command",
	"UpsertedID is bson.Null",
	"is refused here", "errors of Validate", "under one microsecond", "a write concern error of", "ErrMapForOrderedArgument arrives",
	"the deadline of a bucket comes", "an error returned by the method List", "is left out: the specification",
}

func severity(what string) int {
	switch {
	case strings.Contains(what, "as it was") || strings.HasPrefix(what, "the whole file stays"):
		return 0
	case strings.HasPrefix(what, "the text of a bson."):
		return 4
	}
	for _, part := range rarely {
		if strings.Contains(what, part) {
			return 3
		}
	}
	for _, part := range elsewhere {
		if strings.Contains(what, part) {
			return 1
		}
	}
	return 2
}
