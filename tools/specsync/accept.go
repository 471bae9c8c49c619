package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// acceptances are the removals that a person agrees to; nil agrees to none.
type acceptances struct {
	named map[string]bool           // by the name of the removal: whether upstream removed it
	ask   func(removal string) bool // asked about the others; nil says no
}

// newAcceptances returns the acceptances of removals by the names that the report gives them.
func newAcceptances(list []string) *acceptances {
	out := &acceptances{named: map[string]bool{}}
	for _, name := range list {
		out.named[name] = false
	}
	return out
}

func (a *acceptances) accept(removal string) bool {
	if a == nil {
		return false
	}
	if _, named := a.named[removal]; named {
		a.named[removal] = true
		return true
	}
	return a.ask != nil && a.ask(removal)
}

// newAsker returns a function that asks a person about each removal, once.
func newAsker(in io.Reader, out io.Writer) func(string) bool {
	answers := bufio.NewScanner(in)
	known := map[string]bool{}
	return func(removal string) bool {
		if yes, asked := known[removal]; asked {
			return yes
		}
		fmt.Fprintf(out, "upstream no longer has %s; take it out? [y/N] ", removal)
		known[removal] = answers.Scan() && strings.EqualFold(strings.TrimSpace(answers.Text()), "y")
		return known[removal]
	}
}

// acknowledgement moves the pin of one section, for a reason.
type acknowledgement struct {
	document, section, reason string
	used                      bool
}

// parseAcknowledgements reads documents and sections, and wants a reason for them.
func parseAcknowledgements(list []string, reason string) ([]*acknowledgement, error) {
	if len(list) > 0 && reason == "" {
		return nil, errors.New("-acknowledge needs a reason: give it with -because")
	}
	var out []*acknowledgement
	for _, text := range list {
		document, section, found := strings.Cut(text, ", ")
		if !found {
			return nil, fmt.Errorf("-acknowledge %q is not a document, a comma and a section", text)
		}
		if quoted := len(section) > 1 && section[0] == '"' && section[len(section)-1] == '"'; quoted {
			section = section[1 : len(section)-1]
		}
		out = append(out, &acknowledgement{document: document, section: section, reason: reason})
	}
	return out, nil
}

// acknowledgementOf reports whether somebody has read a section as it stands now, and returns the reason why nothing more has to
// be done.
func (o options) acknowledgementOf(document, section string) (string, bool) {
	for _, a := range o.acknowledge {
		if a.document == document && a.section == section {
			a.used = true
			return a.reason, true
		}
	}
	return "", o.agree
}

// checkUnused complains about names on the command line that matched nothing: they may be mistyped.
func (o options) checkUnused() error {
	var out []error
	for _, a := range o.acknowledge {
		if !a.used {
			out = append(out, fmt.Errorf("-acknowledge %q: no such section of a document differs from its pin", a.document+", "+a.section))
		}
	}
	if o.accepts != nil {
		for name, used := range o.accepts.named {
			if !used {
				out = append(out, fmt.Errorf("-accept %q: upstream removed no such row", name))
			}
		}
	}
	return errors.Join(out...)
}

// printCommands prints the commands that acknowledge the sections that are still to be read, and that remove the rows that are
// gone.
func (s *session) printCommands(stdout io.Writer) {
	for _, c := range []struct {
		head, flags, flag string
		names             []string
	}{
		{"to take out, unless a row is ours: %d; all at once, or those that you name:\n", "", "-accept", s.gone},
		{"to read: %d; when you have read them and the code that cites them, acknowledge them, each or all:\n",
			" -because 'what you found'", "-acknowledge", s.unread},
	} {
		if len(c.names) == 0 {
			continue
		}
		fmt.Fprintf(stdout, c.head, len(c.names))
		fmt.Fprintf(stdout, "  go run ./tools/specsync -from %s%s", shellQuote(s.from), c.flags)
		for _, name := range c.names {
			fmt.Fprintf(stdout, " \\\n    %s %s", c.flag, shellQuote(name))
		}
		fmt.Fprintln(stdout)
	}
}

func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
