package load

// Auth is the directory specs/auth.
type Auth struct {
	Mechanisms   *AuthMechanisms
	Properties   *AuthProperties
	Environments *AuthEnvironments
	Regions      *AuthRegions
	Commands     *AuthCommands
	FaaS         *FaaS
	Credentials  *AuthCredentials
}

// AuthMechanisms is specs/auth/mechanisms.yaml.
type AuthMechanisms struct {
	Header
	Rows []AuthMechanism `yaml:"rows"`
}

// AuthMechanism is one mechanism. Username and Password are required, optional or forbidden.
type AuthMechanism struct {
	Row
	Mechanism   string `yaml:"mechanism"`
	Go          string `yaml:"go"`
	Username    string `yaml:"username"`
	Password    string `yaml:"password"`
	Source      string `yaml:"source"`   // external or database
	Fallback    string `yaml:"fallback"` // the source to use when nothing names one
	Speculative string `yaml:"speculative,optional"`
}

// AuthProperties is specs/auth/properties.yaml.
type AuthProperties struct {
	Header
	Rows []AuthProperty `yaml:"rows"`
}

// AuthProperty is one mechanism property.
type AuthProperty struct {
	Row
	Property   string   `yaml:"property"`
	Go         string   `yaml:"go"`
	Mechanisms []string `yaml:"mechanisms"`
	Type       string   `yaml:"type"` // string, or the kind of Go value
	Values     []string `yaml:"values,optional"`
	Default    string   `yaml:"default,optional"`
	Hosts      []string `yaml:"hosts,optional"` // the default, for a list of hosts
}

// AuthEnvironments is specs/auth/environments.yaml.
type AuthEnvironments struct {
	Header
	Rows []AuthEnvironment `yaml:"rows"`
}

// AuthEnvironment is one built-in source of access tokens.
type AuthEnvironment struct {
	Row
	Environment string      `yaml:"environment"`
	Go          string      `yaml:"go"`
	Username    string      `yaml:"username"`
	Resource    string      `yaml:"resource"`
	URL         string      `yaml:"url,optional"`
	Audience    string      `yaml:"audience,optional"` // the query parameter that takes TOKEN_RESOURCE
	Client      string      `yaml:"client,optional"`   // the query parameter that takes the user name
	Headers     Map[string] `yaml:"headers,optional"`
	Field       string      `yaml:"field,optional"` // the field of the answer that holds the token
	Files       []string    `yaml:"files,optional"`
	Path        string      `yaml:"path,optional"`
}

// AuthRegions is specs/auth/regions.yaml.
type AuthRegions struct {
	Header
	Rows  []AuthRegion     `yaml:"rows"`
	Rules []AuthRegionRule `yaml:"rules"`
}

// AuthRegionRule is what a host of a kind yields: a region, or an error. The first rule that fits counts.
type AuthRegionRule struct {
	Row
	When   string `yaml:"when"`
	Region string `yaml:"region,optional"` // default or second
	Error  string `yaml:"error,optional"`
}

// AuthRegion is one example of a host and its region.
type AuthRegion struct {
	Row
	Name   string `yaml:"name"`
	Host   string `yaml:"host"`
	Times  int    `yaml:"times,optional"` // how many times host is repeated
	Region string `yaml:"region,optional"`
}

// AuthCommands is specs/auth/commands.yaml.
type AuthCommands struct {
	Header
	Rows []AuthCommand `yaml:"rows"`
}

// AuthCommand is one command of a conversation.
type AuthCommand struct {
	Row
	Command string             `yaml:"command"`
	Go      string             `yaml:"go"`
	Fields  []AuthCommandField `yaml:"fields"`
}

// AuthCommandField is one argument.
type AuthCommandField struct {
	Row
	Name     string `yaml:"name"`
	Type     string `yaml:"type"`
	In       string `yaml:"in,optional"` // the document that holds it
	Optional bool   `yaml:"optional,optional"`
}

// FaaS is specs/auth/faas.yaml.
type FaaS struct {
	Header
	Rows []FaaSName `yaml:"rows"`
}

// FaaSName is one environment.
type FaaSName struct {
	Row
	Name      string      `yaml:"name"`
	Go        string      `yaml:"go"`
	Variables []string    `yaml:"variables"`
	Prefixes  Map[string] `yaml:"prefixes,optional"`
	Over      string      `yaml:"over,optional"` // the environment over which it takes precedence
	Fields    []FaaSField `yaml:"fields,optional"`
}

// FaaSField is one field of the client metadata.
type FaaSField struct {
	Row
	Field    string `yaml:"field"`
	Variable string `yaml:"variable"`
	Type     string `yaml:"type"`
}

// AuthCredentials is specs/auth/credentials.yaml.
type AuthCredentials struct {
	Header
	Rows []AuthCredential `yaml:"rows"`
}

// AuthCredential is one example of a valid or an invalid credential.
type AuthCredential struct {
	Row
	Name       string      `yaml:"name"`
	Mechanism  string      `yaml:"mechanism,optional"`
	Username   *string     `yaml:"username,optional"`
	Password   *string     `yaml:"password,optional"`
	AuthSource *string     `yaml:"authSource,optional"`
	Database   string      `yaml:"database,optional"`
	Properties Map[string] `yaml:"properties,optional"`
	Values     []string    `yaml:"values,optional"`
	Source     string      `yaml:"source,optional"` // the resolved source of a valid credential
	Error      string      `yaml:"error,optional"`  // the error for an invalid credential
}

// Auth reads the directory of authentication tables.
func (t *Tables) Auth() Auth {
	return Auth{
		Mechanisms:   Read[AuthMechanisms](t, "auth/mechanisms.yaml"),
		Properties:   Read[AuthProperties](t, "auth/properties.yaml"),
		Environments: Read[AuthEnvironments](t, "auth/environments.yaml"),
		Regions:      Read[AuthRegions](t, "auth/regions.yaml"),
		Commands:     Read[AuthCommands](t, "auth/commands.yaml"),
		FaaS:         Read[FaaS](t, "auth/faas.yaml"),
		Credentials:  Read[AuthCredentials](t, "auth/credentials.yaml"),
	}
}
