package load

// SensitiveCommands is specs/logs/sensitive.yaml.
type SensitiveCommands struct {
	Header
	Rows []SensitiveCommand `yaml:"rows"`
}

// SensitiveCommand is one command that is never shown.
type SensitiveCommand struct {
	Row
	Command     string `yaml:"command"`
	Speculative bool   `yaml:"speculative,optional"` // only when the body has speculativeAuthenticate
}

// SensitiveCommands reads the table of sensitive commands.
func (t *Tables) SensitiveCommands() *SensitiveCommands {
	return Read[SensitiveCommands](t, "logs/sensitive.yaml")
}
