package description

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// Server returns the description of the server at an address.
func (t *Topology) Server(address string) (*Server, bool) {
	// slices.BinarySearchFunc would copy each server that it looks at.
	i, found := sort.Find(len(t.Servers), func(i int) int { return strings.Compare(address, t.Servers[i].Address) })
	if !found {
		return nil, false
	}
	return &t.Servers[i], true
}

// TopologyVersion orders the states that one server process reports.
type TopologyVersion struct {
	// ProcessID identifies the process; versions of two processes are not comparable.
	ProcessID bson.ObjectID
	// Counter grows with each change of state.
	Counter int64
}

// Compare returns -1 when v is older than o, 0 when they are equal, and 1 when v is newer. Unknown versions and versions
// of different processes compare as -1, so that the later report wins.
func (v *TopologyVersion) Compare(o *TopologyVersion) int {
	if v == nil || o == nil || v.ProcessID != o.ProcessID {
		return -1
	}
	return cmp.Compare(v.Counter, o.Counter)
}

func sameValue[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameError(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
}

func sameServer(a, b Server) bool { return a.Address == b.Address && a.Equal(&b) }

// sameSet compares lists regardless of order. Servers usually keep the order, so it tries that before it sorts.
func sameSet(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	return len(a) == len(b) && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
