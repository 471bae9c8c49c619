package main

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

func TestCallsAreCounted(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go acceptCanned(listener, cannedReplies(), 0)
	var dialer countingDialer
	var conns [2]net.Conn // the second is a monitor's: little happens on it
	for i := range conns {
		if conns[i], err = dialer.DialContext(t.Context(), "tcp", listener.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close()
	}
	request, reply := pingMessage(), make([]byte, 4<<10)
	monitored := false
	got := dialer.countPerTask(10, func(n int) {
		for range n {
			err = errors.Join(err, exchange(conns[0], request, reply))
		}
		if !monitored {
			monitored = true
			err = errors.Join(err, exchange(conns[1], request, reply))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (callsPerTask{1, 2}); got != want {
		t.Errorf("%+v calls, want %+v", got, want)
	}
}

func TestBudgets(t *testing.T) {
	calls := func(writes, reads float64) func(int) callsPerTask {
		return func(int) callsPerTask { return callsPerTask{writes, reads} }
	}
	var kept *int
	allocates := func(n int) {
		for range n {
			kept = new(int)
		}
	}
	nothing := func(int) {}
	counted := 0
	seldom := func(int) callsPerTask {
		counted++
		if counted == 1 {
			return callsPerTask{1, 1.01}
		}
		return callsPerTask{1, 1}
	}
	tests := map[string]struct {
		budget budget
		side   side
		want   string
	}{
		"within":           {budget{1, 1, 1}, side{run: nothing, calls: calls(1, 1)}, ""},
		"too many allocs":  {budget{}, side{run: allocates}, "1 allocations, the budget is 0"},
		"too many writes":  {budget{0, 1, 1}, side{run: nothing, calls: calls(2, 1)}, "2 writes, the budget is 1"},
		"too many reads":   {budget{0, 1, 1}, side{run: nothing, calls: calls(1, 1.5)}, "1.5 reads, the budget is 1"},
		"a message in two": {budget{0, 1, 1}, side{run: nothing, calls: seldom}, ""},
		"exactly its size": {budget{allocations: 1}, side{run: allocates}, ""},
	}
	for name, tt := range tests {
		err := tt.budget.check(tt.side)
		if got := errorText(err); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	_ = kept
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestBudgetsNameTasks(t *testing.T) {
	names := map[string]bool{}
	for _, task := range (settings{pattern: everything}).tasks(ownDocuments()) {
		names[task.name] = true
	}
	for name := range budgets {
		if !names[name] {
			t.Errorf("no task is called %q", name)
		}
	}
	if len(budgets) == 0 {
		t.Error("nothing has a budget")
	}
	if err := checkBudgets(io.Discard, nil); err == nil || !strings.Contains(err.Error(), "none of the 0") {
		t.Errorf("checking nothing: %v", err)
	}
}
