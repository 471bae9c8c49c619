package fault

import (
	"fmt"
	"strings"
	"time"

	"github.com/specdrivers/onion/generated/description"
)

// ServerSelectionError says that no server was suitable for an operation before server selection timed out, or that
// none can ever be.
type ServerSelectionError struct {
	Operation string        // the name of the operation, empty when it is not known
	Selector  string        // what was looked for, such as "read preference secondary"
	Waited    time.Duration // how long; 0 when waiting could not have helped
	Topology  description.Topology
	Hints     []string // what the user can do
	Labels    []string
	Err       error // the error of the context, or the reason why no server can be chosen; nil after serverSelectionTimeoutMS
}

// Error describes what was looked for, every server with its last error, and what the user can do.
func (e ServerSelectionError) Error() string {
	var b strings.Builder
	b.WriteString(e.Summary())
	b.WriteString("; topology " + e.Topology.Type.String())
	if e.Topology.SetName != "" {
		b.WriteString(" " + e.Topology.SetName)
	}
	e.appendServers(&b)
	for _, hint := range e.Hints {
		b.WriteString("; " + hint)
	}
	return b.String()
}

// As fills a target of type *ServerSelectionError or **ServerSelectionError; errors.As and errors.AsType call it.
func (e ServerSelectionError) As(target any) bool { return fill(e, target) }

// Summary is Error without the topology and the hints.
func (e ServerSelectionError) Summary() string {
	var b strings.Builder
	b.WriteString("server selection: ")
	if e.Operation != "" {
		b.WriteString(e.Operation + ": ")
	}
	b.WriteString("no suitable server")
	if e.Selector != "" {
		b.WriteString(" for " + e.Selector)
	}
	if e.Waited > 0 {
		fmt.Fprintf(&b, " after %v", e.Waited.Round(time.Millisecond))
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e ServerSelectionError) appendServers(b *strings.Builder) {
	if len(e.Topology.Servers) == 0 {
		b.WriteString(" has no servers")
		return
	}
	b.WriteString(", servers: [")
	for i := range e.Topology.Servers {
		s := &e.Topology.Servers[i]
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.Address + " " + s.Type.String())
		if s.Err != nil {
			b.WriteString(" (" + s.Err.Error() + ")")
		}
	}
	b.WriteString("]")
}

// Unwrap returns the error of the context, or the reason why no server can be chosen.
func (e ServerSelectionError) Unwrap() error { return e.Err }

// HasErrorLabel reports whether the error carries the label.
func (e ServerSelectionError) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

// Timeout reports whether server selection timed out.
func (e ServerSelectionError) Timeout() bool {
	return e.Waited > 0 && (e.Err == nil || IsTimeout(e.Err))
}

func (e ServerSelectionError) withLabels(labels []string) error {
	e.Labels = union(e.Labels, labels)
	return e
}
