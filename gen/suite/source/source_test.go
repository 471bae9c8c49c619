package source

import (
	"strings"
	"testing"
)

// dump prints a tree with kinds, order and lines, so that one comparison covers everything in a Node.
func dump(n *Node) string {
	var b strings.Builder
	var walk func(n *Node)
	walk = func(n *Node) {
		switch n.Kind {
		case Object:
			b.WriteByte('{')
			for _, m := range n.Members {
				b.WriteString(m.Key + "@" + string(rune('0'+m.Line)) + "=")
				walk(m.Value)
				b.WriteByte(' ')
			}
			b.WriteByte('}')
		case Array:
			b.WriteByte('[')
			for _, i := range n.Items {
				walk(i)
				b.WriteByte(' ')
			}
			b.WriteByte(']')
		case String:
			b.WriteString("'" + n.Text + "'")
		default:
			b.WriteString(n.Text)
		}
	}
	walk(n)
	return b.String()
}

func TestParseKeepsOrderSpellingAndLines(t *testing.T) {
	tests := map[string]struct {
		parse      func([]byte) (*Node, error)
		text, want string
	}{
		"JSON order":   {ParseJSON, "{\"b\": 1,\n\"a\": [true, null, \"x\"]}", "{b@1=1 a@2=[true null 'x' ] }"},
		"YAML numbers": {ParseYAML, "[1, 0x10, 1e3, .5, .inf, -.Inf, .NaN]", "[1 16 1e3 .5 Infinity -Infinity NaN ]"},
		"JSON numbers": {ParseJSON, "[1, 1.0, -0, 1e3, 9223372036854775808]",
			"[1 1.0 -0 1e3 9223372036854775808 ]"},
		"JSON escapes":      {ParseJSON, `"\u00e9\ud83d\ude00\n\/"`, "'é😀\n/'"},
		"JSON empty":        {ParseJSON, "{}", "{}"},
		"YAML order":        {ParseYAML, "b: 1\na:\n  - yes\n  - true\n  - ~\n", "{b@1=1 a@2=['yes' true null ] }"},
		"YAML number forms": {ParseYAML, "[1, 1.0, '1', 0x10]", "[1 1.0 '1' 16 ]"},
		"YAML alias":        {ParseYAML, "a: &x {k: 1}\nb: *x\n", "{a@1={k@1=1 } b@2={k@1=1 } }"},
		"YAML merge":        {ParseYAML, "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  k: 3\n", "{a@1={k@1=1 l@1=2 } b@2={k@4=3 l@1=2 } }"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n, err := tt.parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(n); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestParseRejects(t *testing.T) {
	tests := map[string]struct {
		parse      func([]byte) (*Node, error)
		text, want string
	}{
		"JSON twice":           {ParseJSON, "{\"a\": 1,\n\"a\": 2}", `line 2: the key "a" appears twice`},
		"JSON trailing":        {ParseJSON, "1\n2", `line 2: '2' follows the value`},
		"JSON open object":     {ParseJSON, `{"a": 1`, "line 1: the object is not closed"},
		"JSON open string":     {ParseJSON, `"a`, "line 1: a string is not closed"},
		"JSON lone surrogate":  {ParseJSON, `"\ud83d"`, `line 1: \ud83d is half of a surrogate pair`},
		"JSON bad number":      {ParseJSON, "1.2.3", `line 1: "1.2.3" is not a number`},
		"JSON bad word":        {ParseJSON, "nil", `line 1: 'n' cannot begin a value`},
		"JSON empty":           {ParseJSON, "", "line 1: a value is missing"},
		"JSON deep":            {ParseJSON, strings.Repeat("[", 600), "line 1: values nest deeper than 500"},
		"JSON control":         {ParseJSON, "\"a\tb\"", "line 1: a string holds the control character 0x9"},
		"YAML twice":           {ParseYAML, "a: 1\na: 2\n", `line 2: the key "a" appears twice`},
		"YAML empty":           {ParseYAML, "", "line 1: the file is empty"},
		"YAML not a mapping":   {ParseYAML, "<<: 1\n", "line 1: only mappings can be merged"},
		"YAML integer too big": {ParseYAML, "a: 18446744073709551615\n", "line 1: 18446744073709551615 is not a 64-bit integer"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := tt.parse([]byte(tt.text))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
