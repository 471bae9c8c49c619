package load

// SeedRules is specs/seed-rules.yaml.
type SeedRules struct {
	Header
	Rows []SeedRule `yaml:"rows"`
}

// SeedRule is one rule of a seed document. It names exactly one of these: the test that shows the rule, the
// specification test file that shows it, the section that replaced it, or the layer that is not built yet.
type SeedRule struct {
	At         Pos    `yaml:"-"`
	Seed       string `yaml:"seed"`
	Lines      []int  `yaml:"lines"`
	Rule       string `yaml:"rule"`
	Test       string `yaml:"test,optional"`     // directory.TestName
	Upstream   string `yaml:"upstream,optional"` // path below source/ of the specifications
	Superseded string `yaml:"superseded,optional"`
	Layer      string `yaml:"layer,optional"` // package: what is still to be built
}

// SeedRules reads the table of seed rules.
func (t *Tables) SeedRules() *SeedRules { return Read[SeedRules](t, "seed-rules.yaml") }
