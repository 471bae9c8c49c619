package view

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// streamedResponse is a response whose reader gets it piece by piece.
type streamedResponse struct {
	header   http.Header
	pieces   chan string
	deadline atomic.Pointer[time.Time]
}

func newStreamedResponse() *streamedResponse {
	return &streamedResponse{header: http.Header{}, pieces: make(chan string)}
}

func (s *streamedResponse) Header() http.Header { return s.header }
func (s *streamedResponse) WriteHeader(int)     {}
func (s *streamedResponse) Flush()              {}

func (s *streamedResponse) SetWriteDeadline(t time.Time) error {
	s.deadline.Store(&t)
	return nil
}

// Write waits for the reader, like a connection with full buffers.
func (s *streamedResponse) Write(data []byte) (int, error) {
	timer := time.NewTimer(time.Until(*s.deadline.Load()))
	defer timer.Stop()
	select {
	case s.pieces <- string(data):
		return len(data), nil
	case <-timer.C:
		return 0, os.ErrDeadlineExceeded
	}
}

// sectionsOf returns the sections that a message changes, by name.
func sectionsOf(t *testing.T, message string) map[string]json.RawMessage {
	t.Helper()
	data, ok := strings.CutPrefix(message, "event: state\ndata: ")
	var m struct {
		At      int64
		Changed map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(strings.TrimSuffix(data, "\n\n")), &m); err != nil || !ok || m.At == 0 {
		t.Fatalf("%q: %v", message, err)
	}
	return m.Changed
}

// openStream opens a stream. It closes the channel when the handler has returned.
func openStream(ctx context.Context, h *Handler, w http.ResponseWriter) (gone chan struct{}) {
	gone = make(chan struct{})
	go func() {
		defer close(gone)
		h.ServeHTTP(w, newRequest("GET", "/events", "").WithContext(ctx))
	}()
	return gone
}

func TestStreamsTellWhatHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &fixedSource{}
		h := &Handler{Source: source}
		ctx, cancel := context.WithCancel(t.Context())
		w := newStreamedResponse()
		gone := openStream(ctx, h, w)
		began := time.Now()
		if first := sectionsOf(t, <-w.pieces); len(first) != 9 || w.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("first %v, %v", first, w.header)
		}
		if second := sectionsOf(t, <-w.pieces); len(second) != 0 || time.Since(began) != interval {
			t.Errorf("after %v: %v", time.Since(began), second)
		}
		source.set(func(s *State) { s.Topology.Type = "Sharded" })
		at := time.Now()
		for range 100 {
			h.Notify() // many changes become one message
		}
		third := sectionsOf(t, <-w.pieces)
		if len(third) != 1 || !strings.Contains(string(third["topology"]), "Sharded") || time.Since(at) != minInterval {
			t.Errorf("after %v: %v", time.Since(at), third)
		}
		if h.Viewers() != 1 {
			t.Errorf("%d viewers", h.Viewers())
		}
		cancel()
		<-gone
		if h.Viewers() != 0 {
			t.Errorf("%d viewers are left", h.Viewers())
		}
	})
}

// The handler drops a viewer that does not read, and no other viewer waits for it.
func TestSlowViewersDelayNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Handler{Source: &fixedSource{}}
		began := time.Now()
		slow := openStream(t.Context(), h, newStreamedResponse())
		w := newStreamedResponse()
		ctx, cancel := context.WithCancel(t.Context())
		quick := openStream(ctx, h, w)
		<-w.pieces
		synctest.Wait()
		for range 1000 {
			h.Notify()
		}
		if time.Since(began) != 0 {
			t.Errorf("Notify waited %v", time.Since(began))
		}
		for range 3 {
			<-w.pieces
		}
		cancel()
		<-quick
		<-slow
		if waited := time.Since(began); waited != writeTimeout || h.Viewers() != 0 {
			t.Errorf("after %v there are %d viewers", waited, h.Viewers())
		}
	})
}

func TestCloseShowsTheLastState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &fixedSource{}
		h := &Handler{Source: source}
		w := newStreamedResponse()
		gone := openStream(t.Context(), h, w)
		<-w.pieces
		source.set(func(s *State) { s.About.Closed = true })
		h.Close()
		h.Close()
		if last := sectionsOf(t, <-w.pieces); !strings.Contains(string(last["about"]), `"closed":true`) {
			t.Errorf("last %v", last)
		}
		if end := <-w.pieces; end != "event: end\ndata: {}\n\n" {
			t.Errorf("end %q", end)
		}
		<-gone
		later := newStreamedResponse()
		gone = openStream(t.Context(), h, later)
		for range 3 {
			<-later.pieces // the state, the state again and the end
		}
		<-gone
	})
}

func TestViewersAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Handler{Source: &fixedSource{}}
		ctx, cancel := context.WithCancel(t.Context())
		var all []chan struct{}
		for range maxViewers {
			w := newStreamedResponse()
			all = append(all, openStream(ctx, h, w))
			<-w.pieces
		}
		if w := serve(h, newRequest("GET", "/events", "")); w.Code != http.StatusServiceUnavailable {
			t.Errorf("one more gets %d", w.Code)
		}
		cancel()
		for _, gone := range all {
			<-gone
		}
	})
}
