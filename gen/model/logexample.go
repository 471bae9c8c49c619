package model

import (
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Examples of values, as they appear in the text of a message.
const (
	LogExampleNumber       = "7"
	LogExampleMilliseconds = "1500"
	LogExampleObjectID     = "070000000000000000000000"
)

// logExamples returns the text of a message whose keys have example values: once with all keys, and once with only the
// keys that are never absent. It works from the template itself and not from its parts: one checks the other.
func logExamples(t *load.Tables, r load.LogMessage, keys []LogKey) (full, bare string) {
	full, bare = r.Template, r.Template
	if r.List != nil {
		var texts []string
		for _, key := range r.List.Keys {
			text, _ := r.Segments.Get(key)
			texts = append(texts, text)
		}
		bare = strings.Replace(bare, r.List.Lead+strings.Join(texts, r.List.Separator), "", 1)
	}
	for _, s := range r.Segments {
		bare = strings.Replace(bare, s.Value, "", 1)
	}
	for i, k := range keys {
		value, constant := logExample(t, k)
		keys[i].Example = constant
		full = strings.ReplaceAll(full, "{{"+k.Key+"}}", value)
		bare = strings.ReplaceAll(bare, "{{"+k.Key+"}}", value)
	}
	return full, bare
}

// logExample returns the text of an example value. For a reason it also returns the constant.
func logExample(t *load.Tables, k LogKey) (text, constant string) {
	switch k.Kind {
	case "bool":
		return "true", ""
	case "document":
		for _, s := range t.LogSettings().Rows {
			if s.Name == "RedactedDocument" && s.Value != nil {
				return *s.Value, ""
			}
		}
	case "duration", "duration?":
		return LogExampleMilliseconds, ""
	case "int", "int?", "int64", "int64?":
		return LogExampleNumber, ""
	case "objectid", "objectid?":
		return LogExampleObjectID, ""
	case "ClosedReason", "CheckOutFailedReason":
		for _, r := range t.EventReasons().Rows {
			if r.Type == k.Kind && len(r.Values) > 0 {
				return r.Values[0].Text, r.Values[0].Name
			}
		}
	}
	return k.Key, ""
}
