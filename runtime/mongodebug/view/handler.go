package view

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Source is what a page shows. Its methods are called from several goroutines.
type Source interface {
	State() *State
	// Decide explains the choice of a server. It returns nil when there is nothing to explain.
	Decide(Question) (*Decision, error)
	// WriteMetrics writes OpenMetrics text, without the line that ends it.
	WriteMetrics(io.Writer) error
}

// Actor can do something to what is shown. The page of a source that is an Actor has buttons.
type Actor interface {
	Actions() []Action
	Act(Request) error
}

// Action is a button, and the fields that it sends.
type Action struct {
	Name   string  `json:"name"`
	Label  string  `json:"label"`
	Hint   string  `json:"hint"`
	Server bool    `json:"server"`         // there is one for each server
	When   string  `json:"when,omitempty"` // the servers that have it: "" the running ones, "stopped", "partitioned"
	Danger bool    `json:"danger,omitempty"`
	Fields []Field `json:"fields,omitempty"`
}

// Field is an input next to a button.
type Field struct {
	Name    string   `json:"name"`
	Label   string   `json:"label"`
	Value   string   `json:"value"`             // the default
	Choices []string `json:"choices,omitempty"` // of a select; none for a text
}

// Request asks for an action.
type Request struct {
	Action string            `json:"action"`
	Server string            `json:"server"`
	Fields map[string]string `json:"fields"`
}

// Handler serves the page of a source, at any path that ends with a slash. It is safe for concurrent use.
type Handler struct {
	Source Source
	// Remote answers everybody who reaches the server. Otherwise only this machine is answered.
	Remote bool
	// Script and Style are added to the page's own.
	Script, Style string

	mu      sync.Mutex
	viewers map[chan struct{}]struct{}
	closed  chan struct{}
	ended   bool
}

// ServeHTTP serves the page and what it loads from the same path.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	if why := h.whyRefused(r); why != "" {
		refuse(w, r, why)
		return
	}
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if name == "do" {
		h.act(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this page is read-only: use GET", http.StatusMethodNotAllowed)
		return
	}
	switch name {
	case "":
		if wantsJSON(r) {
			h.serveState(w)
			return
		}
		h.servePage(w)
	case "json":
		h.serveState(w)
	case "events":
		h.stream(w, r)
	case "metrics":
		h.serveMetrics(w)
	case "why":
		h.decide(w, r)
	default:
		http.Error(w, "there is nothing here: the page is at a path that ends with a slash, and beside it are json, events, "+
			"metrics and why", http.StatusNotFound)
	}
}

// setHeaders keeps the page from being framed, stored, or made to load anything.
func setHeaders(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

func (h *Handler) serveState(w http.ResponseWriter) { writeJSON(w, http.StatusOK, h.Source.State()) }

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(data, '\n'))
}

// serveMetrics writes OpenMetrics. A last line tells the reader that nothing is missing.
func (h *Handler) serveMetrics(w http.ResponseWriter) {
	var b strings.Builder
	if err := h.Source.WriteMetrics(&b); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
	io.WriteString(w, b.String()+"# EOF\n")
}

// decide answers the question why a server was chosen, or would be.
func (h *Handler) decide(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	q := Question{Write: query.Get("write") != "", Mode: query.Get("mode"), Tags: query.Get("tagSets"), Staleness: query.Get("staleness")}
	if id := query.Get("id"); id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			writeProblem(w, http.StatusBadRequest, "id is the number of an operation")
			return
		}
		q.ID = n
	}
	switch d, err := h.Source.Decide(q); {
	case err != nil:
		writeProblem(w, http.StatusBadRequest, err.Error())
	case d == nil:
		writeProblem(w, http.StatusNotFound, "that operation is not remembered")
	default:
		writeJSON(w, http.StatusOK, d)
	}
}

func writeProblem(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, map[string]string{"error": text})
}
