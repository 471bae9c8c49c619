package view

import (
	"encoding/json"
	"net/http"
)

// maxRequest is how long a request for an action may be.
const maxRequest = 16 << 10

// act performs the action of a button.
func (h *Handler) act(w http.ResponseWriter, r *http.Request) {
	actor, ok := h.Source.(Actor)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if why := checkSameSite(r); why != "" {
		writeProblem(w, http.StatusForbidden, why)
		return
	}
	var request Request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&request); err != nil {
		writeProblem(w, http.StatusBadRequest, "the request cannot be read: "+err.Error())
		return
	}
	if err := actor.Act(request); err != nil {
		writeProblem(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	h.Notify()
	writeJSON(w, http.StatusOK, map[string]bool{"ok": true})
}
