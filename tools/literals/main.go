package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root := flag.String("root", ".", "the root of the repository")
	from := flag.String("from", "", "a checkout of the specifications")
	flag.Parse()
	problems, err := check(*root, *from)
	for _, p := range problems {
		fmt.Println(p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "literals:", err)
		os.Exit(2)
	}
	if len(problems) > 0 {
		fmt.Fprintf(os.Stderr, "literals: %d literals stand in tables: name the constant, or list them in %s with the reason\n",
			len(problems), exceptionsFile)
		os.Exit(1)
	}
}

// check returns a line for each literal that is a fact, and for each exception that excuses nothing.
func check(root, from string) ([]string, error) {
	constants, err := constantsOf(filepath.Join(root, "generated"))
	if err != nil {
		return nil, err
	}
	excused, err := readExceptions(root)
	if err != nil {
		return nil, err
	}
	found, err := literalsOf(root, "runtime", "bson")
	if err != nil {
		return nil, err
	}
	returned, err := sentencesOf(filepath.Join(root, "generated"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range found {
		if names := constants[l.value]; names != "" && !excused.allows(l, "") {
			out = append(out, fmt.Sprintf("%s: %s is %s", l.at, l.text, names))
		}
	}
	out = append(out, repeatedSentences(found, returned, excused, "")...)
	if from == "" {
		return append(out, excused.listUnused("")...), nil
	}
	facts, err := upstreamFacts(from)
	if err != nil {
		return nil, err
	}
	for _, l := range findRepeated(found) {
		if document := facts[l.value]; document != "" && constants[l.value] == "" && !excused.allows(l, upstream) {
			out = append(out, fmt.Sprintf("%s: %s is in %s, and in several files of ours", l.at, l.text, document))
		}
	}
	quotes, err := upstreamSentences(from)
	if err != nil {
		return nil, err
	}
	out = append(out, repeatedSentences(found, quotes, excused, upstream)...)
	return append(append(out, excused.listUnused("")...), excused.listUnused(upstream)...), nil
}

// repeatedSentences returns a line for each text that has one of the sentences.
func repeatedSentences(found []literal, all sentences, excused *exceptions, kind string) []string {
	var out []string
	for _, l := range found {
		text, isText := strings.CutPrefix(l.value, "text ")
		if !isText || strings.Count(text, " ")+1 < words {
			continue
		}
		sentence := all.longestIn(text)
		if l.value = "text " + sentence; sentence != "" && !excused.allows(l, kind) {
			out = append(out, fmt.Sprintf("%s: %q is in %s", l.at, sentence, all[sentence]))
		}
	}
	return out
}
