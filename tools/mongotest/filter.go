package mongotest

import (
	"context"
	"slices"

	"github.com/specdrivers/onion/generated/core/logmsg"
)

// Filter selects commands.
type Filter func(Command) bool

// Named selects the commands with the given names.
func Named(names ...string) Filter {
	return func(c Command) bool { return slices.Contains(names, c.Name) }
}

// On selects the commands on a database.
func On(db string) Filter { return func(c Command) bool { return c.DB == db } }

// Application selects what the application asked for. It leaves out hellos, authentication, pings, and commands that
// end sessions and cursors.
func Application() Filter {
	return func(c Command) bool {
		switch c.Name {
		case "hello", "isMaster", "ismaster", "ping", "endSessions", "killCursors", "buildInfo", "saslStart",
			"saslContinue", "authenticate":
			return false
		}
		return !logmsg.Sensitive(c.Name, true)
	}
}

// isSelectedByAll reports whether every filter selects a command.
func isSelectedByAll(filters []Filter, c Command) bool {
	for _, f := range filters {
		if !f(c) {
			return false
		}
	}
	return true
}

// WaitFor returns the first remembered command that all filters select. It waits for one until the context ends.
func (d *Deployment) WaitFor(ctx context.Context, filters ...Filter) (Command, error) {
	for {
		changed := d.recorder.next()
		if found := d.Commands(filters...); len(found) > 0 {
			return found[0], nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Command{}, ctx.Err()
		}
	}
}
