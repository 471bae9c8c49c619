package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sampleRun(ratio float64) runReport {
	results := []result{{Side: "official", Nanoseconds: 100, Ratio: 1}, {
		Side: "onion", Nanoseconds: 100 / ratio, Ratio: ratio, Interval: interval{ratio - 0.1, ratio + 0.1}, Writes: 1, Reads: 1,
		Allocations: 3, Samples: []float64{ratio, ratio},
	}}
	sample := task{name: "a < b", goal: 4}
	return runReport{Revision: "abc", Attempts: 1, Tasks: []taskReport{newTaskReport(sample, results)}, Nulls: []taskReport{
		newTaskReport(task{name: "null test: bare"}, []result{{Ratio: 1}, {Ratio: 1.01}}),
	}}
}

func TestVerdicts(t *testing.T) {
	for ratio, want := range map[float64]string{5: "4x", 4: "4x", 3.95: "4x nearly", 3: "4x missed"} {
		if got := sampleRun(ratio).Tasks[0].verdict(); got != want {
			t.Errorf("%g: %q, want %q", ratio, got, want)
		}
	}
}

func TestPrintSaysWhenVoid(t *testing.T) {
	for _, void := range []bool{true, false} {
		r := sampleRun(5)
		r.Void = void
		var b strings.Builder
		if err := r.print(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "VOID"); got != void {
			t.Errorf("void %v:\n%s", void, &b)
		}
		if !strings.Contains(b.String(), "4.90-5.10") || !strings.Contains(b.String(), "1.0+1.0") {
			t.Errorf("interval or calls are missing:\n%s", &b)
		}
	}
}

func TestHistoryGrows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "history.jsonl")
	void := sampleRun(9)
	void.Void = true
	for i, r := range []runReport{sampleRun(4), void, sampleRun(5)} {
		if _, err := appendHistory(name, r); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
	}
	history, err := readHistory(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := ratiosOf("a < b", history); len(got) != 2 || got[0] != 4 || got[1] != 5 {
		t.Errorf("ratios %v, want those of the two runs that are not void", got)
	}
	if s := history[0].Tasks[0].Results[1].Samples; s != nil {
		t.Errorf("the history keeps samples: %v", s)
	}
	if err := os.WriteFile(name, []byte("{}\nnonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readHistory(name); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a broken history: %v", err)
	}
}

func TestPageIsSelfContained(t *testing.T) {
	var b strings.Builder
	if err := writePage(&b, []runReport{sampleRun(3), sampleRun(5)}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"a &lt; b", "<polyline", "4.90 to 5.10", "<rect", "2 runs in the history"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, not := range []string{"src=", "href=", "@import", "<script"} {
		if strings.Contains(text, not) {
			t.Errorf("the page has %q", not)
		}
	}
}

func TestPlotIsXML(t *testing.T) {
	var b strings.Builder
	drawPlot(&b, []taskReport{{Task: "a < b", Goal: 4, Ratio: 2}, {Task: "c", Ratio: 0.5}, {Task: "d", Ratio: 30}})
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

func TestReportSurvivesJSON(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.json")
	if err := sampleRun(5).writeJSON(name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var back runReport
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Tasks[0].Results[1]; len(got.Samples) != 2 || got.Allocations != 3 {
		t.Errorf("%+v", got)
	}
}
