package load

// Documentation is specs/documentation.yaml.
type Documentation struct {
	Header
	Rows []DocumentationRule `yaml:"rows"`
}

// DocumentationRule is one fact that drivers must document. The column doc holds its text.
type DocumentationRule struct {
	Row
	Anchor string `yaml:"anchor"`
	Title  string `yaml:"title"`
	// Pending are types of the driver's API, or generated names, that the driver does not use yet. Until it does, the rule is
	// not true.
	Pending []string `yaml:"pending,optional"`
}

// Documentation reads the table of facts that drivers must document.
func (t *Tables) Documentation() *Documentation {
	return Read[Documentation](t, "documentation.yaml")
}

// Departures is specs/departures.yaml.
type Departures struct {
	Header
	Rows []Departure `yaml:"rows"`
}

// Departure is one place where the driver departs from the specifications on purpose. The column doc says what the driver
// does, the column spec what it departs from.
type Departure struct {
	Row
	Anchor string `yaml:"anchor"`
	Title  string `yaml:"title"`
	Reason string `yaml:"reason"`
}

// Departures reads the table of deliberate departures.
func (t *Tables) Departures() *Departures { return Read[Departures](t, "departures.yaml") }
