package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/runtime/mongodebug/record"
	"github.com/specdrivers/onion/tools/mongotest"
)

// maxLogged is the greatest length of a command in a line.
const maxLogged = 400

// commandLog prints commands as they arrive, and their errors. It leaves out the hellos of monitors.
type commandLog struct {
	mu     sync.Mutex
	out    io.Writer
	colour bool
}

func newCommandLog(out io.Writer) *commandLog {
	return &commandLog{out: out, colour: isTerminal(out) && os.Getenv("NO_COLOR") == ""}
}

// isTerminal reports whether the output is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (l *commandLog) observer() mongotest.Observer {
	return mongotest.Observer{Received: l.received, Answered: l.answered}
}

// The colours of a terminal.
const (
	bold, dim, red, yellow = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m"
	plain                  = "\x1b[0m"
)

func (l *commandLog) paint(style, text string) string {
	if !l.colour || text == "" {
		return text
	}
	return style + text + plain
}

func (l *commandLog) received(c mongotest.Command) {
	if isMonitoring(c.Name) {
		return
	}
	l.line(c, l.paint(bold, fmt.Sprintf("%-14s", oneLine(c.Name))), oneLine(namespaceOf(c)), l.paint(dim, oneLine(describe(c))))
}

func (l *commandLog) answered(c mongotest.Command, o mongotest.Outcome) {
	code, why := failure(o)
	switch {
	case code != "" && !(o.Dropped && isMonitoring(c.Name)): // a monitor disconnects when its client closes
		l.line(c, l.paint(red, fmt.Sprintf("%-14s", "✗ "+oneLine(c.Name))), l.paint(red, code), oneLine(why))
	case o.Took > time.Second && !isMonitoring(c.Name):
		l.line(c, l.paint(yellow, fmt.Sprintf("%-14s", "… "+c.Name)), "took", o.Took.Round(time.Millisecond).String())
	}
}

// describe returns the command with its documents, shortened to maxLogged.
func describe(c mongotest.Command) string {
	body := record.Shape(c.Body, true)
	for name, docs := range c.Sequences {
		body += fmt.Sprintf(" %s×%d", name, len(docs))
		if len(docs) > 0 {
			body += " " + record.Shape(docs[0], true)
		}
	}
	if len(body) > maxLogged {
		body = strings.ToValidUTF8(body[:maxLogged], "") + "…"
	}
	return body
}

// line prints one line. It removes control characters, because a client may send anything.
func (l *commandLog) line(c mongotest.Command, what, where, more string) {
	who := c.AppName
	if who == "" {
		who = "-"
	}
	prefix := fmt.Sprintf("%s node%d %s#%d", time.Now().Format("15:04:05.000"), c.Node, oneLine(who), c.ConnectionID)
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, l.paint(dim, prefix), what, where, more)
}

// oneLine replaces the characters that would move the cursor of a terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}
