package unified

import (
	"strings"
	"testing"
)

// A panic of one case must not end the others, nor count as the failure of a case that must fail.
func TestPanicsFailTheCaseAlone(t *testing.T) {
	for _, tt := range []struct {
		name string
		body func(*Run)
	}{
		{"in the case", func(*Run) { panic("at the disco") }},
		{"in a thread", func(r *Run) {
			thread := r.Thread()
			thread.RunOnThread(func() { panic("at the disco") })
			thread.WaitForThread()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			outer := &recorder{TB: t}
			failing := &recorder{TB: outer}
			runCase(failing, Kindred{Topology: "single", Version: "8.0"}, On(), tt.body)
			if !strings.Contains(outer.text(), "panic: at the disco") || failing.text() != "" {
				t.Errorf("the test said %q, the case %q", outer.text(), failing.text())
			}
		})
	}
}

// Unified Test Format, "expectLogMessages", "expectTracingMessages".
func TestAClientThatObservesNothingHasNoMessages(t *testing.T) {
	for _, tt := range []struct {
		name, said string
		expect     func(*Client)
	}{
		{"no message", "", func(c *Client) { c.Logs(Logs{}) }},
		{"no span", "", func(c *Client) { c.Traces() }},
		{"a message", "message 0 is missing", func(c *Client) { c.Logs(Logs{Messages: []Log{{Level: "debug"}}}) }},
		{"a span", "find", func(c *Client) { c.Traces(Span{Name: "find"}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said := &recorder{TB: t}
			done := make(chan struct{})
			go func() { // a failure ends the goroutine
				defer close(done)
				tt.expect(&Client{run: &Run{t: said}, clientState: &clientState{}})
			}()
			<-done
			if !strings.Contains(said.text(), tt.said) || (said.text() == "") != (tt.said == "") {
				t.Errorf("the case said %q, want %q", said.text(), tt.said)
			}
		})
	}
}
