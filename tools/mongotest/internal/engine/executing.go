package engine

import (
	"errors"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// executing adds to an error on a document what the server was doing, in the words of its version. What the command is
// tried again for, or stopped by, stays as it is.
func executing(r *Request, namespace string, err error) error {
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
