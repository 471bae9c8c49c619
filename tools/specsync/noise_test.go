package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/upstream"
)

// noise is a way to write a document that changes nothing of what it says.
type noise struct {
	name  string
	write func(text string) string
}

// replaceText replaces a pattern in the lines that are no code.
func replaceText(name, old, text string) noise {
	pattern := regexp.MustCompile(old)
	return noise{name, func(document string) string {
		return eachLine(document, false, func(line string) string { return pattern.ReplaceAllString(line, text) })
	}}
}

// replaceInCode replaces a pattern in the lines of code.
func replaceInCode(name, old, text string) noise {
	pattern := regexp.MustCompile(old)
	return noise{name, func(document string) string {
		return eachLine(document, true, func(line string) string { return pattern.ReplaceAllString(line, text) })
	}}
}

// replaceAnywhere replaces a pattern anywhere.
func replaceAnywhere(name, old, text string) noise {
	pattern := regexp.MustCompile(old)
	return noise{name, func(document string) string { return pattern.ReplaceAllString(document, text) }}
}

// eachLine changes the lines of code, or the others; fences stay.
func eachLine(document string, code bool, change func(string) string) string {
	lines := strings.Split(document, "\n")
	inside := false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
		} else if inside == code {
			lines[i] = change(line)
		}
	}
	return strings.Join(lines, "\n")
}

var noises = []noise{
	replaceAnywhere("lines that end as on Windows", `\n`, "\r\n"),
	replaceAnywhere("spaces at the ends of lines", `([a-z.])\n`, "$1  \n"),
	replaceAnywhere("a mark of the order of bytes", `\A`, "\ufeff"),
	replaceAnywhere("no line at the end", `\n+\z`, ""),
	replaceAnywhere("empty lines at the end", `\z`, "\n\n\n"),
	replaceAnywhere("more empty lines", `\n\n#`, "\n\n\n\n#"),
	replaceAnywhere("a comment between paragraphs", `\n\n## `, "\n\n<!-- a comment -->\n\n## "),
	replaceAnywhere("a comment on several lines", `\n\n## `, "\n\n<!-- a comment\n\n## Not a heading\n\n- nor a list -->\n\n## "),
	replaceText("a comment within a paragraph", `^([A-Z][a-z]+) ([a-z]+)`, "$1<!-- no --> $2"),
	replaceAnywhere("rulers between sections", `\n\n## `, "\n\n---\n\n## "),
	replaceAnywhere("rulers of stars", `\n\n## `, "\n\n* * *\n\n## "),
	replaceText("stars for bullets", `^( *)- `, "$1* "),
	replaceText("plus signs for bullets", `^( *)- `, "$1+ "),
	replaceText("bullets with more spaces", `^( *)- `, "$1-   "),
	replaceText("lists indented by two spaces", `^    - `, "  - "),
	replaceText("tabs before nested bullets", `^    - `, "\t- "),
	replaceText("numbers with parentheses", `^( *)(\d+)\. `, "$1$2) "),
	replaceText("lists that all begin with one", `^( *)\d+\. `, "${1}1. "),
	replaceText("signs behind headings", `^(#+) (.*)$`, "$1 $2 $1"),
	replaceText("indented headings", `^(#+ )`, "  $1"),
	replaceText("more spaces in headings", `^(#+) `, "$1   "),
	replaceText("an underlined title", `^# (.*)$`, "$1\n====="),
	replaceText("underlined chapters", `^## (.*)$`, "$1\n---"),
	replaceText("cells without spaces", ` *\| *`, "|"),
	replaceText("cells with many spaces", ` \| `, "   |     "),
	replaceText("rules of tables with colons", `^(\| *)-+(.*)-( *\|)$`, "$1:--$2:$3"),
	replaceText("rows without bars at their ends", `^\| *(.*[^ ]) *\|$`, "$1"),
	replaceText("other targets of links", `\]\([^()\s]*\)`, "](elsewhere.md#there)"),
	replaceText("targets of links with titles", `\]\(([^()\s]*)\)`, `]($1 "a title")`),
	replaceText("links with names of targets", `\]\(#[^()\s]*\)`, "][target]"),
	replaceAnywhere("a list of targets", `\z`, "\n[target]: https://example.com\n"),
	replaceText("anchors", `^(#+ .*)$`, "<a name=\"x\"></a>\n\n$1"),
	replaceText("anchors of another name", `<span id="[^"]*">`, `<span id="x">`),
	replaceText("emphasis with underscores", `(^| )\*([A-Za-z]+)\*( |\.|,)`, "${1}_${2}_$3"),
	replaceText("strong words with underscores", `(^| )\*\*([A-Za-z]+)\*\*( |\.|,)`, "${1}__${2}__$3"),
	replaceText("quotation marks of a printer", `(^| )"([a-z ]+)"( |\.|,)`, "${1}\u201c${2}\u201d$3"),
	replaceText("an apostrophe of a printer", `([a-z])'([a-z])`, "$1\u2019$2"),
	replaceText("spaces that do not break", `^([A-Z][a-z]+) ([a-z]+)`, "$1\u00a0$2"),
	replaceText("other numbers of footnotes", `\[\^(\d)\]`, "[^7$1]"),
	replaceText("escapes", `^([A-Z][a-z ]+[a-z])\.$`, `$1\.`),
	replaceText("entities", ` & `, " &amp; "),
	replaceAnywhere("longer fences", "(?m)^( *)```(\\w*)$", "$1````$2"),
	replaceAnywhere("fences of tildes", "(?m)^( *)```(\\w*)$", "$1~~~$2"),
	replaceAnywhere("other languages of fences", "(?m)^( *)```\\w+$", "$1```text"),
	replaceInCode("code with more indentation", `^( +)`, "$1$1"),
	{"tabs in code", func(text string) string {
		return eachLine(text, true, func(line string) string {
			rest := strings.TrimLeft(line, " ")
			indent := len(line) - len(rest)
			return strings.Repeat("\t", indent/2) + strings.Repeat(" ", indent%2) + rest
		})
	}},
	replaceInCode("empty lines in code", `^([^*]*;)$`, "$1\n"),
	replaceAnywhere("paragraphs in other lines", `([a-z]) ([a-z]+)\n([a-z])`, "$1\n$2 $3"),
	replaceAnywhere("items with empty lines between them", `\n- `, "\n\n- "),
}

