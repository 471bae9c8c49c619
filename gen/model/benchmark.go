package model

import "github.com/specdrivers/onion/gen/load"

// Benchmarks are the shared benchmarks, each with the file of its data.
type Benchmarks []Benchmark

// Benchmark is one benchmark.
type Benchmark struct {
	load.Benchmark
	File string
}

var benchmarkGroups = []string{"bson", "single", "multi", "parallel"}

// NewBenchmarks checks the table of benchmarks. The bytes that a run counts must follow from its data.
func NewBenchmarks(t *load.Tables) Benchmarks {
	in := t.Benchmarks()
	data := map[string]load.BenchmarkData{}
	sets, names := newUnique[string](t), newUnique[string](t)
	for _, d := range in.Datasets {
		sets.add(d.Dataset, d.File, d.At, "dataset %s is named twice", d.Dataset)
		checkSentence(t, d.At, d.Doc)
		data[d.Dataset] = d
	}
	var out Benchmarks
	for _, r := range in.Rows {
		names.add(r.Name, r.Name, r.At, "benchmark %s is named twice", r.Name)
		checkSentence(t, r.At, r.Doc)
		checkOneOf(t, r.At, "group", r.Group, benchmarkGroups)
		if d, ok := data[r.Dataset]; r.Dataset != "" && !ok {
			t.Problemf(r.At, "no dataset is called %s", r.Dataset)
		} else if ok && d.Bytes*r.Operations != r.Bytes {
			t.Problemf(r.At, "%d operations of %d bytes are not %d bytes", r.Operations, d.Bytes, r.Bytes)
		}
		out = append(out, Benchmark{Benchmark: r, File: data[r.Dataset].File})
	}
	return out
}

// StableAPI are the parts of a declared API version.
type StableAPI []load.StableAPIField

// NewStableAPI checks the table of the stable API.
func NewStableAPI(t *load.Tables) StableAPI {
	var out StableAPI
	names, commands := newGoNames(t), newUnique[string](t)
	for _, r := range t.StableAPI().Rows {
		names.add(r.Go, r.At)
		commands.add(r.Command, r.Field, r.At, "command option %s is named twice", r.Command)
		checkSentence(t, r.At, r.Doc)
		checkOneOf(t, r.At, "type", r.Type, []string{"string", "bool?"})
		out = append(out, r)
	}
	return out
}
