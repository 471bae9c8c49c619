package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/upstream"
)

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	titleLine   = regexp.MustCompile(`^(#+)\s+["*]*(.*?)["*]*\s*#*$`)
	itemLine    = regexp.MustCompile(`\n\s*(?:[-*+]|\d+[.)])\s`)
	blankLine   = regexp.MustCompile(`\n\s*(?:>\s*)*\n`)
	shortened   = regexp.MustCompile(`\b(?:e\.g|i\.e|etc|vs|a\.k\.a)\.`)
	stop        = regexp.MustCompile("[.!?][)\\]\"'`*_]*\\s+([^a-z])|\\f")
)

// countAnotherWay counts the stretches of text between two ends of sentences that hold a word of duty. It knows nothing of
// passages, cells and comments, and looks at raw markdown.
func countAnotherWay(text string) int {
	var kept strings.Builder
	hidden, fenced := 0, false
	for line := range strings.Lines(htmlComment.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, "\n")
		if mark := strings.TrimSpace(line); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			fenced = !fenced
		}
		if m := titleLine.FindStringSubmatch(line); m != nil && !fenced {
			if level := len(m[1]); hidden == 0 || level <= hidden {
				hidden = 0
				if unbindingTitles.MatchString(m[2]) {
					hidden = level
				}
			}
			line = ""
		}
		if hidden == 0 {
			kept.WriteString(line + "\n")
		}
	}
	text = itemLine.ReplaceAllString(kept.String(), "\f")
	text = strings.ReplaceAll(blankLine.ReplaceAllString(text, "\f"), "|", "\f")
	text = shortened.ReplaceAllString(text, "")
	text = stop.ReplaceAllString(text, "\f$1")
	count := 0
	for stretch := range strings.SplitSeq(text, "\f") {
		if mustWord.MatchString(stretch) && !boiler.MatchString(stretch) {
			count++
		}
	}
	return count
}

// The ledger counts as many sentences as a count that shares nothing with the extractor: within 2 % altogether, and within a
// tenth, or three sentences, in each document. Where they differ, one of them cuts a sentence in two that the other leaves whole.
func TestAnotherCountOfTheSentences(t *testing.T) {
	from := upstream.Path(t)
	ledger := load.NewTables(os.DirFS(filepath.Join("..", "..", "specs"))).Ledger()
	all, others := 0, 0
	for _, row := range ledger.Rows {
		data, err := os.ReadFile(filepath.Join(from, "source", row.Document))
		if err != nil {
			t.Fatal(err)
		}
		other := countAnotherWay(string(data))
		if off := max(row.Sentences-other, other-row.Sentences); off > max(3, row.Sentences/10) {
			t.Errorf("%s: the ledger has %d sentences, the other count %d", row.Document, row.Sentences, other)
		}
		all, others = all+row.Sentences, others+other
	}
	if off := max(all-others, others-all); off*50 > all || all == 0 {
		t.Errorf("the ledger has %d sentences, the other count %d", all, others)
	}
	t.Logf("%d sentences, and %d by the other count", all, others)
}
