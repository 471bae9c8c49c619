package mongo_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wording collects the texts of errors, so that none changes by accident.
type wording []string

// volatileText matches what differs from run to run.
var volatileText = regexp.MustCompile(`127\.0\.0\.1:\d+|\b[0-9a-f]{24}\b`)

// add adds the lines of an error, except those that quote a server.
func (w *wording) add(err error) {
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		if !strings.Contains(line, " replied: ") && strings.Contains(line, "mongo: ") {
			*w = append(*w, volatileText.ReplaceAllString(strings.TrimSuffix(line, "\n"), "X"))
		}
	}
}

// compare compares the texts, each once, with a golden file. The flag -update writes it.
func (w *wording) compare(t *testing.T, name string) {
	t.Helper()
	slices.Sort(*w)
	got := slices.Compact(*w)
	golden, want := goldenLines(t, name, got)
	for _, text := range got {
		if !slices.Contains(want, text) {
			t.Errorf("%s lacks this text, and -update adds it: %q", golden, text)
		}
	}
	for _, text := range want {
		if !slices.Contains(got, text) {
			t.Errorf("nothing says this text of %s, and -update drops it: %q", golden, text)
		}
	}
}
