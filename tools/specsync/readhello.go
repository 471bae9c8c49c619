package main

import (
	"regexp"
	"slices"
	"strings"
)

// symptomWords are what a cell may say apart from the texts that it quotes.
var symptomWords = strings.Fields(`Initial or after a failed hello legacy call not in response No no setName and Not yet
	checked but another member thinks it is the primary nor secondary arbiter URI`)

var quotation = regexp.MustCompile(`"([^"]*)"`)

// readSymptoms reads what each state's cell quotes of a reply.
func readSymptoms(open func(string) (*document, error)) ([]table, error) {
	d, err := open(sdamDoc)
	if err != nil {
		return nil, err
	}
	at, err := d.section("type", 0)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "State", "Symptoms")
	if err != nil {
		return nil, err
	}
	out := table{file: "server/hello.yaml", list: "symptoms", key: "state"}
	for _, r := range rows {
		var mentions []string
		for _, m := range quotation.FindAllStringSubmatch(r.cells[1], -1) {
			mentions = append(mentions, m[1])
		}
		between := func(c rune) bool { return strings.ContainsRune(" ,.", c) }
		for _, word := range strings.FieldsFunc(quotation.ReplaceAllString(r.cells[1], ""), between) {
			if !slices.Contains(symptomWords, word) {
				d.note(d.errorf(r.line, "%q is not a known word of a symptom", word))
				continue
			}
		}
		out.rows = append(out.rows,
			row{key: r.cells[0], facts: []fact{{"state", r.cells[0]}, {"mentions", "[" + strings.Join(mentions, ", ") + "]"}}})
	}
	return []table{out}, nil
}
