package main

import (
	"sync/atomic"
	"time"
)

// findSaturation returns the most requests per second that a driver serves, in a closed loop with the best number of goroutines.
func findSaturation(pool int, turn time.Duration, request func(i int) error) (rate float64) {
	var i atomic.Int64
	for _, goroutines := range []int{pool, 4 * pool} {
		c := crewOf(goroutines, func() error { return request(int(i.Add(1))) })
		rate = max(rate, measureRate(c, goroutines, turn))
		c.close()
	}
	return rate
}

// measureRate runs a crew for a turn, after it has opened its connections.
func measureRate(c *crew, goroutines int, turn time.Duration) float64 {
	n := 4 * goroutines
	c.run(n)
	done := 0
	began := time.Now()
	for time.Since(began) < turn/2 {
		c.run(n)
		done += n
		n = max(n, done/4)
	}
	return float64(done) / time.Since(began).Seconds()
}

// bareRequests are bare sockets that exchange the messages of an operation, as many as a pool has connections.
func bareRequests(s *server, name string, pool int) (b bareSockets, request func(i int) error, err error) {
	op := operationNamed(name)
	_, messages, err := tappedMessages(s, aboveOperation{name: name,
		official: func(p *peers) func() error { return func() error { return op.official(p) } },
		onion:    func(p *peers) func() error { return func() error { return op.onion(p) } }})
	if err != nil {
		return b, nil, err
	}
	b, err = dialBare(hostOf(s.address), pool, messages)
	return b, b.shareByChannel(), err
}
