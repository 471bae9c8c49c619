package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path"
	"time"
)

//go:embed page.html
var page string

// row is a suite on the page.
type row struct {
	counts
	Time  string
	Cells []cell
}

// cell is a test file on the page.
type cell struct {
	*fileResult
	ID    int
	Label string
	Color template.CSS
}

// writeHTML writes a page that needs nothing but itself: a square per test file, green to red, that opens the
// failures and skips of the file.
func (r *report) writeHTML(name string) error {
	if name == "" {
		return nil
	}
	t, err := template.New("page").Parse(page)
	if err != nil {
		return err
	}
	rows := make([]*row, len(r.Suites))
	bySuite := map[string]*row{}
	for i, s := range r.Suites {
		rows[i] = &row{counts: *s, Time: fmt.Sprintf("%.1f s", r.elapsed[s.Name].Seconds())}
		bySuite[s.Name] = rows[i]
	}
	for i, f := range r.files {
		to := bySuite[f.Suite]
		to.Cells = append(to.Cells, cell{fileResult: f, ID: i, Label: path.Base(f.File), Color: color(f.counts)})
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	return t.Execute(out, map[string]any{
		"Rows": rows, "Totals": r.Totals, "Percent": percent(r.Totals), "Made": time.Now().UTC().Format("2006-01-02 15:04 UTC"),
	})
}

func percent(n counts) string {
	if n.Cases == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1f", 100*float64(n.Passed)/float64(n.Cases))
}

// color goes from red over amber to green with the share of cases that pass; a file of which all is skipped is grey.
func color(n counts) template.CSS {
	ran := n.Passed + n.Failed
	if ran == 0 {
		return "#b8bec6"
	}
	hue := 4 + 136*float64(n.Passed)/float64(ran)
	return template.CSS(fmt.Sprintf("hsl(%.0f 62%% 44%%)", hue))
}
