package load

// URI is specs/options/uri.yaml: the options of a connection string, what their values may be, and the rules between them.
type URI struct {
	Header
	Values   []URIValue   `yaml:"values"`
	Rows     []URIOption  `yaml:"rows"`
	Warnings []URIWarning `yaml:"warnings"`
	// Conflicts are pairs of options that exclude each other in a connection string. Upstream lists them; the rules are
	// from its prose.
	Conflicts []URIConflict `yaml:"conflicts,optional"`
	Rules     []URIRule     `yaml:"rules"`
}

// URIConflict is two options that cannot both be set.
type URIConflict struct {
	At     Pos    `yaml:"-"`
	First  string `yaml:"first"`
	Second string `yaml:"second"`
	Spec   string `yaml:"spec"`
}

// URIValue says how to parse a value that upstream's column "Accepted Values" describes with a phrase.
type URIValue struct {
	At      Pos      `yaml:"-"`
	Phrase  string   `yaml:"phrase"`
	Parser  string   `yaml:"parser"` // boolean, integer, text, words, list, pairs, tags, staleness, concern
	Min     *int64   `yaml:"min,optional"`
	Max     *int64   `yaml:"max,optional"`
	Words   []string `yaml:"words,optional"`
	Comment string   `yaml:"comment,optional"`
}

// URIOption is one option. Name, Values, Default, Required and Deprecated mirror upstream; the rest is ours.
type URIOption struct {
	Row
	Name       string `yaml:"name"`
	Values     string `yaml:"values"`
	Default    string `yaml:"default,optional"`    // upstream's default where the table itself states one
	Required   string `yaml:"required,optional"`   // upstream's condition; empty when every driver needs the option
	Deprecated string `yaml:"deprecated,optional"` // the option that replaces it
	Accepts    string `yaml:"accepts,optional"`    // our phrase in place of upstream's; it needs an override
	Field      string `yaml:"field,optional"`      // field of options.Client; empty for an option that this driver lacks
	Alias      string `yaml:"alias,optional"`      // another name of that option
	Renamed    bool   `yaml:"renamed,optional"`    // an alias that draws a warning
	Property   string `yaml:"property,optional"`   // the one mechanism property that the value is, in place of all of the field's
	Unit       string `yaml:"unit,optional"`       // ms or s, for durations
	Repeated   string `yaml:"repeated,optional"`   // list, error or same; otherwise the last value counts, with a warning
	Empty      string `yaml:"empty,optional"`      // keep, ignore or error; otherwise a warning
	Invalid    string `yaml:"invalid,optional"`    // error; otherwise an invalid value is ignored with a warning
	MaxBytes   int64  `yaml:"maxBytes,optional"`
	TXT        bool   `yaml:"txt,optional"`    // allowed in a TXT record
	Secret     bool   `yaml:"secret,optional"` // the value never appears in a message
}

// URIWarning is the text of a warning.
type URIWarning struct {
	Row
	Name     string   `yaml:"name"`
	Params   []string `yaml:"params"`
	Template string   `yaml:"template"` // {param} is replaced by a parameter
}

// URIRule forbids a combination: when every condition holds, the options are in error.
type URIRule struct {
	At      Pos         `yaml:"-"`
	When    Map[string] `yaml:"when"` // option or fact -> present, absent, true, positive, ...
	Message string      `yaml:"message"`
	Spec    string      `yaml:"spec,optional"`
	Comment string      `yaml:"comment,optional"`
}

// URI reads the table of connection string options.
func (t *Tables) URI() *URI { return Read[URI](t, "options/uri.yaml") }
