package main

import (
	"strings"
	"testing"
)

func TestGoalsOfScenarios(t *testing.T) {
	tests := map[string]struct {
		s    scenario
		want string
	}{
		"none":              {scenario{Official: 1, Onion: 9}, ""},
		"half, reached":     {scenario{Official: 10, Onion: 5, Goal: 0.5}, "at most 0.5 of official"},
		"half, missed":      {scenario{Official: 10, Onion: 6, Goal: 0.5}, "at most 0.5 of official, missed"},
		"absolute, reached": {scenario{Official: 9, Onion: 1.1, Most: 1.2}, "at most 1.2"},
		"absolute, missed":  {scenario{Official: 9, Onion: 1.3, Most: 1.2}, "at most 1.2, missed"},
	}
	for name, tt := range tests {
		if got := tt.s.goal(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestAScenarioThatMissesItsGoalSaysWhy(t *testing.T) {
	var b strings.Builder
	err := printScenarios(&b, []scenario{
		{Name: "the smallest program", Official: 9, Onion: 13, Goal: 1.2},
		{Name: "the smallest program, reached", Official: 9, Onion: 9.5, Goal: 1.2},
	})
	if got := b.String(); err != nil || strings.Count(got, "zstd") != 1 || !strings.Contains(got, "at most 1.2 of official, missed: ") {
		t.Errorf("%v, %s", err, got)
	}
}

func TestEveryStreamSaysWhatLimitsIt(t *testing.T) {
	for _, task := range streamTasks() {
		if task.reason == "" {
			t.Errorf("%s has a goal, and no reason in case that it is missed", task.name)
		}
	}
	var b strings.Builder
	missed := stream{Task: "down", Goal: 2, Ratio: 1.5, Reason: "the kernel", Official: streamFigures{Speed: 1, CPU: 4}, Bare: streamFigures{Speed: 3, CPU: 2}}
	if err := printStreams(&b, []stream{missed}); err != nil || !strings.Contains(b.String(), "the kernel; bare sockets do 3.00x") {
		t.Errorf("%v, %s", err, &b)
	}
}

func TestHelloMessageSetsItsFlags(t *testing.T) {
	plain, streaming := string(helloMessage(0)), string(helloMessage(1<<16))
	if plain == streaming || len(plain) != len(streaming) || !strings.Contains(plain, "hello") {
		t.Errorf("%q and %q", plain, streaming)
	}
}
