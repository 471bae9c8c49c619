package interop

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// connStringDifference is a deliberate difference from the official driver in reading a connection string.
type connStringDifference struct {
	what   string // what nameDifference returns
	shows  string // part of our error when what is "refused", of theirs when it is "accepted", else of the string
	reason string
}

// connStringDifferences are also listed in README.md; TestConnectionStringDifferencesAreDocumented compares the two.
var connStringDifferences = []connStringDifference{
	{"refused", "has a port that is not a number from 1 to 65535", "a port must follow a colon"},
	{"refused", "is empty", "an empty host is a mistake and must not be ignored"},
	{"refused", "has no closing bracket", "brackets hold an IPv6 address, and only a port may follow them"},
	{"refused", "is in brackets and not an IPv6 address", "brackets hold an IPv6 address, and only a port may follow them"},
	{"refused", "has something other than a port after the bracket", "brackets hold an IPv6 address, and only a port may follow them"},
	{"refused", "has a character that is not allowed in a host name", "a host consists of letters, digits, hyphens, underscores and dots"},
	{"refused", "has a slash", "a path ends in .sock; any other host has no slash"},
	{"refused", "must be percent-encoded where they contain one of", "in userinfo, @:/?#[] must be percent-encoded"},
	{"refused", "the database name must not contain", "a database name must not contain / \\ space \" $ or an unescaped @"},
	{"refused", "MONGODB-X509 takes no password", "this mechanism takes no password, not even an empty one"},
	{"refused", "minPoolSize is greater than maxPoolSize", "the rule between the two options is checked when the string is parsed"},
	{"refused", "begins or ends with white space", "white space around the string is most likely a mistake where the string is stored"},
	{"refused", "is not UTF-8 once its percent signs are decoded", "no server accepts a name that is not UTF-8"},
	{"accepted", "unescaped slash in", "an at sign after the hosts does not end userinfo"},
	{"accepted", "unescaped colon in password", "an at sign after the hosts does not end userinfo"},
	{"accepted", "invalid value for", "the specification asks for a warning about an invalid value, not for an error"},
	{"accepted", "must have a / before the query ?", "the slash before the options is optional"},
	{"accepted", "invalid host", "a host with a slash that ends in .sock is a path, whatever comes before the slash"},
	{"appName", "+", "a plus sign means a space only in HTML forms"},
	{"replicaSet", "+", "a plus sign means a space only in HTML forms"},
	{"database", "+", "a plus sign means a space only in HTML forms"},
	{"hosts", "+", "a plus sign means a space only in HTML forms"},
	{"hosts", ":0", "leading zeros of a port are dropped: otherwise one server would count as two"},
	{"compressors", "compressors=", "an unknown compressor is ignored with a warning"},
}

func (d *connStringDifference) explains(what, s string, ours, theirs reading) bool {
	switch {
	case what != d.what:
		return false
	case what == "refused":
		return strings.Contains(ours.Err.Error(), d.shows)
	case what == "accepted":
		return strings.Contains(theirs.Err.Error(), d.shows)
	}
	return strings.Contains(s, d.shows)
}

// Both parsers agree on a spoiled string, or a row explains the difference. Every row must be needed.
func TestConnectionStringsAsTheOfficialDriverReadsThem(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seen := make([]int, len(connStringDifferences))
	for range 50_000 {
		s := mutate(r, randomParts(r).String())
		ours, theirs := readOurs(s), readTheirs(s)
		what := nameDifference(ours, theirs)
		if what == "" {
			continue
		}
		explained := false
		for i := range connStringDifferences {
			if connStringDifferences[i].explains(what, s, ours, theirs) {
				seen[i]++
				explained = true
				break
			}
		}
		if !explained {
			t.Errorf("%q: %s\n  ours   %v %v\n  theirs %v %v", s, what, ours.Fields, ours.Err, theirs.Fields, theirs.Err)
		}
	}
	for i, n := range seen {
		if n == 0 {
			t.Errorf("no string shows that %q is %s", connStringDifferences[i].shows, connStringDifferences[i].what)
		}
	}
}

func TestConnectionStringDifferencesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range connStringDifferences {
		if !strings.Contains(string(text), "| "+strings.ReplaceAll(d.reason, "\\", "\\\\")+" |") {
			t.Errorf("README.md lacks %q", d.reason)
		}
	}
}
