package mongo

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/generated/options"
)

// AutoEncryption encrypts what a client sends and decrypts what it receives. It goes into the options of Connect.
type AutoEncryption struct{ options *options.AutoEncryption }

// NewAutoEncryption makes the AutoEncryption of options.Client. The options must not change while a client uses them. Only
// programs that call it link what encrypts.
func NewAutoEncryption(o *options.AutoEncryption) *AutoEncryption {
	if o == nil {
		o = &options.AutoEncryption{}
	}
	return &AutoEncryption{options: o}
}

// AutoEncryption returns the options.
func (a *AutoEncryption) AutoEncryption() *options.AutoEncryption { return a.options }

// Format prints the options that are set; secrets are replaced.
func (a *AutoEncryption) Format(f fmt.State, verb rune) { a.options.Format(f, verb) }

// MarshalJSON encodes the options that are set; secrets are replaced.
func (a *AutoEncryption) MarshalJSON() ([]byte, error) { return a.options.MarshalJSON() }

var errNotBuilt = errors.New("mongo: automatic encryption is not built yet")
