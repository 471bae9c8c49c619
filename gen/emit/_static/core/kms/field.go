package kms

// Provider describes a provider of a key management service.
type Provider struct {
	Name      string
	OnDemand  bool // without settings, the credentials of the machine serve
	Token     bool // an access token may replace the settings
	AnyHost   bool // the name of a host needs no dot
	Settings  []Field
	MasterKey []Field // in the order in which they are written
	Port      int     // of an endpoint that names none
	Retry     []int   // statuses of answers that are worth another attempt
	RetryFrom int     // the first of the statuses that all are, 0 without
}

// Field is a field of a provider's settings or of its master keys.
type Field struct {
	Name     string
	Type     Type
	Optional bool
	Size     int // of bytes, 0 for any
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

// Retries reports whether a request is worth another attempt after an answer with a status.
func (p Provider) Retries(status int) bool {
	for _, s := range p.Retry {
		if s == status {
			return true
		}
	}
	return p.RetryFrom > 0 && status >= p.RetryFrom
}
