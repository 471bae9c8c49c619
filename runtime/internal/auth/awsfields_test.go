package auth_test

import (
	"testing"

	"github.com/specdrivers/onion/generated/core/authtable"
)

// Servers read these names, and send two of them.
func TestFieldsOfAWSMessages(t *testing.T) {
	for want, got := range map[string]string{
		"r": authtable.AWSFieldClientNonce,
		"p": authtable.AWSFieldGS2CBFlag,
		"s": authtable.AWSFieldServerNonce,
		"h": authtable.AWSFieldHost,
		"a": authtable.AWSFieldAuthorization,
		"d": authtable.AWSFieldDate,
		"t": authtable.AWSFieldSecurityToken,
	} {
		if got != want {
			t.Errorf("%s is written as %s", want, got)
		}
	}
}
