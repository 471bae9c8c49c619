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

func TestHelloMessageSetsItsFlags(t *testing.T) {
	plain, streaming := string(helloMessage(0)), string(helloMessage(1<<16))
	if plain == streaming || len(plain) != len(streaming) || !strings.Contains(plain, "hello") {
		t.Errorf("%q and %q", plain, streaming)
	}
}
