package main

import (
	"strings"
	"testing"
)

func sentencesOf(text string) []normativeSentence {
	return parse("shop.md", []byte(text)).normativeSentences()
}

func TestIdentifiersOutliveTheFormOfASentence(t *testing.T) {
	const plain = "# Shop\n\nA driver MUST send the `apple` to the server. It may wait.\n"
	want := sentencesOf(plain)
	if len(want) != 1 || len(want[0].id) != 12 || want[0].section != "Shop" || !want[0].must {
		t.Fatalf("%+v", want)
	}
	for name, text := range map[string]string{
		"flow":              "# Shop\n\nA driver\nMUST send the `apple` to\n   the server.\nIt may wait.\n",
		"bullet":            "# Shop\n\n- A driver MUST send the `apple` to the server.\n",
		"another bullet":    "# Shop\n\n1) A driver MUST send the\n   `apple` to the server. It may wait.\n",
		"link":              "# Shop\n\nA [driver](../driver.md#driver) MUST send the [`apple`](#apple) to the server.\n",
		"markup":            "# Shop\n\nA __driver__ **MUST** send the *apple* to the server.[^1]\n",
		"quotation":         "# Shop\n\n> A driver MUST send the\n> `apple` to the server.\n",
		"cell":              "# Shop\n\n| What | Why |\n| --- | --- |\n| A driver MUST send the `apple` to the server. | It is red |\n",
		"comment":           "# Shop\n\n```java\n/**\n * A driver MUST send the\n * apple to the server. It may wait.\n */\nint apple;\n```\n",
		"slashes":           "# Shop\n\n```typescript\napple = 1;\n// A driver MUST send the\n//   apple to the server.\n```\n",
		"behind code":       "# Shop\n\n```python\napple = 1  # A driver MUST send the apple to the server.\n```\n",
		"behind a sentence": "# Shop\n\nApples are sold, e.g. red ones. A driver MUST send the `apple` to the server. Then it waits.\n",
	} {
		got := sentencesOf(text)
		if len(got) != 1 || got[0].id != want[0].id {
			t.Errorf("%s: %+v, want the identifier %s", name, got, want[0].id)
		}
	}
	for name, text := range map[string]string{
		"a word":   strings.Replace(plain, "apple", "pear", 1),
		"negation": strings.Replace(plain, "MUST", "MUST NOT", 1),
	} {
		if got := sentencesOf(text); len(got) != 1 || got[0].id == want[0].id {
			t.Errorf("%s: the identifier is the same", name)
		}
	}
}

func TestWhatIsNormative(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"may", "# S\n\nA driver may and must wait.\n", ""},
		{"should", "# S\n\nA driver SHOULD wait.\n", "should S"},
		{"both", "# S\n\nA driver SHOULD wait and MUST return.\n", "must S"},
		{"twice", "# S\n\nIt MUST.\n\n- It MUST.\n", "must S, must S/2"},
		{"in two sections", "# S\n\nIt MUST.\n\n## T\n\nIt MUST.\n", "must S, must T"},
		{"the boilerplate", "# S\n\nThe key words MUST are as in [RFC 2119](https://x).\n", ""},
		{"what is no part of it", "# S\n\nIt MUST.\n\n## Test Plan\n\nA test MUST.\n\n### More\n\nIt MUST.\n\n## T\n\nIt MUST.\n", "must S, must T"},
		{"the history", "# S\n\n## Changelog\n\n- 2024: It MUST.\n", ""},
		{"an abbreviation", "# S\n\nIt MUST, e.g. A driver, i.e. it MUST.\n", "must S"},
		{"cells", "# S\n\n| a | b |\n|---|---|\n| It MUST. | They MUST. |\n", "must S, must S"},
	} {
		var got []string
		for _, n := range sentencesOf(test.text) {
			text := map[bool]string{true: "must ", false: "should "}[n.must] + n.section
			if _, number, again := strings.Cut(n.id, "/"); again {
				text += "/" + number
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s: %v, want %s", test.name, got, test.want)
		}
	}
}

func TestPlansOfTestsAreNotBinding(t *testing.T) {
	for name, want := range map[string]bool{
		"crud/crud.md": true, "crud/tests/README.md": false, "max-staleness/max-staleness-tests.md": false,
		"serverless-testing/README.md": false, "crud/crud.rst": false,
	} {
		if isBinding(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}
