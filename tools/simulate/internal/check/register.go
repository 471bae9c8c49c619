package check

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// The kinds of operations on a register.
const (
	Read  = "read"
	Write = "write"
	Swap  = "swap" // writes and returns what was there
	CAS   = "cas"  // writes if the old value is there
)

// RegisterOp is one operation on a register.
type RegisterOp struct {
	Key, Worker  int
	Kind         string
	Old, New     int
	Failed       bool // of a CAS: another value was there
	Known        bool // the client got an answer
	Call, Return int64
}

// String returns the operation and its answer.
func (o RegisterOp) String() string {
	got := ""
	switch {
	case !o.Known:
		got = " = ?"
	case o.Kind == Read || o.Kind == Swap:
		got = fmt.Sprintf(" = %d", o.Old)
	case o.Failed:
		got = " = no"
	}
	switch o.Kind {
	case Read:
		return fmt.Sprintf("read %d%s", o.Key, got)
	case CAS:
		return fmt.Sprintf("cas %d %d->%d%s", o.Key, o.Old, o.New, got)
	}
	return fmt.Sprintf("%s %d %d%s", o.Kind, o.Key, o.New, got)
}

// register is a value that starts as 0.
var register = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, _ any) (bool, any) {
		o, now := input.(RegisterOp), state.(int)
		switch {
		case o.Kind == Read:
			return now == o.Old, now
		case o.Kind == CAS && !o.Known:
			if now == o.Old {
				return true, o.New
			}
			return true, now
		case o.Kind == CAS && o.Failed:
			return now != o.Old, now
		case o.Kind == CAS, o.Kind == Swap && o.Known:
			return now == o.Old, o.New
		}
		return true, o.New
	},
	Equal: func(a, b any) bool { return a == b },
}

// Registers reports the registers whose history is not linearizable. An operation without an answer may happen at any time
// after its call. It counts the registers whose history takes longer than patience. No two operations write one value.
func Registers(history []RegisterOp, patience time.Duration) (wrong []string, unjudged int) {
	keys := map[int][]porcupine.Operation{}
	matters := mayExplain(history)
	for _, o := range history {
		end := o.Return
		if !o.Known {
			if !matters(o) {
				continue
			}
			end = math.MaxInt64
		}
		keys[o.Key] = append(keys[o.Key], porcupine.Operation{ClientId: o.Worker, Input: o, Call: o.Call, Return: end})
	}
	for key, ops := range keys {
		switch porcupine.CheckOperationsTimeout(register, ops, patience) {
		case porcupine.Illegal:
			wrong = append(wrong, fmt.Sprintf("register %d is not linearizable:\n%s", key, describe(ops)))
		case porcupine.Unknown:
			unjudged++
		}
	}
	return wrong, unjudged
}

// mayExplain tells the operations without an answer that may explain what others saw. One that no other operation saw may
// as well have happened after all others, or never, and leaving it out saves the search most of its work. A CAS that
// failed may have met any value.
func mayExplain(history []RegisterOp) func(RegisterOp) bool {
	type value struct{ key, v int }
	seen, failed := map[value]bool{}, map[int]int64{}
	for _, o := range history {
		switch {
		case o.Kind == CAS && o.Failed:
			failed[o.Key] = max(failed[o.Key], o.Return)
		case o.Kind == CAS || o.Known && o.Kind != Write:
			seen[value{o.Key, o.Old}] = true
		}
	}
	return func(o RegisterOp) bool {
		return o.Kind != Read && (seen[value{o.Key, o.New}] || o.Call < failed[o.Key])
	}
}

func describe(ops []porcupine.Operation) string {
	slices.SortFunc(ops, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, o := range ops {
		op := o.Input.(RegisterOp)
		fmt.Fprintf(&b, "\t%v to %v, worker %d: %s\n", time.Duration(op.Call), time.Duration(op.Return), op.Worker, op)
	}
	return b.String()
}
