package kms

// Provider describes a provider of a key management service.
type Provider struct {
	Name      string
	OnDemand  bool // without settings, the machine's credentials are used
	Token     bool // an access token may replace the settings
	AnyHost   bool // a host name needs no dot
	Settings  []Field
	MasterKey []Field // in the order in which to write them
	Port      int     // the port of an endpoint that names none
	Retry     []int   // response statuses that are worth another attempt
	RetryFrom int     // every status from this one on is worth another attempt; 0 for none
}

// Field is a field of a provider's settings or of its master keys.
type Field struct {
	Name     string
	Type     Type
	Optional bool
	Size     int // the length of bytes; 0 for any
}

// Type is the type of a field.
type Type uint8

// The types of fields. Bytes may be given in base64, too.
const (
	Text Type = iota
	Bytes
	Endpoint
	Boolean
)

// Retries reports whether a request is worth another attempt after a response with the status.
func (p Provider) Retries(status int) bool {
	for _, s := range p.Retry {
		if s == status {
			return true
		}
	}
	return p.RetryFrom > 0 && status >= p.RetryFrom
}
