package model

import (
	"strings"
	"unicode"
)

// initialisms are the words that Go writes in capitals.
var initialisms = []string{"Id", "Uri", "Url", "Tls", "Rtt", "Ok", "Uuid", "Aws", "Oidc", "Dns", "Srv"}

// fieldName is the exported Go name of a name in the specifications' camel case: serviceId is ServiceID. A trailing
// MS is dropped from the name of a duration, whose Go type has a unit.
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

// camelWords splits before each capital that follows a small letter.
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
