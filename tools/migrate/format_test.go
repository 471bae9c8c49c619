package main

import "testing"

// TestFormatted keeps the lines that no rule has changed as they were written.
func TestFormatted(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"formatted before": {"package a\n\nvar a = 1\n", "package a\n\nvar   a = 2\n", "package a\n\nvar a = 2\n"},
		"not formatted before": {
			"package a\n\nvar  a = 1\n\nvar  b = 1\n\nfunc f() {\n  a=1\n}\n", "package a\n\nvar  a = 1\n\nvar  b = 2\n\nfunc f() {\n  a=1\n}\n",
			"package a\n\nvar  a = 1\n\nvar b = 2\n\nfunc f() {\n  a=1\n}\n",
		},
		"unchanged":          {"package a\nvar  a=1\n", "package a\nvar  a=1\n", "package a\nvar  a=1\n"},
		"lines end in CR LF": {"package a\r\n\r\nvar a = 1\r\n", "package a\r\n\r\nvar a =  2\r\n", "package a\r\n\r\nvar a = 2\r\n"},
	} {
		got, err := formatText([]byte(c.before), []byte(c.after))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}