// TestNoiseIsQuiet writes every document of upstream in other ways, one for each kind of noise in turn, and files of data
// and programs, too: nothing is reported.
func TestNoiseIsQuiet(t *testing.T) {
	from, upstream := upstream.Path(t), t.TempDir()
	copyTree(t, filepath.Join(from, "source"), filepath.Join(upstream, "source"))
	documents, err := filesOf(filepath.Join(upstream, "source"), isDocument)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{} // the noise of a document
	count := map[string]int{}
	queue := slices.Clone(noises)
	for _, name := range documents {
		path := filepath.Join(upstream, "source", filepath.FromSlash(name))
		text := content(t, path)
		for i, n := range queue {
			if changed := n.write(text); changed != text {
				write(t, path, changed)
				made[name] = n.name
				count[n.name]++
				queue = append(slices.Delete(queue, i, i+1), n) // what fits few documents waits in front
				break
			}
		}
	}
	if len(count) < 40 {
		t.Errorf("only %d kinds of noise were made", len(count))
	}
	writeNoisyData(t, upstream)
	root := t.TempDir()
	copyTables(t, "../..", root)
	shared := newLibrary()
	specs := filepath.Join(root, "specs")
	var stdout, stderr bytes.Buffer
	o := options{root: "../..", code: ours, library: shared, from: upstream, specs: specs, check: true}
	if code := run(o, allReaders(upstream, specs, shared), &stdout, &stderr); code == 0 && stdout.Len()+stderr.Len() == 0 {
		return
	}
	report := stdout.String() + stderr.String()
	for _, name := range documents {
		if strings.Contains(report, name) {
			t.Errorf("%s: %s", name, made[name])
		}
	}
	t.Errorf("the report:\n%s", report)
}

