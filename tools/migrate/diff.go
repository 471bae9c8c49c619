package main

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diff prints what would change, in the form of diff -u, with colours on a terminal.
func diff(path string, before, after []byte, colour bool) string {
	text, err := udiff.ToUnified(path, path, string(before), lineEdits(string(before), string(after)), udiff.DefaultContextLines)
	if err != nil { // cannot happen: the edits are in order and do not overlap
		panic(err)
	}
	if !colour {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		code := 0
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			code = 1
		case strings.HasPrefix(line, "@@"):
			code = 36
		case strings.HasPrefix(line, "+"):
			code = 32
		case strings.HasPrefix(line, "-"):
			code = 31
		}
		if code == 0 {
			b.WriteString(line)
			continue
		}
		fmt.Fprintf(&b, "\x1b[%dm%s\x1b[0m\n", code, strings.TrimSuffix(line, "\n"))
	}
	return b.String()
}
