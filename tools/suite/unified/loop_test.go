package unified

import (
	"errors"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// A step of a loop fails with an error or a failed assertion, and each goes where the loop stores it.
func TestLoopStoresFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		errors, failures bool // what is stored
		want             [2]int
		said             string
	}{
		"both":          {true, true, [2]int{rounds / 2, rounds / 2}, ""},
		"errors only":   {true, false, [2]int{rounds, 0}, ""},
		"failures only": {false, true, [2]int{0, rounds}, ""},
		"nothing":       {false, false, [2]int{}, "step: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			said := &recorder{TB: t}
			r := &Run{t: said}
			kept, failed, good, all := r.List(), r.List(), r.Number(), r.Number()
			l := Loop{Successes: good, Iterations: all}
			if tt.errors {
				l.Errors = kept
			}
			if tt.failures {
				l.Failures = failed
			}
			n := 0
			done := make(chan struct{})
			go func() {
				defer close(done)
				r.Loop(l, func() { (&Result{run: r, name: "first"}).Succeeds() }, func() {
					if n++; n%2 == 0 {
						r.failf("unequal")
					}
					(&Result{run: r, name: "step", err: errors.New("step: boom")}).Succeeds()
				}, func() { t.Error("the round went on") })
			}()
			<-done
			if !strings.Contains(said.text(), tt.said) || (said.text() == "") != (tt.said == "") {
				t.Errorf("the case said %q, want %q", said.text(), tt.said)
			}
			var lists [2]bson.A
			for i, v := range []*Value{kept, failed} {
				if err := v.value.Unmarshal(&lists[i]); err != nil {
					t.Fatal(err)
				}
			}
			if got := [2]int{len(lists[0]), len(lists[1])}; got != tt.want {
				t.Errorf("%v errors and failures, want %v", got, tt.want)
			}
			if g, _ := good.value.Int64OK(); tt.said == "" && g != rounds {
				t.Errorf("%d steps succeeded", g)
			}
		})
	}
}

func TestClientStoresEvents(t *testing.T) {
	begun := (&Run{t: t}).List()
	c := &Client{clientState: &clientState{options: ClientOptions{Store: []Store{{Into: begun, Kinds: []Kind{CommandStarted}}}}}}
	c.add(Event{Kind: CommandStarted})
	c.add(Event{Kind: PoolCreated})
	want := bson.A{bson.Doc("name", "CommandStartedEvent", "observedAt", Type("double"))}
	if err := (matcher{}).match(want, begun.get(), false, ""); err != nil {
		t.Error(err)
	}
	if n := len(c.observedEvents()); n != 0 {
		t.Errorf("%d events are observed", n)
	}
}
