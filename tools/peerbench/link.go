package main

import (
	"net"
	"sync"
	"time"
)

// linkRate is how many bytes a second go each way: 1 Gb/s.
const linkRate = 125e6

const (
	linkPacket = 16 << 10
	// linkWindow is how many packets are on the way in each direction of a connection at most: 4 MB, as TCP's window.
	linkWindow = 256
)

// link is a slow way to a server: what all connections send shares its rate, and takes half of the round trip to arrive.
type link struct {
	roundTrip time.Duration
	up, down  line
}

// line is one direction of a link.
type line struct {
	mu   sync.Mutex
	free time.Time // when what was sent has left
}

// carry returns when n bytes that are sent now arrive after a delay.
func (l *line) carry(now time.Time, n int, delay time.Duration) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / linkRate * 1e9))
	return l.free.Add(delay)
}

// openLink opens a link to a server of the same process and returns the address at its other end.
func openLink(upstream string, roundTrip time.Duration) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	l := &link{roundTrip: roundTrip}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.connect(near, upstream)
		}
	}()
	return listener.Addr().String(), nil
}

// connect carries a connection. TCP opens one in a round trip, which the near end has not waited for.
func (l *link) connect(near net.Conn, upstream string) {
	far, err := net.Dial("tcp", upstream)
	if err != nil {
		near.Close()
		return
	}
	wait(l.roundTrip)
	go l.pump(near, far, &l.down)
	l.pump(far, near, &l.up)
}

// packet is some bytes on their way.
type packet struct {
	data    []byte
	arrives time.Time
}

// pump carries what comes from one end to the other until one of them closes, and then closes the other.
func (l *link) pump(to, from net.Conn, along *line) {
	packets, empty := make(chan packet, linkWindow), make(chan []byte, linkWindow)
	go func() {
		defer close(packets)
		for {
			var data []byte
			select {
			case data = <-empty:
			default:
				data = make([]byte, linkPacket)
			}
			n, err := from.Read(data[:linkPacket])
			if err != nil {
				return
			}
			packets <- packet{data[:n], along.carry(time.Now(), n, l.roundTrip/2)}
		}
	}()
	for p := range packets {
		wait(time.Until(p.arrives))
		if _, err := to.Write(p.data); err != nil {
			from.Close() // ends the reader, whose packets are dropped
		}
		select {
		case empty <- p.data:
		default:
		}
	}
	to.Close()
}
