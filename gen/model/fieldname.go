package model

import (
	"strings"
	"unicode"
)

// initialisms are the words that Go writes in capitals.
var initialisms = []string{"Id", "Uri", "Url", "Tls", "Rtt", "Ok", "Uuid", "Aws", "Oidc", "Dns", "Srv"}

// fieldName turns a camel-case name of the specifications into an exported Go name: serviceId becomes ServiceID. It
// drops a trailing MS from the name of a duration, because the Go type has a unit.
func fieldName(name, kind string) string {
	if strings.HasPrefix(kind, "duration") {
		name = strings.TrimSuffix(name, "MS")
	}
	var out strings.Builder
	for _, word := range camelWords(name) {
		word = strings.ToUpper(word[:1]) + word[1:]
		for _, i := range initialisms {
			if word == i {
				word = strings.ToUpper(word)
			}
		}
		out.WriteString(word)
	}
	return out.String()
}

// camelWords splits before each capital that follows a lower-case letter.
func camelWords(name string) []string {
	var words []string
	start := 0
	for i, r := range name {
		if i > start && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			words = append(words, name[start:i])
			start = i
		}
	}
	if start < len(name) {
		words = append(words, name[start:])
	}
	return words
}
