package uri_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/uri"
)

const secret = "hunter2"

// An error never quotes text that may be userinfo, however malformed it is.
func TestErrorsShowNoPassword(t *testing.T) {
	for _, in := range []string{
		"mongodb://admin:hunter2/secret@db.example/",
		"mongodb://admin:hunter2",
		"mongodb://admin:hunter2,b:hunter2",
		"mongodb://admin:27017hunter2@",
		"mongodb://admin:a@hunter2:x/y@db.example",
		"mongodb://admin:pass#hunter2@db.example",
		"mongodb://admin:pass?hunter2@db.example",
		"mongodb://admin:1?hunter2=x@db.example",
		"mongodb://admin:1/?hunter2=x@db.example",
		"mongodb://admin:1/hunter2@db.example",
		"mongodb://admin:1/hunter2@db.example/?appName=x",
		"mongodb://admin:1/a?hunter2=b@db.example/?appName=x",
		"mongodb://admin:1/a?maxPoolSize=hunter2@db.example",
		"mongodb://admin:[hunter2@db.example",
		"mongodb://[hunter2/x@db.example",
		"mongodb://admin:%zzhunter2@db.example",
		"mongodb://hunter2\n",
		"mongodb+srv://admin:hunter2/x@db.example",
		"mongodb+srv://admin:1/hunter2@db.example",
		"mongodb://db.example/?authMechanismProperties=hunter2",
		"mongodb://db.example/?readPreference=hunter2&w=hunter2,&retryWrites=hunter2&compressors=hunter2",
		"mongodb://db.example/?tls=hunter2",
		"mongodb://db.example/?proxyPassword=hunter2",
	} {
		t.Run(in, func(t *testing.T) {
			cs, err := uri.Parse(in)
			if err != nil {
				wantNoSecret(t, "the error", err.Error())
				return
			}
			wantNoSecret(t, "the warnings", strings.Join(cs.Warnings, "; "))
			if !strings.Contains(in, "readPreference") { // a value in its place is shown
				wantNoSecret(t, "the string", cs.String())
			}
		})
	}
}

// Neither does an error of a credential: a program may have put a secret into the wrong field.
func TestErrorsShowNoMisplacedSecret(t *testing.T) {
	for _, in := range []string{
		"authMechanism=MONGODB-X509&authSource=hunter2",
		"authMechanism=hunter2",
		"authMechanism=GSSAPI&authMechanismProperties=CANONICALIZE_HOST_NAME:hunter2",
		"authMechanism=GSSAPI&authMechanismProperties=hunter2:x",
		"authMechanismProperties=hunter2:x",
		"authMechanism=MONGODB-OIDC&authMechanismProperties=ENVIRONMENT:hunter2",
		"authMechanism=MONGODB-AWS&authMechanismProperties=hunter2:x",
	} {
		t.Run(in, func(t *testing.T) {
			user := "ada@"
			if strings.Contains(in, "X509") || strings.Contains(in, "OIDC") || strings.Contains(in, "AWS") {
				user = ""
			}
			cs, err := uri.Parse("mongodb://" + user + "db.example/?" + in)
			if err == nil {
				_, err = cs.Credential()
			}
			if err == nil {
				t.Fatal("it is accepted")
			}
			wantNoSecret(t, "the error", err.Error())
		})
	}
}

// Printing a value never prints its secrets.
func TestPrintedValuesShowNoSecret(t *testing.T) {
	credential := options.Credential{
		Username: new("ada"), Password: new(secret), AuthMechanism: new("PLAIN"),
		AuthMechanismProperties: map[string]string{"AWS_SESSION_TOKEN": secret},
	}
	client := options.Client{
		Auth: &credential, ProxyPassword: new(secret), TLSCertificateKeyFilePassword: new(secret),
		AppName: new("a \"b\" \n\xff"), ConnectTimeout: new(time.Second), Compressors: []string{"zlib"},
	}
	cs, err := uri.ParseWith("mongodb://ada:"+secret+"@db.example/?proxyHost=p&proxyUsername=u&proxyPassword="+secret, &client)
	if err != nil && !strings.Contains(err.Error(), "proxy") {
		t.Fatal(err)
	}
	if cs == nil {
		t.Fatal(err)
	}
	values := map[string]any{
		"Credential": credential, "Client": client, "ConnString": *cs,
		"AWSCredentials": options.AWSCredentials{AccessKeyID: "id", SecretAccessKey: secret, SessionToken: secret},
		"OIDCCredential": options.OIDCCredential{AccessToken: secret, RefreshToken: new(secret)},
		"OIDCArgs":       options.OIDCArgs{Version: 1, RefreshToken: new(secret)},
		"&Credential":    &credential, "&Client": &client, "&ConnString": cs,
		"&AWSCredentials": &options.AWSCredentials{SecretAccessKey: secret},
		"a list":          []options.AWSCredentials{{SecretAccessKey: secret}},
		"nested":          struct{ C *options.Credential }{&credential},
	}
	for name, v := range values {
		t.Run(name, func(t *testing.T) {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
				text := fmt.Sprintf(verb, v)
				wantNoSecret(t, verb, text)
				wantNoSecret(t, verb, strings.ToLower(text))
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Errorf("JSON: %v", err)
			}
			wantNoSecret(t, "JSON", string(text))
			var log strings.Builder
			slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
			slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
			wantNoSecret(t, "slog", log.String())
			wantNoSecret(t, "an error", fmt.Sprint(errors.New(fmt.Sprint(v))))
		})
	}
	if got, want := fmt.Sprintf("%+v", client.Auth), `options.Credential{"Username":"ada","Password":"redacted",`+
		`"AuthMechanism":"PLAIN","AuthMechanismProperties":"redacted"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := fmt.Sprint(client); !strings.Contains(got, `"ConnectTimeout":"1s"`) || !strings.Contains(got, `"Compressors":["zlib"]`) {
		t.Errorf("a client without its settings: %s", got)
	}
}

func wantNoSecret(t *testing.T, what, text string) {
	t.Helper()
	if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
		t.Errorf("%s shows the secret: %s", what, text)
	}
}
