package uri_test

import (
	"testing"

	"github.com/specdrivers/onion/runtime/uri"
)

// A question mark in a user name or password must not make the text before it the host to connect to.
func TestAnUnescapedQuestionMarkInUserinfoIsAnError(t *testing.T) {
	for in, ok := range map[string]bool{
		"mongodb://us?er@db.example/":          false,
		"mongodb://user:1?x=y@db.example/":     false,
		"mongodb://us%3Fer:a@db.example/":      true,
		"mongodb://db.example/?appName=me@x":   true,
		"mongodb://db.example?appName=me%40x":  true,
		"mongodb://u:p@db.example?appName=a@b": true,
	} {
		if _, err := uri.Parse(in); (err == nil) != ok {
			t.Errorf("%s: %v", in, err)
		}
	}
}
