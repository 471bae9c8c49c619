package regex_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/tools/mongotest/internal/regex"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		name, pattern, options string
		yes, no                []string
	}{
		{"plain", `^ab`, "", []string{"abc"}, []string{"cab"}},
		{"case", `^ab$`, "i", []string{"AB", "aB\n"}, []string{"ABC"}},
		{"lines", `^b$`, "m", []string{"a\nb\nc"}, []string{"abc"}},
		{"every character", `a.b`, "s", []string{"a\nb"}, []string{"ab"}},
		{"white space", "a b # c\n c", "x", []string{"abc"}, []string{"a b"}},
		{"a back-reference", `^(a|b)\1$`, "", []string{"aa", "bb", "bb\n"}, []string{"ab"}},
		{"a back-reference by name", `(?P<x>\d)-(?P=x)`, "", []string{"1-1"}, []string{"1-2"}},
		{"a back-reference in braces", `(\d)-\g{1}`, "", []string{"1-1"}, []string{"1-2"}},
		{"a back-reference without case", `^(a)\1$`, "i", []string{"aA"}, []string{"ab"}},
		{"a look-ahead", `a(?=b)`, "", []string{"ab"}, []string{"ac"}},
		{"a look-ahead in the middle", `^\w+(?!x)\d$`, "", []string{"a1"}, []string{"a-1"}},
		{"what must not follow", `^(?!.*foo).*$`, "", []string{"bar"}, []string{"a foo"}},
		{"a text without a word", `^((?!foo).)*$`, "", []string{"bar", ""}, []string{"a foo"}},
		{"a look-behind", `(?<=\$)\d+`, "", []string{"$5"}, []string{"5"}},
		{"what must not go before", `(?<!\$)\b\d+$`, "", []string{"5"}, []string{"$5"}},
		{"an atomic group", `^(?>a+)b`, "", []string{"aab"}, []string{"ac"}},
		{"white space and a look-ahead", "a (?= b ) # c", "x", []string{"ab"}, []string{"a b"}},
		{"a digit is an ASCII one", `^(?=\d)`, "", []string{"1"}, []string{"१"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			re, err := regex.CompileTest(c.pattern, c.options)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range c.yes {
				if ok, err := re.MatchString(s); !ok || err != nil {
					t.Errorf("%q is no match", s)
				}
			}
			for _, s := range c.no {
				if ok, err := re.MatchString(s); ok || err != nil {
					t.Errorf("%q is a match", s)
				}
			}
		})
	}
}

func TestFinds(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          [][]int
	}{
		{`(a)(x)?`, "éa-a", [][]int{{2, 3, 2, 3, -1, -1}, {4, 5, 4, 5, -1, -1}}},
		{`(\w)\1(x)?`, "éaa-bb", [][]int{{2, 4, 2, 3, -1, -1}, {5, 7, 5, 6, -1, -1}}},
		{`(?<=-)\w`, "a-b-c", [][]int{{2, 3}, {4, 5}}},
		{`(?=q)`, "abc", nil},
	} {
		re, err := regex.Compile(c.pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := re.FindAll(c.text); err != nil || !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s in %q: got %v, want %v", c.pattern, c.text, got, c.want)
		}
		if got, err := re.Find(c.text); err != nil || len(c.want) > 0 && !slices.Equal(got, c.want[0]) {
			t.Errorf("%s in %q: got %v, want %v", c.pattern, c.text, got, c.want[0])
		}
	}
}

// A search that would take far too long ends with the error that a server returns.
func TestCatastrophesEnd(t *testing.T) {
	re, err := regex.CompileTest(`^(?=(a+)+$)`, "")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a", 60) + "b"
	_, matchErr := re.MatchString(text)
	_, findErr := re.Find(text)
	_, allErr := re.FindAll(text)
	for name, err := range map[string]error{"match": matchErr, "find": findErr, "find all": allErr} {
		if !status.Is(err, 51156) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// In a bubble there is no limit, and nothing outlives the search.
func TestSearchesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		re, err := regex.CompileTest(`^(a)\1$`, "")
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := re.MatchString("aa"); !ok || err != nil {
			t.Error(ok, err)
		}
	})
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		pattern, options string
		code             int32
	}{
		{`(`, "", 51091}, {`(a)\2(?=b)`, "", 51091}, {`(?R)`, "", 51091}, {`a++`, "", 51091}, {`a`, "g", 51108},
	} {
		if _, err := regex.CompileTest(c.pattern, c.options); err == nil || int32(status.From(err).Code) != c.code {
			t.Errorf("%s %s: got %v, want %d", c.pattern, c.options, err, c.code)
		}
	}
}