// writeNoisyData writes the files of data in other forms, and adds files without facts.
func writeNoisyData(t *testing.T, upstream string) {
	t.Helper()
	for name, change := range map[string]func([]byte) []byte{
		drawing:         func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		schemaDoc:       func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n  "), []byte("\r\n\t")) },
		"auth/auth.rst": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n\n"), []byte("\n\n\n")) },
	} {
		path := filepath.Join(upstream, "source", filepath.FromSlash(name))
		before := content(t, path)
		after := change([]byte(before))
		if bytes.Equal(after, []byte(before)) {
			t.Errorf("%s does not change", name)
		}
		write(t, path, string(after))
	}
	for _, name := range []string{"Makefile", "etc/generate.py", "auth/.hidden/a.md", "transactions/more.png", "crud/tests/x.yml.template"} {
		write(t, filepath.Join(upstream, "source", filepath.FromSlash(name)), "x\n")
	}
	if err := os.Remove(filepath.Join(upstream, "source", "auth", "includes", "calculating_a_signature.png")); err != nil {
		t.Fatal(err)
	}
}

// TestNoiseOfEveryKind writes one small document in each way; the fingerprints of its sections stay.
func TestNoiseOfEveryKind(t *testing.T) {
	const text = "# A \"plain\" title\n\nSome words are *soft*, and **hard**. It's in \"other words\" here.\n" +
		"Read [the rules](#rules) & more.[^1] And\nthis goes\non and on.\n\n## Rules\n\n<span id=\"rules\"></span>\n\nThe end is near.\n\n" +
		"- One.\n- Two.\n    - Inner.\n\n1. First.\n2. Second.\n\n| Name | Value |\n| ---- | ----- |\n| `a` | 1\\|2 |\n\n" +
		"```typescript\nclass Goods {\n  apple: String;\n  bread: {\n    crust: Int32;\n  }\n}\n```\n\n[^1]: A note.\n"
	prints := func(text string) string {
		d := parse("shop.md", []byte(text))
		var out strings.Builder
		for _, s := range d.sections() {
			fmt.Fprintf(&out, "%s %d %q\n", s.name, s.depth, d.sentences(s))
		}
		return out.String()
	}
	want := prints(text)
	if len(noises) < 40 {
		t.Errorf("there are %d kinds of noise, want 40", len(noises))
	}
	for _, n := range noises {
		changed := n.write(text)
		if changed == text {
			t.Errorf("%s: nothing changes", n.name)
		}
		if got := prints(changed); got != want {
			t.Errorf("%s: got\n%swant\n%s", n.name, got, want)
		}
	}
}

// TestSignalsOfEveryKind: what does change something is no noise.
func TestSignalsOfEveryKind(t *testing.T) {
	const text = "# Shop\n\nIt MUST NOT close. It sells `a_b` and \"bread\".\n\n- One.\n    - Inner.\n- Two.\n\n| Name | Value |\n| --- | --- |\n| a | 1 |\n\n" +
		"```\nif x:\n    y\nz\n```\n"
	print := func(text string) (out []string) {
		d := parse("shop.md", []byte(text))
		for _, s := range d.sections() {
			out = append(out, s.name+fingerprint(d.sentences(s)))
		}
		return out
	}
	for _, c := range [][2]string{
		{"MUST NOT", "MUST"}, {"MUST NOT", "must not"}, {"`a_b`", "`a_c`"}, {"`a_b`", "`ab`"}, {"\"bread\"", "bread"}, {"    - Inner", "- Inner"},
		{"- Two", "1. Two"}, {"- One.\n    - Inner.\n- Two.", "- Two.\n- One.\n    - Inner."}, {"| a | 1 |", "| a | 2 |"}, {"| a | 1 |", "| a 1 | |"},
		{"| a | 1 |", "| a | 1 |\n| b | 2 |"}, {"    y\nz", "    y\n    z"}, {"if x", "if not x"}, {"# Shop", "# Shops"}, {"It sells", "<!-- It sells -->"},
		{"z\n```", "```\n\nz"}, {"It MUST", "## Rule\n\nIt MUST"},
	} {
		changed := strings.Replace(text, c[0], c[1], 1)
		if changed == text {
			t.Fatalf("the document does not say %q", c[0])
		}
		if slices.Equal(print(changed), print(text)) {
			t.Errorf("%q for %q is not seen", c[1], c[0])
		}
	}
}
