package main

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
)

// writePage writes a report as one HTML file that loads nothing: the null tests, the drawing, the figures, and the ratio of
// each task over the runs of the history. The last run of the history is the reported one.
func writePage(w io.Writer, history []runReport) error {
	last := history[len(history)-1]
	var drawing strings.Builder
	drawPlot(&drawing, last.Tasks)
	type row struct {
		taskReport
		Verdict string
		Missed  bool
		History template.HTML
	}
	rows := func(tasks []taskReport, verdict func(taskReport) string, missed func(taskReport) bool) (out []row) {
		for _, t := range tasks {
			out = append(out, row{t, verdict(t), missed(t), template.HTML(sparkline(ratiosOf(t.Task, history)))})
		}
		return out
	}
	var curves []template.HTML
	for _, g := range last.Growth {
		var drawing strings.Builder
		plotGrowth(&drawing, g)
		curves = append(curves, template.HTML(drawing.String()))
	}
	var text strings.Builder
	if err := last.printRest(&text); err != nil {
		return err
	}
	return pageTemplate.Execute(w, map[string]any{
		"Curves": curves, "Rest": text.String(),
		"Run": last, "Runs": len(history), "Drawing": template.HTML(drawing.String()),
		"Nulls": rows(last.Nulls,
			func(t taskReport) string { return fmt.Sprintf("%.2f, %s", t.Ratio, t.nullVerdict()) },
			func(t taskReport) bool { return !passesNull(t) }),
		"Tasks": rows(last.Tasks, taskReport.verdict, func(t taskReport) bool { return t.Interval.High < t.Goal }),
	})
}

// ratiosOf returns the ratios of a task in the runs that have it, oldest first.
func ratiosOf(name string, history []runReport) (ratios []float64) {
	for _, r := range history {
		for _, t := range r.Tasks {
			if t.Task == name {
				ratios = append(ratios, t.Ratio)
			}
		}
	}
	return ratios
}

// sparkline draws values as a small line, on a logarithmic scale from the lowest to the highest.
func sparkline(values []float64) string {
	if len(values) < 2 {
		return ""
	}
	const width, height = 120.0, 20.0
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	var points strings.Builder
	for i, v := range values {
		y := height / 2
		if high > low {
			y = height - 2 - (height-4)*math.Log(v/low)/math.Log(high/low)
		}
		fmt.Fprintf(&points, "%.1f,%.1f ", width*float64(i)/float64(len(values)-1), y)
	}
	return fmt.Sprintf(`<svg width="%g" height="%g"><polyline points="%s" fill="none" stroke="#2f7d4f"/></svg>`,
		width, height, strings.TrimSpace(points.String()))
}

var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>peerbench</title>
<style>
:root { color-scheme: light dark; --ink: #1d232b; --mute: #555e69; --line: #e1e4e8; --missed: #a8471f; --back: #fff; }
@media (prefers-color-scheme: dark) {
	:root { --ink: #e8eaee; --mute: #a3abb6; --line: #30353c; --missed: #ff9d6e; --back: #15181c; }
	svg { background: #f4f5f6; border-radius: 6px; } /* drawn for a light ground */
}
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 86em; padding: 0 1em; color: var(--ink); background: var(--back);
	font-variant-numeric: tabular-nums; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 1.8em; } th { color: var(--mute); font-weight: 600; }
table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto; } svg, pre { max-width: 100%; overflow-x: auto; }
td, th { padding: 2px 8px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
td:first-child, th:first-child { text-align: left; } p { overflow-wrap: anywhere; }
.missed { color: var(--missed); }
</style>
<h1>This driver and the official one</h1>
<p>{{.Run.Revision}}, {{.Run.Time}}, {{.Run.Go}}, {{.Run.Machine}}; documents from {{.Run.Documents}}; {{.Runs}} runs in the history.</p>
{{if .Run.Void}}<p class="missed">
<b>Void: null tests did not pass in any of {{.Run.Attempts}} runs, so no figure of these means anything:
{{range .Run.VoidFamilies}}{{.}} {{end}}</b></p>{{end}}
<h2>Null tests</h2>
<table>{{range .Nulls}}<tr{{if .Missed}} class="missed"{{end}}><td>{{.Task}}</td><td>{{.Verdict}}</td>` +
	`<td>{{printf "%.2f" .Interval.Low}} to {{printf "%.2f" .Interval.High}}</td></tr>
{{end}}</table>
<h2>Ratios</h2>
{{.Drawing}}
{{if .Curves}}<h2>Growth</h2>
<p>Cost of one operation over a quantity: green is this driver, grey the official one.</p>
{{range .Curves}}{{.}}{{end}}{{end}}
{{if .Rest}}<h2>Everything else</h2>
<pre>{{.Rest}}</pre>{{end}}
<h2>Figures</h2>
<table><tr><th>task</th><th>side</th><th>ns</th><th>CPU ns</th><th>allocations</th><th>bytes</th><th>writes</th><th>reads</th>` +
	`<th>times</th><th>95 %</th><th>goal</th><th>history</th></tr>
{{range .Tasks}}{{$task := .}}{{range $i, $r := .Results}}<tr{{if $task.Missed}} class="missed"{{end}}>` +
	`<td>{{if eq $i 0}}{{$task.Task}}{{end}}</td><td>{{.Side}}</td><td>{{printf "%.0f" .Nanoseconds}}</td><td>{{printf "%.0f" .CPU}}</td>` +
	`<td>{{printf "%.0f" .Allocations}}</td><td>{{printf "%.0f" .Bytes}}</td>` +
	`<td>{{printf "%.1f" .Writes}}</td><td>{{printf "%.1f" .Reads}}</td>` +
	`{{if eq $i 0}}<td></td><td></td><td></td><td></td>{{else}}<td>{{printf "%.2f" .Ratio}}</td>` +
	`<td>{{printf "%.2f" .Interval.Low}} to {{printf "%.2f" .Interval.High}}</td>` +
	`<td>{{$task.Verdict}}</td><td>{{$task.History}}</td>{{end}}</tr>
{{end}}{{end}}</table>
</html>
`))
