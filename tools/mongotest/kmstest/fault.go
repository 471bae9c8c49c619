package kmstest

import (
	"bufio"
	"io"
)

// fault is a failure that a later request gets.
type fault struct {
	status int  // of HTTP; 0 breaks the connection
	hang   bool // the server sends no answer
}

// Fail makes the server answer the next n requests with an HTTP status, or with a KMIP failure.
func (s *Server) Fail(n, status int) { s.addFault(n, fault{status: status}) }

// Break makes the server close the connection of the next n requests instead of answering.
func (s *Server) Break(n int) { s.addFault(n, fault{}) }

// Hang makes the server leave the next n requests unanswered until the client gives up.
func (s *Server) Hang(n int) { s.addFault(n, fault{hang: true}) }

func (s *Server) addFault(n int, f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.faults = append(s.faults, f)
	}
}

// takeFault records a request and returns its failure, if any.
func (s *Server) takeFault(host, operation string) *fault {
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

// wait returns when the client closes the connection, if the fault is to hang.
func (f *fault) wait(r *bufio.Reader) {
	if f.hang {
		_, _ = io.Copy(io.Discard, r)
	}
}
