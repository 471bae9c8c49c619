package load

// Layouts is a table of layouts in bytes: specs/<group>/layouts.yaml.
type Layouts struct {
	Header
	Package string   `yaml:"package"` // below generated/
	Rows    []Layout `yaml:"rows"`
}

// Layout is a run of fields without gaps.
type Layout struct {
	Row
	Name   string        `yaml:"name"` // the beginning of its Go constants
	Fields []LayoutField `yaml:"fields"`
}

// LayoutField is one field.
type LayoutField struct {
	At    Pos    `yaml:"-"`
	Name  string `yaml:"name"`           // in its Go constant
	Field string `yaml:"field"`          // as upstream calls it
	Type  string `yaml:"type"`           // as upstream calls it
	Count string `yaml:"count,optional"` // how many of the type, a number or upstream's word for one
}

// Layouts reads a table of layouts.
func (t *Tables) Layouts(file string) *Layouts { return Read[Layouts](t, file) }
