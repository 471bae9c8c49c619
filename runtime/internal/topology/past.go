package topology

import "time"

// past is what a description does not say of a server: it knows the present only.
type past struct {
	since   time.Time // when the server came to be of its type
	err     error     // the last one, also after the server has recovered
	errorAt time.Time
}

// Since is when the topology came to be of its type.
func (t *Topology) Since() time.Time { return t.current.Load().since }

// Since is when the server came to be of its type.
func (s *Server) Since() time.Time { return s.past.Load().since }

// LastError is the last error of the server, also after the server has recovered, and when it was noticed. It is nil when
// there was none.
func (s *Server) LastError() (at time.Time, err error) {
	p := s.past.Load()
	return p.errorAt, p.err
}

// remember notes what a change of the description makes of the topology and its servers. update calls it, so that one
// change is noted at a time.
func (now *snapshot) remember(before *snapshot) {
	at := time.Now()
	if now.description.Type != before.description.Type {
		now.since = at
	}
	for i := range now.description.Servers {
		d := &now.description.Servers[i]
		s := now.servers[d.Address]
		old, known := before.description.Server(d.Address)
		if s == nil || known && old.Type == d.Type && (d.Err == nil || old.Err != nil && old.LastUpdateTime.Equal(d.LastUpdateTime)) {
			continue
		}
		next := *s.past.Load()
		if known && old.Type != d.Type {
			next.since = at
		}
		if d.Err != nil {
			next.err, next.errorAt = d.Err, at
		}
		s.past.Store(&next)
	}
}
