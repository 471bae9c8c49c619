package model

import "github.com/specdrivers/onion/gen/load"

// SensitiveCommands are the commands that are never shown: always, or only with speculative authentication.
type SensitiveCommands struct {
	Always, Speculative []string
}

// NewSensitiveCommands checks the table of sensitive commands.
func NewSensitiveCommands(t *load.Tables) *SensitiveCommands {
	out := &SensitiveCommands{}
	twice := newUnique[string](t)
	for _, r := range t.SensitiveCommands().Rows {
		twice.add(r.Command, r.Command, r.At, "command %s is listed twice", r.Command)
		checkSentence(t, r.At, r.Doc)
		if r.Speculative {
			out.Speculative = append(out.Speculative, r.Command)
		} else {
			out.Always = append(out.Always, r.Command)
		}
	}
	return out
}
