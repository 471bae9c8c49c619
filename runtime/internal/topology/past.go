package topology

import (
	"time"

	"github.com/specdrivers/onion/generated/description"
)

// history is what the driver remembers about a server beyond its description.
type history struct {
	since   time.Time // when the server got its current type
	err     error     // the last error; kept after the server has recovered
	errorAt time.Time
	known   description.ServerType // the last type with which the server was available
}

// TypeSince is when the topology got its current type.
func (t *Topology) TypeSince() time.Time { return t.current.Load().since }

// Changes counts how often the type of the topology or of a server has changed, or a server has come or gone.
func (t *Topology) Changes() uint64 { return t.current.Load().changes }

// TypeSince is when the server got its current type.
func (s *Server) TypeSince() time.Time { return s.history.Load().since }

// LastError is the server's last error and when the driver noticed it. It is kept after the server has recovered, and
// is nil if there never was one.
func (s *Server) LastError() (at time.Time, err error) {
	p := s.history.Load()
	return p.errorAt, p.err
}

// remember records when the types of the topology and its servers changed, and their errors. Only update calls it,
// under its lock.
func (now *snapshot) remember(before *snapshot) {
	at := time.Now()
	changed := len(now.description.Servers) != len(before.description.Servers)
	if now.description.Type != before.description.Type {
		now.since, changed = at, true
	}
	for i := range now.description.Servers {
		d := &now.description.Servers[i]
		s := now.servers[d.Address]
		old, known := before.description.Server(d.Address)
		changed = changed || !known || old.Type != d.Type
		if s == nil || known && old.Type == d.Type && (d.Err == nil || old.Err != nil && old.LastUpdateTime.Equal(d.LastUpdateTime)) {
			continue
		}
		next := *s.history.Load()
		if known && old.Type != d.Type {
			next.since = at
		}
		if d.Err != nil {
			next.err, next.errorAt = d.Err, at
		}
		if d.Type.IsAvailable() {
			next.known = d.Type
		}
		s.history.Store(&next)
	}
	if now.changes = before.changes; changed {
		now.changes++
	}
}
