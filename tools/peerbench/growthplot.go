package main

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// Lengths of a curve's drawing, in pixels.
const (
	curveWidth, curveHeight = 460.0, 240.0
	curveLeft, curveBottom  = 70.0, 34.0
	curveTop, curveRight    = 26.0, 16.0
)

// plotGrowth draws the cost of both drivers over a quantity, both axes logarithmic.
func plotGrowth(w io.Writer, g growth) {
	low, high := math.Inf(1), 0.0
	for i := range g.At {
		low, high = min(low, g.Official[i], g.Onion[i]), max(high, g.Official[i], g.Onion[i])
	}
	low, high = math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)))
	first, last := g.At[0], g.At[len(g.At)-1]
	x := func(at float64) float64 {
		return curveLeft + (curveWidth-curveLeft-curveRight)*math.Log(at/first)/math.Log(last/first)
	}
	y := func(ns float64) float64 {
		return curveHeight - curveBottom - (curveHeight-curveTop-curveBottom)*math.Log(ns/low)/math.Log(high/low)
	}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g"`, curveWidth, curveHeight)
	fmt.Fprintln(w, ` font-family="sans-serif" font-size="11">`)
	fmt.Fprintf(w, `<text x="4" y="14" font-size="13">%s</text>`+"\n", html.EscapeString(g.Name))
	for ns := low; ns <= high*1.01; ns *= 10 {
		fmt.Fprintf(w, `<line x1="%g" y1="%.1f" x2="%g" y2="%.1f" stroke="#dddddd"/>`+
			`<text x="%g" y="%.1f" text-anchor="end">%s</text>`+"\n",
			curveLeft, y(ns), curveWidth-curveRight, y(ns),
			curveLeft-6, y(ns)+4, nanoseconds(ns))
	}
	for _, at := range g.At {
		fmt.Fprintf(w, `<text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n",
			x(at), curveHeight-curveBottom+16, shortNumber(at))
	}
	for _, line := range []struct {
		values []float64
		color  string
	}{{g.Official, "#888888"}, {g.Onion, "#2f7d4f"}} {
		var points strings.Builder
		for i, v := range line.values {
			fmt.Fprintf(&points, "%.1f,%.1f ", x(g.At[i]), y(v))
		}
		fmt.Fprintf(w, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n",
			strings.TrimSpace(points.String()), line.color)
	}
	fmt.Fprintln(w, "</svg>")
}

func nanoseconds(ns float64) string {
	switch {
	case ns >= 1e9:
		return fmt.Sprintf("%g s", ns/1e9)
	case ns >= 1e6:
		return fmt.Sprintf("%g ms", ns/1e6)
	case ns >= 1e3:
		return fmt.Sprintf("%g µs", ns/1e3)
	}
	return fmt.Sprintf("%g ns", ns)
}

func shortNumber(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%gM", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%gk", n/1e3)
	}
	return fmt.Sprintf("%g", n)
}
