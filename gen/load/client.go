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
	URI     []string `yaml:"uri,optional"`     // options of the connection string that fill it
	Default string   `yaml:"default,optional"` // what holds when the field is nil
	Min     *int64   `yaml:"min,optional"`     // smallest value; of a duration in milliseconds
	Max     *int64   `yaml:"max,optional"`
	Merge   string   `yaml:"merge,optional"` // fields: the two values are merged field by field
	Secret  bool     `yaml:"secret,optional"`
}

// Client reads the table of client options.
func (t *Tables) Client() *Client { return Read[Client](t, "options/client.yaml") }
