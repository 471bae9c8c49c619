package engine

import (
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// regex reads a regular expression: the texts that begin with its fixed prefix, and the expression itself as a value.
func (r *indexedCondition) regex(v bson.RawValue) ([]span, tightness, bool) {
	if r.x.Collation != nil {
		return nil, 0, false
	}
	pattern, options, _ := v.RegexOK()
	prefix, whole := fixedPrefix(pattern, options)
	t := r.onKeys()
	if whole {
		t = exact
	}
	texts, _ := spanOfComparison(value.String(""))
	if prefix != "" {
		end := []byte(prefix)
		end[len(end)-1]++
		texts = span{low: value.String(prefix), high: value.String(string(end)), highOpen: true}
	}
	return []span{texts, point(v)}, t, true
}

// onKeys returns the tightness of a condition that can be tested on a key. The keys of an index over arrays are elements,
// and another element may meet the condition.
func (r *indexedCondition) onKeys() tightness {
	if r.x.Multikey {
		return fetched
	}
	return covered
}

// fixedPrefix returns the text with which every match of a pattern begins. whole says that each text with this beginning
// matches.
func fixedPrefix(pattern, options string) (prefix string, whole bool) {
	if strings.Trim(options, "s") != "" || strings.Contains(pattern, "|") {
		return "", false
	}
	rest, anchored := strings.CutPrefix(pattern, "^")
	if !anchored {
		if rest, anchored = strings.CutPrefix(pattern, `\A`); !anchored {
			return "", false
		}
	}
	var text []byte
	for len(rest) > 0 {
		size := 1
		switch c := rest[0]; c {
		case '*', '?', '{': // the character before it need not occur
			_, n := utf8.DecodeLastRune(text)
			return string(text[:len(text)-n]), false
		case '.', '[', '(', '+', '$', '^', ')', ']', '}':
			return string(text), rest == ".*"
		case '\\':
			if len(rest) < 2 || isWordByte(rest[1]) {
				return string(text), false
			}
			text, size = append(text, rest[1]), 2
		default:
			text = append(text, c)
		}
		rest = rest[size:]
	}
	return string(text), len(text) > 0
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}
