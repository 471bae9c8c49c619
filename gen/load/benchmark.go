package load

// Benchmarks is specs/benchmarks.yaml.
type Benchmarks struct {
	Header
	Datasets []BenchmarkData `yaml:"datasets"`
	Rows     []Benchmark     `yaml:"rows"`
}

// BenchmarkData is one set of data, a file or a directory.
type BenchmarkData struct {
	Row
	Dataset string `yaml:"dataset"`
	File    string `yaml:"file"`
	Bytes   int64  `yaml:"bytes"`
}

// Benchmark is one benchmark.
type Benchmark struct {
	Row
	Name       string   `yaml:"name"`
	Group      string   `yaml:"group"`
	Dataset    string   `yaml:"dataset,optional"`
	Operations int64    `yaml:"operations"`
	Bytes      int64    `yaml:"bytes"`
	Composites []string `yaml:"composites"`
}

// Benchmarks reads the table of benchmarks.
func (t *Tables) Benchmarks() *Benchmarks { return Read[Benchmarks](t, "benchmarks.yaml") }

// StableAPI is specs/stableapi/fields.yaml.
type StableAPI struct {
	Header
	Rows []StableAPIField `yaml:"rows"`
}

// StableAPIField is one part of a declared API version.
type StableAPIField struct {
	Row
	Field   string `yaml:"field"`
	Go      string `yaml:"go"`
	Type    string `yaml:"type"`
	Command string `yaml:"command"`
}

// StableAPI reads the table of the stable API.
func (t *Tables) StableAPI() *StableAPI { return Read[StableAPI](t, "stableapi/fields.yaml") }
