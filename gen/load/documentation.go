package load

// Documentation is specs/documentation.yaml.
type Documentation struct {
	Header
	Rows []DocumentationRule `yaml:"rows"`
}

// DocumentationRule is one thing that users must be told; its text is the column doc.
type DocumentationRule struct {
	Row
	Anchor string `yaml:"anchor"`
	Title  string `yaml:"title"`
	// Pending are types of the driver's API, or generated names that the driver is to use, without which the rule is
	// not yet true.
	Pending []string `yaml:"pending,optional"`
}

// Documentation reads the table of what users must be told.
func (t *Tables) Documentation() *Documentation {
	return Read[Documentation](t, "documentation.yaml")
}
