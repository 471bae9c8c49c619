package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/upstream"
)

const miniGrammar = "A grammar of our own.\n\ndocument\t::=\tint32 e_list\tA document.\n" +
	"element\t::=\tsigned_byte(1) e_name double\tA number\n|\tsigned_byte(-1) e_name\tNothing\n" +
	"|\tsigned_byte(8) e_name unsigned_byte(0)\tNo\n|\tsigned_byte(8) e_name unsigned_byte(1)\tYes\n" +
	"|\tsigned_byte(2) e_name string\tText\nsubtype\t::=\tunsigned_byte(0)\tAnything\n"

const miniTypes = `table: bson-types
rows:
  - {name: Number, code: 0x01, size: 8, doc: "A number."}
  - {name: Nothing, code: 0xFF, size: 0, doc: "Nothing."}
  - {name: Bool, code: 0x08, size: 1, doc: "Yes or no."}
  - {name: Text, code: 0x02, doc: "Text."}
subtypes:
  - {name: Anything, code: 0x00, doc: "Anything."}
`

func TestGrammar(t *testing.T) {
	for _, test := range []struct {
		name, grammar, out, err string
		code                    int
	}{
		{name: "nothing to do", grammar: miniGrammar},
		{name: "a new type", grammar: strings.Replace(miniGrammar, "subtype", "|\tsigned_byte(3) e_name int32\tA count\nsubtype", 1),
			out: "added specs/bson/types.yaml 0x03; write the columns that are ours\n" +
				"unwritten specs/bson/types.yaml:7: write what this row is about, and the columns that upstream does not have\n", code: 1},
		{name: "another size", grammar: strings.Replace(miniGrammar, "e_name double", "e_name int32", 1),
			out: "changed specs/bson/types.yaml:3 0x01 size: 8 -> 4\n"},
		{name: "an unknown layout", grammar: strings.Replace(miniGrammar, "e_name double", "e_name float16", 1),
			err: ":4: \"float16\" is not a layout\n", code: 2},
		{name: "an unknown production", grammar: strings.Replace(miniGrammar, "unsigned_byte(0)\tAnything", "any byte\tAnything", 1),
			err: ":9: \"any byte\" is not a subtype\n", code: 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			from, specs := writeMiniature(t, "", "")
			write(t, filepath.Join(specs, "bson", "types.yaml"), miniTypes)
			grammar := filepath.Join(from, "grammar.txt")
			write(t, grammar, test.grammar)
			var stdout, stderr bytes.Buffer
			if code := run(options{from: from, specs: specs, check: false}, []reader{readGrammar(grammar)}, &stdout, &stderr); code != test.code {
				t.Errorf("exit %d, want %d", code, test.code)
			}
			if stdout.String() != test.out || !strings.HasSuffix(stderr.String(), test.err) || (test.err == "") != (stderr.Len() == 0) {
				t.Errorf("stdout %q, stderr %q, want %q, %q", &stdout, &stderr, test.out, test.err)
			}
		})
	}
}

func TestGrammarOfTheSeed(t *testing.T) {
	grammar := os.Getenv("GRAMMAR")
	if grammar == "" {
		t.Skip("GRAMMAR names no file with the BSON grammar")
	}
	from := upstream.Path(t)
	var stdout, stderr bytes.Buffer
	if code := run(options{from: from, specs: "../../specs", check: true}, []reader{readGrammar(grammar)}, &stdout, &stderr); code != 0 {
		t.Errorf("exit %d\n%s%s", code, &stdout, &stderr)
	}
}
