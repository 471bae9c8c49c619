package regex

import (
	"regexp"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Regexp is a compiled pattern. It runs on Go's engine, or on a backtracking engine if it needs features that Go's
// engine lacks. Several goroutines may use it.
type Regexp struct {
	linear *regexp.Regexp
	back   *regexp2.Regexp
}

// MatchString reports whether the text has a match. The error says that the search took too long, which only a pattern
// of the backtracking engine can.
func (r *Regexp) MatchString(s string) (bool, error) {
	if r.linear != nil {
		return r.linear.MatchString(s), nil
	}
	ok, err := r.back.MatchString(s)
	return ok, errTooLong(err)
}

// Find returns the first match: where it and its groups begin and end in the text, with -1 for a group that did not
// take part. It returns nil if there is no match.
func (r *Regexp) Find(s string) ([]int, error) {
	if r.linear != nil {
		return r.linear.FindStringSubmatchIndex(s), nil
	}
	m, err := r.back.FindStringMatch(s)
	if m == nil || err != nil {
		return nil, errTooLong(err)
	}
	return ranges(m), nil
}

// FindAll returns every match, each in the form that Find returns.
func (r *Regexp) FindAll(s string) (out [][]int, err error) {
	if r.linear != nil {
		return r.linear.FindAllStringSubmatchIndex(s, -1), nil
	}
	m, err := r.back.FindStringMatch(s)
	for m != nil && err == nil {
		out = append(out, ranges(m))
		m, err = r.back.FindNextMatch(m)
	}
	return out, errTooLong(err)
}

// matchLimit is how long the backtracking engine may search one text. A server counts steps instead.
const matchLimit = 500 * time.Millisecond

// errTooLong replaces the error of a search that took too long with the server's.
func errTooLong(err error) error {
	if err == nil {
		return nil
	}
	return status.Errorf(51156, "Error occurred while executing the regular expression: the match limit is exceeded")
}

// limit makes the engine give up after matchLimit, except in a testing/synctest bubble, whose clock starts in the year
// 2000. The engine keeps time in a goroutine of its own, which would outlive the bubble. A limit would not help there
// anyway, because a bubble's clock does not move during a search.
func limit(back *regexp2.Regexp) {
	if time.Now().Year() > 2010 {
		back.MatchTimeout = matchLimit
	}
}

func ranges(m *regexp2.Match) []int {
	var out []int
	for _, g := range m.Groups() {
		if len(g.Captures) == 0 {
			out = append(out, -1, -1)
			continue
		}
		at, n := g.ByteRange()
		out = append(out, at, at+n)
	}
	return out
}

// compile tries Go's engine first, because its running time is linear in the length of the text.
func compile(pattern, options string, t translator) (*Regexp, error) {
	flags := ""
	back := regexp2.RE2
	for _, o := range options {
		switch o {
		case 'i':
			flags, back = flags+"i", back|regexp2.IgnoreCase
		case 'm':
			flags, back = flags+"m", back|regexp2.Multiline
		case 's':
			flags, back = flags+"s", back|regexp2.Singleline
		}
	}
	plain := t.translate(pattern)
	if flags != "" {
		plain = "(?" + flags + ")" + plain
	}
	linear, err := regexp.Compile(plain)
	if err == nil {
		return &Regexp{linear: linear}, nil
	}
	t.back = true
	again, backErr := regexp2.Compile(t.translate(pattern), back, regexp2.OptionMaintainCaptureOrder())
	if backErr != nil {
		return nil, status.Errorf(errcode.Location51091, "Regular expression is invalid: %s (mongotest uses Go's syntax)", err)
	}
	limit(again)
	return &Regexp{back: again}, nil
}
