package main

import (
	"slices"
	"strings"
	"testing"
)

// The page's flag takes its address as the usage prints it, and needs none.
func TestThePagesAddressMayFollow(t *testing.T) {
	for in, want := range map[string]string{
		"-ui":                          "-ui",
		"-ui -log":                     "-ui -log",
		"-ui 127.0.0.1:27080 -log":     "-ui=127.0.0.1:27080 -log",
		"--ui 127.0.0.1:27080":         "--ui=127.0.0.1:27080",
		"-ui=127.0.0.1:27080 -nodes 3": "-ui=127.0.0.1:27080 -nodes 3",
		"-nodes 3 -ui":                 "-nodes 3 -ui",
	} {
		if got := joinPage(strings.Fields(in)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}
