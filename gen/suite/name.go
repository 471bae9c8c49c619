package suite

import (
	"strings"
	"unicode"
)

// spelled maps the symbols that matter in the name of a case to words.
var spelled = map[rune]string{
	'+': "Plus", '$': "Dollar", '%': "Percent", '=': "Equals", '<': "Less", '>': "Greater", '*': "Star", '&': "And",
	'@': "At", '#': "Hash", '\\': "Backslash",
}

// goName turns the name of a case into an exported Go identifier that reads like it: "+1.0" becomes Plus1Dot0.
func goName(text string) string {
	var b strings.Builder
	runes := []rune(text)
	start := true // of a word
	for i, r := range runes {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		previous := ' '
		if i > 0 {
			previous = runes[i-1]
		}
		switch {
		case spelled[r] != "":
			b.WriteString(spelled[r])
			start = true
		case r == '-' && (unicode.IsDigit(next) || next == '.') && !unicode.IsLetter(previous) && !unicode.IsDigit(previous):
			b.WriteString("Minus")
			start = true
		case r == '.' && unicode.IsDigit(next):
			b.WriteString("Dot")
			start = true
		case r == '\'':
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
			start = false
		default:
			start = true
		}
	}
	return b.String()
}

// identifier turns the name of a test file into an unexported Go identifier.
func identifier(text string) string {
	name := lowerFirst(goName(text))
	if unicode.IsDigit([]rune(name)[0]) {
		name = "file" + name
	}
	return name
}

// fileName turns the name of a test file into the name of a Go test file. The name has no underscore before _test,
// because the go command may take a word after one for an operating system.
func fileName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, text)
	return strings.Trim(name, "-") + "_test.go"
}

// packageName spells the last element of an import path as a package clause does.
func packageName(dir string) string {
	return strings.ReplaceAll(dir[strings.LastIndex(dir, "/")+1:], "-", "")
}
