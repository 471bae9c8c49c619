package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/model"
	"github.com/specdrivers/onion/gen/picture"
)

// results is where tools/conformance keeps the counts of the last recorded run.
const results = "tools/conformance/results.json"

// The picture rounds down: a row that is added does not always change it.
const roundRows, roundArea, roundLines = 100, 20, 1000

// most is the number of areas that have a bar of their own.
const mostAreas = 8

// drawPictures draws the pictures of the README from the tables, what they have become and the results.
func drawPictures(root string, out []output) ([]output, error) {
	p := &model.Picture{}
	for _, f := range out {
		if strings.HasPrefix(f.path, "generated/") && strings.HasSuffix(f.path, ".go") && !strings.HasSuffix(f.path, "_test.go") {
			p.Lines += goLines(f.content)
		}
	}
	p.Lines = p.Lines / roundLines * roundLines
	if err := areas(root, p); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(root, results))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &p.Suites); err != nil {
		return nil, fmt.Errorf("%s: %w", results, err)
	}
	for _, s := range p.Suites {
		if s.Name == "" || s.Cases < 1 || s.Passed+s.Failed+s.Skipped != s.Cases {
			return nil, fmt.Errorf("%s: %+v does not add up", results, s)
		}
	}
	return render(picture.Files(p))
}

// A folder of tables, below specs.
type folder struct {
	name         string
	tables, rows int
}

// driverFolders returns the folders of the tables that become the driver. Tables about upstream's files become tests.
func driverFolders(root string) (list []folder, err error) {
	entries, err := os.ReadDir(filepath.Join(root, "specs"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || slices.Contains([]string{"cases", "sync", "unified"}, e.Name()) {
			continue
		}
		tables, rows, err := countRows(filepath.Join(root, "specs", e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, folder{e.Name(), tables, rows})
	}
	return list, nil
}

// areas fills in the areas of the picture: the folders with the most rows, and all others together.
func areas(root string, p *model.Picture) error {
	folders, err := driverFolders(root)
	if err != nil {
		return err
	}
	var list []model.Area
	for _, f := range folders {
		p.Tables, p.Rows = p.Tables+f.tables, p.Rows+f.rows
		list = append(list, model.Area{Name: f.name, Rows: f.rows / roundArea * roundArea})
	}
	slices.SortStableFunc(list, func(a, b model.Area) int { return cmp.Or(b.Rows-a.Rows, strings.Compare(a.Name, b.Name)) })
	if len(list) > mostAreas {
		others := model.Area{Name: "others"}
		for _, a := range list[mostAreas:] {
			others.Rows += a.Rows
		}
		list = append(list[:mostAreas:mostAreas], others)
	}
	p.Areas, p.Rows = list, p.Rows/roundRows*roundRows
	return nil
}

// goLines counts lines of code, as stats does.
func goLines(content []byte) (lines int) {
	for line := range bytes.Lines(content) {
		if text := bytes.TrimSpace(line); len(text) > 0 && !bytes.HasPrefix(text, []byte("//")) {
			lines++
		}
	}
	return lines
}
