package picture

import "math"

// rectangle is a place in a picture.
type rectangle struct{ x, y, w, h float64 }

// treemap divides a rectangle into parts whose areas are in proportion to the weights. The weights must descend. The
// parts are about as high as wide (Bruls, Huizing, van Wijk: Squarified Treemaps).
func treemap(weights []int, in rectangle) []rectangle {
	total := 0
	for _, w := range weights {
		total += w
	}
	parts := make([]rectangle, 0, len(weights))
	for len(weights) > 0 && total > 0 {
		scale := in.w * in.h / float64(total)
		side := math.Min(in.w, in.h)
		n, sum := 1, weights[0]
		for worst := worstRatio(weights[:1], sum, scale, side); n < len(weights); n++ {
			next := worstRatio(weights[:n+1], sum+weights[n], scale, side)
			if next > worst {
				break
			}
			worst, sum = next, sum+weights[n]
		}
		var row []rectangle
		row, in = layRow(weights[:n], float64(sum)*scale, scale, in)
		parts = append(parts, row...)
		weights, total = weights[n:], total-sum
	}
	return parts
}

// worstRatio says how far the worst part of a row is from a square.
func worstRatio(weights []int, sum int, scale, side float64) float64 {
	thick := float64(sum) * scale / side
	worst := 1.0
	for _, w := range weights {
		long := float64(w) * scale / thick
		worst = math.Max(worst, math.Max(long/thick, thick/long))
	}
	return worst
}

// layRow puts a row along the shorter side and returns what is left.
func layRow(weights []int, area, scale float64, in rectangle) ([]rectangle, rectangle) {
	var row []rectangle
	if in.w >= in.h {
		thick, y := area/in.h, in.y
		for _, w := range weights {
			h := float64(w) * scale / thick
			row = append(row, rectangle{in.x, y, thick, h})
			y += h
		}
		return row, rectangle{in.x + thick, in.y, in.w - thick, in.h}
	}
	thick, x := area/in.w, in.x
	for _, w := range weights {
		wide := float64(w) * scale / thick
		row = append(row, rectangle{x, in.y, wide, thick})
		x += wide
	}
	return row, rectangle{in.x, in.y + thick, in.w, in.h - thick}
}
