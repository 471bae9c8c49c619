package main

import (
	"fmt"
	"html"
	"io"
	"math"
)

// Lengths of the drawing, in pixels.
const (
	plotLabels = 360
	plotBars   = 520
	plotMargin = 90 // for the figure after a bar
	plotRow    = 20
	plotTop    = 46
)

// drawPlot draws a bar for each task on a logarithmic scale: the speed as a multiple of the official driver's, the confidence
// interval as a line across the end of the bar, and a mark at the goal. A bar whose task misses its goal has another colour.
func drawPlot(w io.Writer, reports []taskReport) {
	low, high := 1.0, 2.0
	for _, r := range reports {
		low = min(low, r.Ratio, max(r.Interval.Low, 0.05))
		high = max(high, r.Ratio, r.Interval.High, r.Goal)
	}
	low = max(low, 0.05)
	x := func(ratio float64) float64 {
		return plotLabels + plotBars*math.Log(max(ratio, low)/low)/math.Log(high/low)
	}
	width, height := plotLabels+plotBars+plotMargin, plotTop+plotRow*len(reports)+10
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n",
		width, height)
	fmt.Fprintf(w, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	fmt.Fprintln(w, `<text x="10" y="18" font-size="14">Times the speed of the official driver (logarithmic; | is the goal)</text>`)
	for ratio := 1.0; ratio <= high; ratio *= 2 {
		fmt.Fprintf(w, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#dddddd"/>`+
			`<text x="%.1f" y="%d" text-anchor="middle" fill="#666666">%g</text>`+"\n",
			x(ratio), plotTop, x(ratio), height-10, x(ratio), plotTop-6, ratio)
	}
	for i, r := range reports {
		y := plotTop + plotRow*i
		color := "#2f7d4f"
		if r.Ratio < max(r.Goal, 1) {
			color = "#b5532a"
		}
		from, to := min(x(1), x(r.Ratio)), max(x(1), x(r.Ratio))
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end">%s</text>`, plotLabels-8, y+14, html.EscapeString(r.Task))
		fmt.Fprintf(w, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, from, y+3, to-from, plotRow-6, color)
		fmt.Fprintf(w, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#111111"/>`,
			x(r.Interval.Low), y+plotRow/2, x(r.Interval.High), y+plotRow/2)
		if r.Goal > 0 {
			fmt.Fprintf(w, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#111111" stroke-width="2"/>`, x(r.Goal),
				y+1, x(r.Goal), y+plotRow-1)
		}
		fmt.Fprintf(w, `<text x="%.1f" y="%d">%.1fx</text>`+"\n", max(to, x(r.Goal), x(r.Interval.High))+6, y+14, r.Ratio)
	}
	fmt.Fprintln(w, "</svg>")
}
