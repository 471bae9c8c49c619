package mongodebug

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// maxChanges is how many changes are remembered.
const maxChanges = 200

func (r *recorder) noteChange(c view.Change) {
	c.At = time.Now().UnixMilli()
	r.history.Add(c, maxChanges)
	r.notify()
}

func (r *recorder) serverOpening(e *event.ServerOpening) {
	r.noteChange(view.Change{Subject: e.Address, To: description.ServerUnknown.String(), Note: "joins"})
}

func (r *recorder) serverClosed(e *event.ServerClosed) {
	r.noteChange(view.Change{Subject: e.Address, To: "gone", Note: "leaves"})
}

func (r *recorder) serverChanged(e *event.ServerDescriptionChanged) {
	from, to := e.PreviousDescription, e.NewDescription
	text := ""
	if to.Err != nil {
		text = to.Err.Error()
	}
	if from.Type == to.Type && (to.Err == nil || from.Err != nil && from.Err.Error() == text) {
		return
	}
	r.noteChange(view.Change{Subject: e.Address, From: from.Type.String(), To: to.Type.String(), Note: text})
}

func (r *recorder) topologyChanged(e *event.TopologyDescriptionChanged) {
	from, to := e.PreviousDescription, e.NewDescription
	if from.Type == to.Type && from.CompatibilityError == to.CompatibilityError {
		return
	}
	note := to.CompatibilityError
	if to.SetName != "" && note == "" {
		note = fmt.Sprintf("replica set %s", to.SetName)
	}
	r.noteChange(view.Change{Subject: "topology", From: from.Type.String(), To: to.Type.String(), Note: note})
}

func (r *recorder) topologyClosed(*event.TopologyClosed) {
	r.isClosed.Store(true)
	r.noteChange(view.Change{Subject: "topology", To: "closed", Note: "the client is closed"})
	r.closed()
}
