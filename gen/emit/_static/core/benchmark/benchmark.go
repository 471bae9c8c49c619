package benchmark

// Benchmark is one benchmark that drivers share.
type Benchmark struct {
	Name       string
	Group      string   // bson, single, multi or parallel
	File       string   // the data, a file or a directory; empty when there is none
	Operations int64    // how often a run repeats its task
	Bytes      int64    // how many bytes a run counts as
	Composites []string // the scores that include it
}
