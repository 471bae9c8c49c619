package encrypt

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
)

// spellOut adds the defaults that a command leaves out. The analysis of upstream's libraries adds them to its result, and suites compare
// it with what is sent.
func spellOut(name string, cmd bson.Raw) bson.Raw {
	if defaults := analysis.DefaultsOf(name); len(defaults) > 0 {
		return appendDefaults(nil, cmd, defaults)
	}
	for argument := range cmd.All() {
		if defaults := analysis.DefaultsOf(argument); len(defaults) > 0 && argument != name {
			cmd, _ = RewriteList(cmd, argument, func(dst []byte, item bson.Raw) ([]byte, error) { // it never fails
				return appendDefaults(dst, item, defaults), nil
			})
		}
	}
	return cmd
}

// appendDefaults appends a command or statement with the defaults that it leaves out.
func appendDefaults(dst []byte, doc bson.Raw, defaults []analysis.Default) []byte {
	dst, start := reopen(dst, doc)
	for _, d := range defaults {
		switch {
		case !doc.Lookup(d.Name).IsZero():
		case d.Text != "":
			dst = bson.AppendStringElement(dst, d.Name, d.Text)
		default:
			dst = bson.AppendBooleanElement(dst, d.Name, false)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}
