package engine

import (
	"errors"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// addActivity adds to a document's error what the server was doing, in the words of its version. Write conflicts and
// interruptions stay as they are.
func addActivity(r *Request, namespace string, err error) error {
	e, ok := errors.AsType[*status.Error](err)
	if !ok || e.Code == errcode.WriteConflict || interrupt.Is(e.Code) {
		return err
	}
	doing := "Executor error during find command"
	switch {
	case r.Name == "findAndModify" && r.WireVersion < wire.Server44:
		return err
	case r.Name == "findAndModify":
		doing = "Plan executor error during findAndModify"
	case r.WireVersion >= wire.Server80:
		doing += ": " + namespace
	}
	out := *e
	out.Message = doing + " :: caused by :: " + e.Message
	return &out
}

// whileRunning marks an error as one from running a pipeline, not from parsing it.
func whileRunning(err error, r *Request, name string) error {
	found, ok := errors.AsType[*status.Error](err)
	if !ok || r.WireVersion < wire.Server44 {
		return err
	}
	e := *found
	e.Message = "PlanExecutor error during aggregation :: caused by :: " + found.Message
	if r.WireVersion >= wire.Server80 {
		e.Message = "Executor error during aggregate command on namespace: " + r.DB + "." + name + " :: caused by :: " + found.Message
	}
	return &e
}
