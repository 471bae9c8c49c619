package load

// Values is a table of single values: specs/<group>/values.yaml.
type Values struct {
	Header
	Package string  `yaml:"package"` // below generated/
	Rows    []Value `yaml:"rows"`
}

// Value is one value.
type Value struct {
	Row
	Name     string  `yaml:"name"`              // Go constant, or function for a list
	Value    any     `yaml:"value,optional"`    // text, number or boolean
	Duration *string `yaml:"duration,optional"` // in Go's notation, such as 10s
	List     []Word  `yaml:"list,optional"`     // a list of texts
}

// Values reads a table of constants.
func (t *Tables) Values(file string) *Values { return Read[Values](t, file) }
