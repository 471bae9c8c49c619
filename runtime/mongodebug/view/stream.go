package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	maxViewers = 16
	// interval is how often a viewer gets changes. A change of the topology is sent sooner.
	interval = time.Second
	// minInterval is the shortest time between two messages to a viewer.
	minInterval = 100 * time.Millisecond
	// writeTimeout is how long a viewer may take to read a message.
	writeTimeout = 10 * time.Second
)

// Notify tells the viewers at once that something has changed. It never waits.
func (h *Handler) Notify() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for wake := range h.viewers {
		select {
		case wake <- struct{}{}:
		default: // it has been woken already
		}
	}
}

// Close sends the last state to the viewers and ends their streams. A later viewer gets that state, and its stream
// ends, too.
func (h *Handler) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.ended = true
		close(h.end())
	}
}

// end returns the channel that Close closes. h.mu is held.
func (h *Handler) end() chan struct{} {
	if h.closed == nil {
		h.closed = make(chan struct{})
	}
	return h.closed
}

// Viewers returns how many streams are open.
func (h *Handler) Viewers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.viewers)
}

// join adds a viewer. ok is false if there are too many.
func (h *Handler) join() (wake chan struct{}, closed <-chan struct{}, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.viewers) >= maxViewers {
		return nil, nil, false
	}
	if h.viewers == nil {
		h.viewers = map[chan struct{}]struct{}{}
	}
	wake = make(chan struct{}, 1)
	h.viewers[wake] = struct{}{}
	return wake, h.end(), true
}

func (h *Handler) leave(wake chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.viewers, wake)
}

// stream sends changes as server-sent events until the viewer leaves or the handler is closed. It runs on the goroutine
// of the request, so a slow viewer delays only itself.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request) {
	wake, closed, ok := h.join()
	if !ok {
		http.Error(w, "too many viewers are connected already", http.StatusServiceUnavailable)
		return
	}
	defer h.leave(wake)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	v := viewer{w: w, control: http.NewResponseController(w), sent: map[string][]byte{}}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := v.send(h.Source.State()); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-closed:
			v.send(h.Source.State())
			v.write("event: end\ndata: {}\n\n")
			return
		case <-ticker.C:
		case <-wake:
			if !pause(r, closed) {
				return
			}
		}
	}
}

// pause waits a moment, so that several changes become one message.
func pause(r *http.Request, closed <-chan struct{}) bool {
	timer := time.NewTimer(minInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-closed:
	case <-r.Context().Done():
		return false
	}
	return true
}

// viewer is one stream, with what was sent to it last.
type viewer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	sent    map[string][]byte // by section
}

// send writes the sections that have changed.
func (v *viewer) send(s *State) error {
	sections := map[string]any{
		"about": s.About, "topology": s.Topology, "counts": s.Counts, "activity": s.Activity, "running": s.Running,
		"slowest": s.Slowest, "problems": s.Problems, "changes": s.Changes, "clients": s.Clients,
	}
	changed := map[string]json.RawMessage{}
	for name, section := range sections {
		data, err := json.Marshal(section)
		if err != nil {
			return err
		}
		if !bytes.Equal(data, v.sent[name]) {
			changed[name], v.sent[name] = data, data
		}
	}
	data, err := json.Marshal(map[string]any{"at": time.Now().UnixMilli(), "changed": changed})
	if err != nil {
		return err
	}
	return v.write("event: state\ndata: " + string(data) + "\n\n")
}

func (v *viewer) write(text string) error {
	if err := v.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := io.WriteString(v.w, text); err != nil {
		return err
	}
	return v.control.Flush()
}
