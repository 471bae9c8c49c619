package load

// Values is a table of single values: specs/<group>/values.yaml.
type Values struct {
	Header
	Package string       `yaml:"package"` // below generated/
	Rows    []Value      `yaml:"rows"`
	Texts   []ValueTexts `yaml:"texts,optional"`
}

// ValueTexts is a function that returns the texts of the numbers whose names begin with a prefix.
type ValueTexts struct {
	Row
	Name   string `yaml:"name"`
	Prefix string `yaml:"prefix"`
	Other  string `yaml:"other"` // for all other numbers
}

// Value is one value.
type Value struct {
	Row
	Name     string  `yaml:"name"`              // Go constant, or function for a list
	Value    any     `yaml:"value,optional"`    // text, number or boolean
	Duration *string `yaml:"duration,optional"` // in Go's notation, such as 10s
	List     []Word  `yaml:"list,optional"`     // a list of texts
	Text     string  `yaml:"text,optional"`     // what people call a number
}

// Values reads a table of constants.
func (t *Tables) Values(file string) *Values { return Read[Values](t, file) }
