package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
)

const (
	// mostSockets is how many connections the pools of both drivers have by default.
	mostSockets = 100
	// bareBuffer holds every reply, so most take one call of Read.
	bareBuffer = 32 << 10
)

// bareSockets exchange the messages of an operation, without a driver. Each socket has a goroutine, so none waits for a
// socket.
type bareSockets struct {
	*crew
	sockets []net.Conn
	each    []func() error // sends the messages over one of them
}

func dialBare(address string, n int, messages [][]byte) (b bareSockets, err error) {
	if len(messages) == 0 {
		return b, fmt.Errorf("the operation wrote no message")
	}
	for range n {
		nc, err := net.Dial("tcp", address)
		if err != nil {
			return b, err
		}
		b.sockets = append(b.sockets, nc)
		reply := make([]byte, bareBuffer)
		b.each = append(b.each, func() error {
			for _, m := range messages {
				if err := pingPongOnce(nc, m, reply); err != nil {
					return err
				}
			}
			return nil
		})
	}
	b.crew = newCrew(b.each)
	return b, nil
}

// shareByChannel returns a function that any number of goroutines may call at once: each call takes a socket, or waits for one.
func (b bareSockets) shareByChannel() func(i int) error {
	free := make(chan int, len(b.each))
	for i := range b.each {
		free <- i
	}
	return func(int) error {
		i := <-free
		defer func() { free <- i }()
		return b.each[i]()
	}
}

func (b bareSockets) close() {
	b.crew.close()
	for _, nc := range b.sockets {
		nc.Close()
	}
}

// pingPongOnce writes a message and reads the reply in as few calls as possible.
func pingPongOnce(nc net.Conn, message, reply []byte) error {
	if _, err := nc.Write(message); err != nil {
		return err
	}
	n, err := io.ReadAtLeast(nc, reply, headerSize)
	if err != nil {
		return err
	}
	size := int(binary.LittleEndian.Uint32(reply))
	if size > len(reply) {
		return fmt.Errorf("a reply of %d bytes is longer than the buffer", size)
	}
	_, err = io.ReadFull(nc, reply[min(n, size):size])
	return err
}
