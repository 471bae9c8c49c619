package load

// Packages is specs/packages.yaml.
type Packages struct {
	Header
	Rows []Package `yaml:"rows"`
}

// Package is one package below generated/.
type Package struct {
	At   Pos    `yaml:"-"`
	Path string `yaml:"path"`
	Doc  string `yaml:"doc"`
}

// Packages reads the table of generated packages.
func (t *Tables) Packages() *Packages { return Read[Packages](t, "packages.yaml") }
