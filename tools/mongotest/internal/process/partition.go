package process

import "time"

// Cut makes the process neither read nor answer for some time.
func (p *Process) Cut(length time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutUntil = time.Now().Add(length)
	if p.healed == nil {
		p.healed = make(chan struct{})
	} else {
		p.healing.Stop()
	}
	p.healing = time.AfterFunc(length, p.healInTime)
}

// healInTime ends a partition whose time is over. A longer one may have begun since the timer was set.
func (p *Process) healInTime() {
	p.mu.Lock()
	over := !time.Now().Before(p.cutUntil)
	p.mu.Unlock()
	if over {
		p.Heal()
	}
}

// Heal ends a partition, if there is one.
func (p *Process) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.healed != nil {
		p.healing.Stop()
		close(p.healed)
		p.healed = nil
	}
}

// Partition returns a channel that is closed when the process can be reached again, or nil when it can be reached now.
func (p *Process) Partition() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.healed
}
