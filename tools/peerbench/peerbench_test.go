package main

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

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
		for _, r := range measure(task.sides, 1, 10*time.Microsecond) {
			if r.Nanoseconds <= 0 {
				t.Errorf("%s: %s took no time", task.name, r.Side)
			}
		}
	}
}

func TestMeasureComparesWithinRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where a wait takes exactly as long as it says
		wait := func(d time.Duration) func(int) { return func(n int) { time.Sleep(time.Duration(n) * d) } }
		sides := []side{{"slow", wait(4 * time.Millisecond)}, {"fast", wait(time.Millisecond)}}
		results := measure(sides, 3, 8*time.Millisecond)
		if results[0].Ratio != 1 || results[1].Ratio != 4 {
			t.Errorf("ratios %g and %g", results[0].Ratio, results[1].Ratio)
		}
	})
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

func TestPlotIsXML(t *testing.T) {
	var b strings.Builder
	plot(&b, []report{{Task: "a < b", Goal: 4, Ratio: 2}, {Task: "c", Ratio: 0.5}, {Task: "d", Ratio: 30}})
	bars := 0
	for r := xml.NewDecoder(strings.NewReader(b.String())); ; {
		token, err := r.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars++
		}
	}
	if bars != 4 { // one is the background
		t.Errorf("%d rectangles", bars)
	}
}
