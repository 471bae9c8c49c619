package pool

import "github.com/specdrivers/onion/bson"

// Generation is the generation of the pool, or of the service if id is not nil.
func (p *Pool[C]) Generation(id *bson.ObjectID) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id == nil {
		return p.generation
	}
	if s := p.services[*id]; s != nil {
		return s.generation
	}
	return 0
}

// isStale reports whether the pool, or the connection's service, was cleared after the connection was established. The
// mutex is held.
func (p *Pool[C]) isStale(c *Connection[C]) bool {
	if c.service != nil {
		return c.generation != c.service.generation
	}
	return c.generation != p.generation
}

// joinService adds a connection that has done its handshake to the count of its service. The connection gets the
// service's generation. The mutex is held.
func (p *Pool[C]) joinService(c *Connection[C]) {
	sc, ok := any(c.Conn).(ServiceConn)
	if !ok || sc.ServiceID() == nil {
		return
	}
	id := *sc.ServiceID()
	s := p.services[id]
	if s == nil {
		s = &service{id: id}
		if p.services == nil {
			p.services = make(map[bson.ObjectID]*service)
		}
		p.services[id] = s
	}
	s.connections++
	c.service, c.generation = s, s.generation
}

// leaveService removes a service when its last connection is closed. The mutex is held.
func (p *Pool[C]) leaveService(c *Connection[C]) {
	if c.service == nil {
		return
	}
	c.service.connections--
	if c.service.connections == 0 {
		delete(p.services, c.service.id)
	}
}
