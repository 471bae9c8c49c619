package load

// Client is specs/options/client.yaml: the fields of options.Client.
type Client struct {
	Header
	Rows []ClientOption `yaml:"rows"`
}

// ClientOption is one field.
type ClientOption struct {
	Row
	Field   string   `yaml:"field"`
	Go      string   `yaml:"go"`               // Go type
	URI     []string `yaml:"uri,optional"`     // connection string options that set it
	Default string   `yaml:"default,optional"` // the value to use when the field is nil
	Min     *int64   `yaml:"min,optional"`     // smallest value; in milliseconds for a duration
	Max     *int64   `yaml:"max,optional"`
	Merge   string   `yaml:"merge,optional"` // fields: the two values are merged field by field
	Secret  bool     `yaml:"secret,optional"`
}

// Client reads the table of client options.
func (t *Tables) Client() *Client { return Read[Client](t, "options/client.yaml") }
