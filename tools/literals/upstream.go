package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	inTicks  = regexp.MustCompile("`([^`]+)`")
	inQuotes = regexp.MustCompile(`"([^"\s]+)"`)
	asKey    = regexp.MustCompile(`^\s*([$\w.]+)\??:`)
	aNumber  = regexp.MustCompile(`\b\d{4,}\b`)
)

// upstreamFacts maps the values that occur in tables and code blocks of the specifications to a document that has them.
func upstreamFacts(checkout string) (map[string]string, error) {
	dir := filepath.Join(checkout, "source")
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "tests":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		addFacts(out, filepath.ToSlash(rel), string(data))
		return err
	})
	return out, err
}

// addFacts notes the words of a document's tables and code blocks.
func addFacts(out map[string]string, document, text string) {
	code := false
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		table := strings.HasPrefix(strings.TrimSpace(line), "|")
		if fence {
			code = !code
		}
		if fence || !code && !table {
			continue
		}
		patterns := []*regexp.Regexp{inQuotes, inTicks}
		if code {
			patterns[1] = asKey
		}
		for _, p := range patterns {
			for _, m := range p.FindAllStringSubmatch(line, -1) {
				note(out, "text "+strings.Trim(m[1], `"'`), document)
			}
		}
		for _, digits := range aNumber.FindAllString(line, -1) {
			if n, err := strconv.ParseUint(digits, 10, 64); err == nil && n >= least {
				note(out, "number "+strconv.FormatUint(n, 10), document)
			}
		}
	}
}

func note(out map[string]string, value, document string) {
	if out[value] == "" {
		out[value] = document
	}
}
