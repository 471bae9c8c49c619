package main

import (
	"errors"
	"strings"
	"testing"
)

const benchmarkMini = `
## Micro-benchmark definitions

### BSON micro-benchmarks

#### Knit

Dataset: The dataset, designated WOOL (disk file ` + "`wool.json`" + `), is warm.

Dataset size: For score purposes, the dataset size for a task is the size of the single-document source file
(1,002 bytes) times 10 operations, which equals 10,020 bytes or more.

### Single-Doc Benchmarks

#### Ask

Dataset: n/a

Dataset size: While there is none, use 130 bytes (10 x the size of a question).

#### Send

Dataset: The dataset, designated WOOL, is warm.

Dataset size: the size of the source file (1,002 bytes) times 1 operation or so.

### Parallel

#### Weave

Dataset: The dataset, designated CLOTH (disk directory ` + "`cloth`" + `), is wide.

Dataset size: it is the total size of all source files: 7,000 bytes or so.

## Composite score calculation

| Composite Name | Compositing formula |
| -------------- | ------------------- |
| Soft | Average of all BSON micro-benchmarks |
| Lone | Average of all Single-doc micro-benchmarks, except "Ask" |
| Text | Average of "Send", and "Weave" microbenchmarks |
| Both | Average of Soft and Text |
`

func TestBenchmarks(t *testing.T) {
	const want = `benchmarks.yaml datasets WOOL: dataset=WOOL file=wool.json bytes=1002
benchmarks.yaml datasets CLOTH: dataset=CLOTH file=cloth bytes=7000
benchmarks.yaml rows Knit: name=Knit group=bson dataset=WOOL operations=10 bytes=10020 composites=[Soft, Both]
benchmarks.yaml rows Ask: name=Ask group=single operations=10 bytes=130 composites=[]
benchmarks.yaml rows Send: name=Send group=single dataset=WOOL operations=1 bytes=1002 composites=[Lone, Text, Both]
benchmarks.yaml rows Weave: name=Weave group=parallel dataset=CLOTH bytes=7000 composites=[Text, Both]
`
	got, err := readBenchmarks(openShelf(map[string]string{benchmarkDoc: benchmarkMini}))
	if err != nil {
		t.Fatal(err)
	}
	if spellTables(got) != want {
		t.Errorf("got\n%swant\n%s", spellTables(got), want)
	}
	for _, c := range []struct {
		name, old, text string
		line            int
	}{
		{"a chapter", "### Parallel", "### Together", 27},
		{"a data set", "designated CLOTH", "called CLOTH", 31},
		{"a size", "the total size", "the sum", 33},
		{"no size", "Dataset size: While", "Size: While", 2},
		{"a group", "all Single-doc", "all single", 40},
		{"a formula", "Average of Soft and", "Sum of Soft and", 42},
		{"a benchmark in a formula", `"Weave" micro`, `"Spin" micro`, 41},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(benchmarkMini, c.old) {
				t.Fatalf("the document does not say %q", c.old)
			}
			_, err := runReader(readBenchmarks, map[string]string{benchmarkDoc: strings.Replace(benchmarkMini, c.old, c.text, 1)})
			at, ok := errors.AsType[errorAt](err)
			if !ok || at.path != benchmarkDoc || at.line != c.line {
				t.Errorf("got %v, want %s:%d", err, benchmarkDoc, c.line)
			}
		})
	}
}
