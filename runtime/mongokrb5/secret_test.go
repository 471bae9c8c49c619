package mongokrb5

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jcmturner/gokrb5/v8/config"

	"github.com/specdrivers/onion/generated/options"
)

// Printing a mechanism shows no password, and another password makes another client.
func TestAMechanismShowsNoPassword(t *testing.T) {
	m := newMechanism(config.New(), Config{})
	defer m.Close()
	login := func(password *string) any {
		t.Helper()
		c, err := m.login(&options.Credential{Username: new("ada@EXAMPLE.ORG"), Password: password})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := login(new("hunter2"))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if text := fmt.Sprintf(verb, m); strings.Contains(text, "hunter2") || strings.Contains(text, fmt.Sprintf("%x", "hunter2")) {
			t.Errorf("%s shows the password: %s", verb, text)
		}
	}
	if again := login(new("hunter2")); again != first {
		t.Error("the same password makes another client")
	}
	if other := login(new("hunter3")); other == first {
		t.Error("another password does not make another client")
	}
}
