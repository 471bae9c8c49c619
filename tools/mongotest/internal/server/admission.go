package server

import (
	"context"
	"sync"
	"time"
)

// The parameters that limit how fast connections are established.
const (
	admissionEnabled = "ingressConnectionEstablishmentRateLimiterEnabled"
	admissionRate    = "ingressConnectionEstablishmentRatePerSec"
	admissionBurst   = "ingressConnectionEstablishmentBurstCapacitySecs"
	admissionQueue   = "ingressConnectionEstablishmentMaxQueueDepth"
)

// admission limits how fast a node establishes connections. Each connection takes a token. Tokens arrive at a fixed rate
// and collect up to a burst. The number of connections that may wait for one is limited.
type admission struct {
	mu       sync.Mutex
	tokens   float64
	at       time.Time // when tokens was counted
	waiting  int
	rejected int64
}

// enter waits for a token. It returns false if the node must close the connection: the queue is full, or ctx has ended.
func (a *admission) enter(ctx context.Context, p *parameters) bool {
	if !p.isEnabled(admissionEnabled) {
		return true
	}
	delay, ok := a.take(p.number(admissionRate), p.number(admissionBurst), int(p.number(admissionQueue)))
	if !ok || delay == 0 {
		return ok
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	defer a.leave()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// take takes a token and returns how long to wait for it. If no token is left, it takes one that has yet to arrive.
func (a *admission) take(rate, burst float64, depth int) (delay time.Duration, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, most := time.Now(), max(1, rate*burst)
	if a.at.IsZero() {
		a.tokens = most
	} else {
		a.tokens = min(most, a.tokens+now.Sub(a.at).Seconds()*rate)
	}
	a.at = now
	if a.tokens >= 1 {
		a.tokens--
		return 0, true
	}
	if a.waiting >= depth {
		a.rejected++
		return 0, false
	}
	a.waiting++
	a.tokens--
	return max(1, time.Duration(-a.tokens/max(rate, 1e-3)*float64(time.Second))), true
}

func (a *admission) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting--
}

// refusedCount counts the connections that were closed instead of admitted.
func (a *admission) refusedCount() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rejected
}
