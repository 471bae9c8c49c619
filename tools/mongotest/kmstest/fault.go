package kmstest

import (
	"bufio"
	"io"
)

// fault is a failure of one request to come.
type fault struct {
	status int  // of HTTP; 0 breaks the connection
	hang   bool // there is no answer
}

// Fail has the server answer the next n requests with a status of HTTP, or with a failure of KMIP.
func (s *Server) Fail(n, status int) { s.add(n, fault{status: status}) }

// Break has the server end the connection of the next n requests instead of answering.
func (s *Server) Break(n int) { s.add(n, fault{}) }

// Hang has the server leave the next n requests without an answer until the client gives up.
func (s *Server) Hang(n int) { s.add(n, fault{hang: true}) }

func (s *Server) add(n int, f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.faults = append(s.faults, f)
	}
}

// fault records a request and takes the failure that it meets, if any.
func (s *Server) fault(host, operation string) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Host: host, Operation: operation})
	if len(s.faults) == 0 {
		return nil
	}
	f := s.faults[0]
	s.faults = s.faults[1:]
	return &f
}

// wait ends when the client ends the connection, if it is to get no answer.
func (f *fault) wait(r *bufio.Reader) {
	if f.hang {
		_, _ = io.Copy(io.Discard, r)
	}
}
