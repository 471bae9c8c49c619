package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func documentOf(text string) *document {
	return &document{path: "shop.md", lines: strings.Split(text, "\n")}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []option
		err        string
	}{
		{
			name: "names before types",
			text: "class Goods {\n  /**\n   * Sour.\n   * @since MongoDB 8.2\n   */\n  apple: Optional<Boolean>;\n\n  // A comment; not a member.\n  bread?: string\n  cake: Optional<(String | Document)>,\n}",
			want: []option{{name: "apple", typ: "Optional<Boolean>", since: "8.2"}, {name: "bread", typ: "string"}, {name: "cake", typ: "Optional<(String | Document)>"}},
		},
		{
			name: "types before names, indented",
			text: "   class Goods implements Things {\n      Optional<Int64> apple;\n      /* @deprecated 4.0 */\n      /**\n       * @deprecated 4.0\n       */\n      String bread; // Stale.\n   }",
			want: []option{{name: "apple", typ: "Optional<Int64>"}, {name: "bread", typ: "String", deprecated: "4.0"}},
		},
		{
			name: "a type on several lines",
			text: "interface Goods {\n  kind: \"a\"\n      | \"b\"\n      | \"c\";\n  2d: Int32;\n}",
			want: []option{{name: "kind", typ: `"a" | "b" | "c"`}, {name: "2d", typ: "Int32"}},
		},
		{
			name: "the last of two",
			text: "class Goods {\n  apple: a;\n}\nclass Goods {\n  bread: b;\n}",
			want: []option{{name: "bread", typ: "b"}},
		},
		{
			name: "what another leaves",
			text: "class All {\n  apple: a;\n  bread: b;\n  cake: c;\n}\ntype Goods = Omit<All, 'apple' | 'cake'>;",
			want: []option{{name: "bread", typ: "b"}},
		},
		{name: "a name that nothing has", text: "class All {\n  apple: a;\n}\ntype Goods = Omit<All, 'pear'>;", err: "shop.md:4: 'pear' is not a member of All"},
		{name: "none", text: "class Other {\n}", err: "shop.md:1: there is no declaration of Goods"},
		{name: "no end", text: "class Goods {\n  apple: a;", err: "shop.md:1: the declaration of Goods has no end"},
		{name: "a line that is no member", text: "class Goods {\n  apple: a;\n  sell everything!\n}", err: `shop.md:3: "sell everything!" is not a member`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := documentOf(c.text).readOptions("Goods")
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("got %v, want %s", err, c.err)
				}
				return
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestMembers(t *testing.T) {
	got, err := documentOf("enum Side {\n  /** Left. */\n  LEFT,\n  // Right.\n  right = \"r\"\n}").readMembers("Side")
	if want := []string{"LEFT", "right"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := documentOf("enum Side {\n  LEFT or RIGHT\n}").readMembers("Side"); err == nil || err.Error() != `shop.md:2: "LEFT or RIGHT" is not a member` {
		t.Errorf("got %v", err)
	}
}

const goodsTable = `table: shop
types:
  - name: Goods
    without: {pear: nobody buys it}
    fields:
      - {option: apple, type: Int32, doc: "Apple grows."}
rows:
  - {option: apple, type: Int32, doc: "Apple grows."}
  - {option: bread, type: Int32, of: [One], doc: "Bread is baked."}
`

// TestWholeAndWithout: a row without a list of members has them all, and what a type is without is not missed.
func TestWholeAndWithout(t *testing.T) {
	for _, c := range []struct {
		name          string
		fields, other []string // what upstream declares for the type, and for the member Two
		out           string
	}{
		{"nothing to do", []string{"apple", "pear"}, []string{"apple"}, ""},
		{"a new field", []string{"apple", "pear", "plum"}, []string{"apple"}, "added specs/shop.yaml Goods.plum; write the columns that are ours\n"},
		{"a member that gains an option", []string{"apple"}, []string{"apple", "bread"}, "changed specs/shop.yaml:9 bread: of gains Two\n"},
		{"a member that loses what all have", []string{"apple"}, nil, "error specs/shop.yaml:8 apple: Two does not have it; list the others in the column of\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, specs := writeMiniature(t, "", goodsTable)
			goods := func(func(string) (*document, error)) ([]table, error) {
				fields := table{file: "shop.yaml", within: []step{{"types", "name", "Goods"}}, list: "fields", key: "option"}
				for _, name := range c.fields {
					fields.rows = append(fields.rows, option{name: name, typ: "Int32"}.row())
				}
				two := table{file: "shop.yaml", list: "rows", key: "option", members: "of", member: "Two", whole: true}
				for _, name := range c.other {
					two.rows = append(two.rows, row{key: name})
				}
				return []table{fields, two}, nil
			}
			var stdout, stderr bytes.Buffer
			code := run(options{from: from, specs: specs, check: true}, []reader{goods}, &stdout, &stderr)
			if stdout.String() != c.out || stderr.Len() > 0 || (code != 0) != (c.out != "") {
				t.Errorf("exit %d, %q, %q, want %q", code, &stdout, &stderr, c.out)
			}
		})
	}
}
