package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// findExecuted returns the outcome of a statement that ran before.
func (r *Request) findExecuted(statement int32) (outcome, bool) {
	if r.Retry == nil || statement < 0 {
		return outcome{}, false
	}
	r.Retry.mu.Lock()
	defer r.Retry.mu.Unlock()
	o, ok := r.Retry.done[statement]
	return o, ok
}

// allExecuted returns the ids of a command's n statements if all have been executed, else nil.
func (r *Request) allExecuted(a *args, n int) []int32 {
	if r.Retry == nil {
		return nil
	}
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = statementID(a, i)
		if _, done := r.findExecuted(ids[i]); !done {
			return nil
		}
	}
	return ids
}

// remember records what a statement did. The record counts once the command's writes commit. A statement that wrote
// nothing is not recorded: its retry runs again.
func (r *Request) remember(statement int32, o outcome) {
	if r.Retry == nil || o.at == r.written || statement < 0 {
		return
	}
	r.written = o.at
	if r.done == nil {
		r.done = map[int32]outcome{}
	}
	r.done[statement] = o
}

// commitRetry marks the remembered statements as executed.
func (r *Request) commitRetry() {
	if r.Retry == nil {
		return
	}
	r.Retry.mu.Lock()
	defer r.Retry.mu.Unlock()
	for id, o := range r.done {
		r.Retry.done[id] = o
		r.Executed++
	}
	r.done = nil
}

// checkMulti refuses a statement that may write several documents: one id cannot say which of them are written.
func (r *Request) checkMulti(multi bool) error {
	text := "Cannot use (or request) retryable writes with multi=true"
	switch {
	case !multi || r.Retry == nil:
		return nil
	case r.Name == "delete":
		text = "Cannot use (or request) retryable writes with limit=0"
	case r.Name == "bulkWrite":
		text = "Cannot use retryable writes with multi=true"
	}
	return status.Errorf(errcode.InvalidOptions, "%s", text)
}

// statementID returns the id of a command's i-th statement.
func statementID(a *args, i int) int32 {
	if ids := a.get("stmtIds"); !ids.IsZero() {
		if list := value.Elements(ids); i < len(list) {
			n, _ := number.TruncateInt64(list[i])
			return int32(n)
		}
	}
	return int32(a.int("stmtId")) + int32(i)
}

// appendRetried lists the statements that an earlier try executed, as servers do since 5.0.
func (r *Request) appendRetried(dst []byte, ids []int32) []byte {
	if len(ids) == 0 || r.WireVersion < wire.Server50 {
		return dst
	}
	values := make([]bson.RawValue, len(ids))
	for i, id := range ids {
		values[i] = value.Int32(id)
	}
	return bson.AppendRawValueElement(dst, "retriedStmtIds", value.ArrayOf(values...))
}

// appendRetriedOne lists the only statement of a findAndModify.
func (r *Request) appendRetriedOne(dst []byte, id int32) []byte {
	if r.WireVersion < wire.Server50 {
		return dst
	}
	return bson.AppendInt32Element(dst, "retriedStmtId", id)
}
