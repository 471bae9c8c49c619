package load

// ErrorCodes is specs/errors/codes.yaml.
type ErrorCodes struct {
	Header
	Rows []ErrorCode `yaml:"rows"`
}

// ErrorCode is one code of a server's reply.
type ErrorCode struct {
	Row
	Code     int32    `yaml:"code"`
	Name     string   `yaml:"name"`
	Classes  []string `yaml:"classes,optional"`
	Formerly []string `yaml:"formerly,optional"` // names in older servers
}

// ErrorClasses is specs/errors/classes.yaml.
type ErrorClasses struct {
	Header
	Rows []ErrorClass `yaml:"rows"`
}

// ErrorClass is a set of codes on which a decision depends.
type ErrorClass struct {
	Row
	Name       string   `yaml:"name"`
	Within     []string `yaml:"within,optional"` // classes that hold every code of this one
	Union      []string `yaml:"union,optional"`  // classes that this one combines
	Substrings []string `yaml:"substrings,optional"`
}

// ErrorLabels is specs/errors/labels.yaml.
type ErrorLabels struct {
	Header
	Rows []ErrorLabel `yaml:"rows"`
}

// ErrorLabel is one label.
type ErrorLabel struct {
	Row
	Name string `yaml:"name"`
}

// ErrorCodes reads the table of error codes.
func (t *Tables) ErrorCodes() *ErrorCodes { return Read[ErrorCodes](t, "errors/codes.yaml") }

// ErrorClasses reads the table of classes of error codes.
func (t *Tables) ErrorClasses() *ErrorClasses { return Read[ErrorClasses](t, "errors/classes.yaml") }

// ErrorLabels reads the table of error labels.
func (t *Tables) ErrorLabels() *ErrorLabels { return Read[ErrorLabels](t, "errors/labels.yaml") }
