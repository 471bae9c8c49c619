package main

import (
	"regexp"
	"slices"
	"testing"
	"time"
)

var everything = regexp.MustCompile("")

func TestTasksRunOnOwnDocuments(t *testing.T) {
	docs, source, err := documents(t.TempDir())
	if err != nil || len(docs) != 3 {
		t.Fatalf("%d documents from %s: %v", len(docs), source, err)
	}
	for _, doc := range docs {
		if err := doc.raw.Validate(); err != nil {
			t.Errorf("%s: %v", doc.name, err)
		}
	}
	for _, task := range bsonTasks(docs) {
		if task.sides[0].name != "official" || len(task.sides) != 2 {
			t.Errorf("%s does not compare with the official driver first", task.name)
		}
		for _, r := range measure(task, effort{1, 10 * time.Microsecond}) {
			if r.Nanoseconds <= 0 {
				t.Errorf("%s: %s took no time", task.name, r.Side)
			}
		}
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for part, want := range map[float64]float64{0: 1, 0.25: 2, 0.5: 3, 1: 5} {
		if got := quantile(values, part); got != want {
			t.Errorf("quantile %g is %g, want %g", part, got, want)
		}
	}
	if !slices.Equal(values, []float64{5, 1, 4, 2, 3}) {
		t.Error("the values were sorted in place")
	}
}
