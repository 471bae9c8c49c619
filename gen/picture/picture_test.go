package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/model"
)

func TestTreemapsFillTheirRectangle(t *testing.T) {
	for name, weights := range map[string][]int{
		"one": {5}, "equal": {1, 1, 1, 1, 1, 1, 1}, "falling": {909, 535, 462, 414, 313, 260, 73, 22, 11, 1}, "one is huge": {10000, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			in := rectangle{10, 20, 300, 200}
			total := 0
			for _, w := range weights {
				total += w
			}
			parts := treemap(weights, in)
			if len(parts) != len(weights) {
				t.Fatalf("%d parts", len(parts))
			}
			for i, p := range parts {
				if want := in.w * in.h * float64(weights[i]) / float64(total); math.Abs(p.w*p.h-want) > 1e-6*want+1e-9 {
					t.Errorf("part %d has an area of %v, not %v", i, p.w*p.h, want)
				}
				if p.x < in.x-1e-6 || p.y < in.y-1e-6 || p.x+p.w > in.x+in.w+1e-6 || p.y+p.h > in.y+in.h+1e-6 {
					t.Errorf("part %d lies outside: %+v", i, p)
				}
				for k, q := range parts[:i] {
					if p.x+1e-6 < q.x+q.w && q.x+1e-6 < p.x+p.w && p.y+1e-6 < q.y+q.h && q.y+1e-6 < p.y+p.h {
						t.Errorf("parts %d and %d overlap", k, i)
					}
				}
			}
		})
	}
	if parts := treemap(nil, rectangle{0, 0, 1, 1}); len(parts) != 0 {
		t.Errorf("nothing has parts: %v", parts)
	}
}

func TestPicturesSayWhatTheyAreDrawnFrom(t *testing.T) {
	p := &model.Picture{Tables: 3, Rows: 1200, Lines: 15000, Areas: []model.Area{{Name: "a<b", Rows: 900}, {Name: "others", Rows: 300}},
		Suites: []model.SuiteResult{{Name: "crud", Cases: 100, Passed: 97, Failed: 1, Skipped: 2}, {Name: "auth", Cases: 300, Passed: 300}}}
	files := Files(p)
	if len(files) != 2 || files[0].Path != "specs/onion-light.svg" || files[1].Path != "specs/onion-dark.svg" {
		t.Fatalf("%v", files)
	}
	for _, f := range files {
		data, err := emit.Print(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"397 of 400 cases of the specifications' suites pass, 1 fail, 2 are skipped", "1,200 rows of YAML",
			"15,000 lines of decisions", "a&lt;b", "crud: 97 of 100 pass", "1 fail", "DO NOT EDIT"} {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s does not say %q", f.Path, want)
			}
		}
		for d := xml.NewDecoder(strings.NewReader(string(data))); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", f.Path, err)
			}
		}
		if strings.Contains(string(data), "http") && strings.Count(string(data), "http") != 1 {
			t.Errorf("%s refers to something outside", f.Path)
		}
	}
}
