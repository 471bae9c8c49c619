package auth_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

// connect authenticates one new connection and returns the error.
func connect(t *testing.T, d *mongotest.Deployment, credential *options.Credential) error {
	t.Helper()
	a, err := auth.New(credential, auth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return authenticate(t, d, a)
}

func authenticate(t *testing.T, d *mongotest.Deployment, a *auth.Authenticator) error {
	t.Helper()
	c, err := (&conn.Dialer{}).Dial(t.Context(), d.Hosts()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	attempt, err := a.Begin(t.Context(), c.Address())
	if err != nil {
		return err
	}
	var h conn.Handshake
	if err := attempt.AddTo(t.Context(), &h); err != nil {
		return err
	}
	if _, err := c.Handshake(t.Context(), &h); err != nil {
		t.Fatal(err)
	}
	return attempt.Finish(t.Context(), c)
}

func credential(mechanism, source, username, password string) *options.Credential {
	c := &options.Credential{AuthSource: &source, Username: &username, Password: &password}
	if mechanism != "" {
		c.AuthMechanism = &mechanism
	}
	return c
}

func TestSCRAMAuthenticates(t *testing.T) {
	users := []mongotest.User{
		{Name: "both", Password: "both"},
		{Name: "sha1", Password: "sha1", Mechanisms: []string{"SCRAM-SHA-1"}},
		{Name: "unprepared", Password: "\U0001F600", Mechanisms: []string{"SCRAM-SHA-1"}}, // SASLprep knows no such character
		{Name: "sha256", Password: "sha256", Mechanisms: []string{"SCRAM-SHA-256"}},
		{Name: "IX", Password: "IX", Mechanisms: []string{"SCRAM-SHA-256"}},
		{Name: "I\u00adX", Password: "I\u00adV", Mechanisms: []string{"SCRAM-SHA-1"}}, // which prepares neither
		{Name: "\u2168", Password: "\u2163", Mechanisms: []string{"SCRAM-SHA-256"}},   // SASLprep applies to the password, not to the name
	}
	cases := []struct {
		name, mechanism, username, password string
		works                               bool
	}{
		{"negotiated", "", "both", "both", true},
		{"negotiated, SHA-1 alone", "", "sha1", "sha1", true},
		{"negotiated, SHA-256 alone", "", "sha256", "sha256", true},
		{"negotiated, SHA-1 alone, a password that SASLprep forbids", "", "unprepared", "\U0001F600", true},
		{"SHA-1, a password that SASLprep forbids", "SCRAM-SHA-1", "unprepared", "\U0001F600", true},
		{"SHA-1", "SCRAM-SHA-1", "both", "both", true},
		{"SHA-1, nothing is prepared", "SCRAM-SHA-1", "I\u00adX", "I\u00adV", true},
		{"SHA-1, a prepared password", "SCRAM-SHA-1", "I\u00adX", "IV", false},
		{"SHA-256", "SCRAM-SHA-256", "both", "both", true},
		{"mechanism that the user lacks", "SCRAM-SHA-256", "sha1", "sha1", false},
		{"unknown user", "", "nobody", "secret", false},
		{"wrong password", "", "both", "wrong", false},
		{"prepared password, plain", "", "IX", "IX", true},
		{"prepared password, soft hyphen", "SCRAM-SHA-256", "IX", "I\u00adX", true},
		{"roman numeral nine, prepared", "", "\u2168", "IV", true},
		{"roman numeral nine, soft hyphen", "SCRAM-SHA-256", "\u2168", "I\u00adV", true},
	}
	for _, version := range []string{"4.2", "8.0"} { // without and with speculative authentication
		opts := []mongotest.Option{mongotest.Version(version)}
		for _, u := range users {
			opts = append(opts, mongotest.WithUser(u))
		}
		d := mongotest.Start(t, opts...)
		for _, tc := range cases {
			t.Run(version+"/"+tc.name, func(t *testing.T) {
				err := connect(t, d, credential(tc.mechanism, "admin", tc.username, tc.password))
				if tc.works != (err == nil) {
					t.Fatalf("err = %v, want success %v", err, tc.works)
				}
				var failed fault.AuthError
				if err != nil && (!errors.As(err, &failed) || !fault.HasErrorCode(err, errcode.AuthenticationFailed)) {
					t.Errorf("err = %#v, want an AuthError around AuthenticationFailed", err)
				}
			})
		}
	}
}

func TestSpeculationSavesARoundTrip(t *testing.T) {
	d := mongotest.Start(t, mongotest.Auth("ada", "secret"))
	if err := connect(t, d, credential("", "admin", "ada", "secret")); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range d.Commands() {
		names = append(names, c.Name)
	}
	if len(names) != 2 || names[1] != "saslContinue" {
		t.Errorf("commands = %v, want the hello and one saslContinue", names)
	}
}

func TestPlainAuthenticates(t *testing.T) {
	d := mongotest.Start(t, mongotest.WithUser(mongotest.User{Name: "ada", DB: "$external", Password: "secret"}))
	if err := connect(t, d, credential("PLAIN", "$external", "ada", "secret")); err != nil {
		t.Error(err)
	}
	if err := connect(t, d, credential("PLAIN", "$external", "ada", "wrong")); err == nil {
		t.Error("a wrong password was accepted")
	}
}

// SASLprep rules the password out for SCRAM-SHA-256 alone. A client that negotiates learns first whether the user has
// SCRAM-SHA-256, and fails only then.
//
// Auth, "Default Authentication Methods" and "Errors".
func TestPasswordThatSASLprepForbids(t *testing.T) {
	const password, reason = "\U0001F600", "SASLprep"
	if _, err := auth.New(credential("SCRAM-SHA-256", "admin", "both", password), auth.Config{}); err == nil ||
		!strings.Contains(err.Error(), reason) {
		t.Errorf("chosen: err = %v, want one about %s", err, reason)
	}
	d := mongotest.Start(t, mongotest.Auth("both", "secret"))
	err := connect(t, d, credential("", "admin", "both", password))
	if err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("negotiated: err = %v, want one about %s", err, reason)
	}
	rotating := credential("SCRAM-SHA-256", "admin", "both", "")
	rotating.PasswordCallback = func(context.Context) (string, error) { return password, nil }
	if err = connect(t, d, rotating); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("of a callback: err = %v, want one about %s", err, reason)
	}
}
