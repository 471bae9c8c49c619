package load

// LogComponents is specs/logs/components.yaml.
type LogComponents struct {
	Header
	Rows []LogComponent `yaml:"rows"`
}

// LogComponent is one part of the driver that logs.
type LogComponent struct {
	Row
	Name string `yaml:"name"`
	Env  string `yaml:"env"` // the environment variable of its level
}

// LogLevels is specs/logs/levels.yaml.
type LogLevels struct {
	Header
	Rows []LogLevel `yaml:"rows"`
}

// LogLevel is one severity.
type LogLevel struct {
	Row
	Name string `yaml:"name"`
	Code int    `yaml:"code"`
	Env  string `yaml:"env"`  // the value in environment variables
	Slog int    `yaml:"slog"` // the level for log/slog
}

// LogSettings is specs/logs/settings.yaml.
type LogSettings struct {
	Header
	Rows []LogSetting `yaml:"rows"`
}

// LogSetting is one constant, text or number.
type LogSetting struct {
	Row
	Name   string  `yaml:"name"`
	Value  *string `yaml:"value,optional"`
	Number *int    `yaml:"number,optional"`
}

// LogKeys is specs/logs/keys.yaml.
type LogKeys struct {
	Header
	Structs []LogStruct    `yaml:"structs"`
	Rows    []LogCommonKey `yaml:"rows"`
}

// LogStruct is a struct of all shared keys of a component. All messages of the component embed it.
type LogStruct struct {
	Row
	Name      string   `yaml:"name"`
	Component string   `yaml:"component"`
	Events    []string `yaml:"events"` // Go names of the events that have these keys as fields
}

// LogCommonKey is a key that several messages of a component share.
type LogCommonKey struct {
	Component string `yaml:"component"`
	LogKey
}

// LogKey is one key of a message.
type LogKey struct {
	Row
	Key      string `yaml:"key"`
	Type     string `yaml:"type"` // upstream's word
	Kind     string `yaml:"kind"` // the Go type, as a word of the table language
	Optional bool   `yaml:"optional,optional"`
	Redact   bool   `yaml:"redact,optional"` // hidden for a sensitive command
}

// LogMessages is specs/logs/messages.yaml.
type LogMessages struct {
	Header
	Rows []LogMessage `yaml:"rows"`
}

// LogMessage is one message.
type LogMessage struct {
	Row
	Message   string      `yaml:"message"`
	Go        string      `yaml:"go"`
	Component string      `yaml:"component"`
	Level     string      `yaml:"level"`
	Common    []string    `yaml:"common"`
	Keys      []LogKey    `yaml:"keys,optional"`
	Template  string      `yaml:"template"`
	Segments  Map[string] `yaml:"segments,optional"`
	List      *LogList    `yaml:"list,optional"`
}

// LogList is a run of segments in a template.
type LogList struct {
	At        Pos      `yaml:"-"`
	Lead      string   `yaml:"lead"`
	Separator string   `yaml:"separator"`
	Keys      []string `yaml:"keys"`
}

// LogComponents reads the table of components.
func (t *Tables) LogComponents() *LogComponents {
	return Read[LogComponents](t, "logs/components.yaml")
}

// LogLevels reads the table of levels.
func (t *Tables) LogLevels() *LogLevels { return Read[LogLevels](t, "logs/levels.yaml") }

// LogSettings reads the table of logging constants.
func (t *Tables) LogSettings() *LogSettings { return Read[LogSettings](t, "logs/settings.yaml") }

// LogKeys reads the table of common keys.
func (t *Tables) LogKeys() *LogKeys { return Read[LogKeys](t, "logs/keys.yaml") }

// LogMessages reads the table of messages.
func (t *Tables) LogMessages() *LogMessages { return Read[LogMessages](t, "logs/messages.yaml") }
