package check

import (
	"strings"
	"testing"
	"time"
)

func add(key, value int) Step             { return Step{Append: true, Key: key, Value: value} }
func read(key int, values ...int) Step    { return Step{Key: key, List: values} }
func committed(steps ...Step) Transaction { return Transaction{Steps: steps, Outcome: Committed} }

func TestSnapshotIsolation(t *testing.T) {
	for _, test := range []struct {
		name string
		all  []Transaction
		want string // part of the report; nothing for a good history
	}{
		{"nothing", nil, ""},
		{"one after the other", []Transaction{committed(add(1, 10)), committed(read(1, 10), add(1, 11)), committed(read(1, 10, 11))}, ""},
		{"own writes", []Transaction{committed(add(1, 10)), committed(add(1, 11), read(1, 10, 11)), committed(read(1, 10, 11))}, ""},
		{"an unknown one that happened", []Transaction{{Steps: []Step{add(1, 10)}}, committed(read(1, 10))}, ""},
		{"an unknown one that did not", []Transaction{{Steps: []Step{add(1, 10)}}, committed(read(1))}, ""},
		{"write skew", []Transaction{
			committed(read(1), read(2), add(1, 10)), committed(read(1), read(2), add(2, 20)), committed(read(1, 10), read(2, 20)),
		}, ""},
		{"lost", []Transaction{committed(add(1, 10)), committed(read(1))}, "is lost"},
		{"lost update", []Transaction{committed(read(1), add(1, 10)), committed(read(1), add(1, 11)), committed(read(1, 10, 11))}, "read skew"},
		{"twice", []Transaction{committed(add(1, 10)), committed(read(1, 10, 10))}, "twice"},
		{"nobody's", []Transaction{committed(read(1, 10))}, "nobody wrote"},
		{"aborted", []Transaction{{Steps: []Step{add(1, 10)}, Outcome: Aborted}, committed(read(1, 10))}, "was aborted"},
		{"half", []Transaction{committed(add(1, 10), add(1, 11)), committed(read(1, 10)), committed(read(1, 10, 11))}, "half of what"},
		{"not its own", []Transaction{committed(add(1, 10), read(1)), committed(read(1, 10))}, "wrote itself"},
		{"another order", []Transaction{committed(add(1, 10)), committed(add(1, 11)), committed(read(1, 11)), committed(read(1, 10, 11))}, "another one"},
		{"not repeatable", []Transaction{committed(add(1, 10)), committed(read(1), read(1, 10))}, "in between"},
		{"read skew", []Transaction{committed(add(1, 10), add(2, 20)), committed(read(1), read(2, 20)), committed(read(1, 10), read(2, 20))}, "read skew"},
		{"a circle of reads", []Transaction{
			committed(add(1, 10), read(2, 20)), committed(add(2, 20), read(1, 10)), committed(read(1, 10), read(2, 20)),
		}, "a cycle"},
		{"a long fork", []Transaction{
			committed(add(1, 10)), committed(add(2, 20)), committed(read(1, 10), read(2)), committed(read(1), read(2, 20)), committed(read(1, 10), read(2, 20)),
		}, "a cycle"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(SnapshotIsolation(test.all), "\n")
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRegisters(t *testing.T) {
	op := func(kind string, before, after int, call, end int64) RegisterOp {
		return RegisterOp{Kind: kind, Old: before, New: after, Call: call, Return: end, Known: true}
	}
	lost := func(o RegisterOp) RegisterOp { o.Known = false; return o }
	failed := func(o RegisterOp) RegisterOp { o.Failed = true; return o }
	for _, test := range []struct {
		name    string
		history []RegisterOp
		good    bool
	}{
		{"a write and a read", []RegisterOp{op(Write, 0, 1, 0, 1), op(Read, 1, 0, 2, 3)}, true},
		{"a stale read", []RegisterOp{op(Write, 0, 1, 0, 1), op(Read, 0, 0, 2, 3)}, false},
		{"a read meanwhile", []RegisterOp{op(Write, 0, 1, 0, 5), op(Read, 0, 0, 2, 3)}, true},
		{"back and forth", []RegisterOp{op(Write, 0, 1, 0, 9), op(Read, 1, 0, 1, 2), op(Read, 0, 0, 3, 4)}, false},
		{"an unknown write that is read", []RegisterOp{lost(op(Write, 0, 1, 0, 1)), op(Read, 0, 0, 2, 3), op(Read, 1, 0, 4, 5)}, true},
		{"an unknown write that is read too soon", []RegisterOp{op(Read, 1, 0, 0, 1), lost(op(Write, 0, 1, 2, 3))}, false},
		{"a lost update", []RegisterOp{op(Swap, 0, 1, 0, 1), op(Swap, 0, 2, 2, 3)}, false},
		{"two that compare and set", []RegisterOp{op(CAS, 0, 1, 0, 1), op(CAS, 1, 2, 2, 3), op(Read, 2, 0, 4, 5)}, true},
		{"both win", []RegisterOp{op(CAS, 0, 1, 0, 9), op(CAS, 0, 2, 0, 9)}, false},
		{"one loses", []RegisterOp{op(CAS, 0, 1, 0, 9), failed(op(CAS, 0, 2, 0, 9))}, true},
		{"it loses for nothing", []RegisterOp{failed(op(CAS, 0, 2, 0, 9))}, false},
		{"it may have won", []RegisterOp{lost(op(CAS, 0, 2, 0, 9)), op(Read, 2, 0, 10, 11)}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, _ := Registers(test.history, time.Minute); (len(got) == 0) != test.good {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestRegistersWithoutAnswers(t *testing.T) {
	unknown := func(kind string, old, v int, call int64) RegisterOp {
		return RegisterOp{Kind: kind, Old: old, New: v, Call: call}
	}
	seen := func(v int, call int64) RegisterOp {
		return RegisterOp{Kind: Read, Old: v, Known: true, Call: call, Return: call + 1}
	}
	no := RegisterOp{Kind: CAS, Old: 0, New: 9, Known: true, Failed: true, Call: 50, Return: 51}
	var many []RegisterOp
	for i := range 200 {
		many = append(many, unknown(Write, 0, 100+i, int64(i)))
	}
	for _, test := range []struct {
		name    string
		history []RegisterOp
		wrong   bool
	}{
		{"a write that nobody saw", []RegisterOp{unknown(Write, 0, 1, 0), seen(0, 10)}, false},
		{"a write that happened", []RegisterOp{unknown(Write, 0, 1, 0), seen(0, 10), seen(1, 20)}, false},
		{"a write that came and went", []RegisterOp{unknown(Write, 0, 1, 0), seen(1, 10), seen(0, 20)}, true},
		{"a CAS that failed because of one", []RegisterOp{unknown(Write, 0, 1, 0), no}, false},
		{"a CAS that failed before it", []RegisterOp{unknown(Write, 0, 1, 60), no}, true},
		{"a swap that a CAS built upon", []RegisterOp{unknown(Swap, 0, 1, 0), unknown(CAS, 1, 2, 10), seen(2, 20)}, false},
		{"many that nobody saw", append(many, seen(0, 300), seen(7, 400)), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, _ := Registers(test.history, time.Minute); (len(got) > 0) != test.wrong {
				t.Errorf("got %q", got)
			}
		})
	}
}
