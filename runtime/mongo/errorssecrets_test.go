package mongo_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/uri"
	"github.com/specdrivers/onion/tools/mongotest"
)

const leaked = "hunter2"

// secretValues returns a value of every exported type that can hold a secret, by package and name. Reflection fills the
// fields of options, so that none is forgotten.
func secretValues(t *testing.T) map[string]any {
	kms := map[string]map[string]any{"aws": {"accessKeyId": "id", "secretAccessKey": leaked}, leaked: {leaked: leaked}}
	cs, err := uri.Parse("mongodb://ada:" + leaked + "@db.example/?unknown=" + leaked + "&proxyHost=p&proxyUsername=u&proxyPassword=" + leaked)
	if err != nil {
		t.Fatal(err)
	}
	credential := fillSecrets[options.Credential]()
	d := mongotest.Start(t, mongotest.Auth("ada", leaked))
	address, _ := url.Parse(d.URI())
	address.User = url.UserPassword("ada", leaked)
	client, err := mongo.Connect(t.Context(), address.String(), &options.Client{AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: "keys.vault", KMSProviders: map[string]map[string]any{
			"local": {"key": []byte(strings.Repeat(leaked, 14)[:96])},
		}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(t.Context()) })
	return map[string]any{
		"options.Client":                 options.Client{Auth: &credential, ProxyPassword: new(leaked), ConnectionString: new(leaked), TLSCertificateKeyFilePassword: new(leaked)},
		"options.Credential":             credential,
		"options.OIDCArgs":               fillSecrets[options.OIDCArgs](),
		"options.OIDCCredential":         fillSecrets[options.OIDCCredential](),
		"options.AWSCredentials":         fillSecrets[options.AWSCredentials](),
		"options.AutoEncryption":         options.AutoEncryption{KMSProviders: kms},
		"options.ClientEncryption":       options.ClientEncryption{KMSProviders: kms},
		"options.DataKey":                options.DataKey{KeyMaterial: []byte(leaked)},
		"mongo.AutoEncryption":           &mongo.AutoEncryption{KMSProviders: kms},
		"mongo.Client":                   client,
		"mongo.Database":                 client.Database("x"),
		"mongo.Collection":               client.Database("x").Collection("y"),
		"mongo.GridFSBucket":             client.Database("x").GridFSBucket(),
		"uri.ConnString":                 cs,
		"mongo.AutoEncryption, the zero": mongo.AutoEncryption{},
	}
}

// fillSecrets returns a T with the secret in every text, except in fields that cannot hold one.
func fillSecrets[T any]() T {
	var v T
	fields := reflect.ValueOf(&v).Elem()
	for i := range fields.NumField() {
		field := fields.Field(i)
		name := fields.Type().Field(i).Name
		switch {
		case !maySecret.MatchString(name):
		case field.Kind() == reflect.String:
			field.SetString(leaked)
		case field.Type() == reflect.TypeFor[*string]():
			field.Set(reflect.ValueOf(new(leaked)))
		case field.Type() == reflect.TypeFor[map[string]string]():
			field.Set(reflect.ValueOf(map[string]string{"A": leaked, leaked: "b"}))
		}
	}
	return v
}

// maySecret matches names of fields that can hold a secret. notSecret matches the exceptions.
var (
	maySecret = regexp.MustCompile(`(?i)password|secret|token|kmsproviders|keymaterial|mechanismproperties|connectionstring|^auth$|^autoencryption$|^own$`)
	notSecret = regexp.MustCompile(`(?i)callback|resume|^token$|^batchToken$`)
)

// Neither a verb, nor JSON, nor a log shows a secret: of a value, of a pointer, or of a value inside another.
func TestNothingPrintsASecret(t *testing.T) {
	for name, v := range secretValues(t) {
		t.Run(name, func(t *testing.T) {
			forms := []any{v, []any{v}, map[string]any{"k": v}, struct{ V any }{v}, fmt.Errorf("%v", v)}
			if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer {
				forms = append(forms, r.Elem().Interface())
			} else {
				p := reflect.New(r.Type())
				p.Elem().Set(r)
				forms = append(forms, p.Interface())
			}
			for _, form := range forms {
				// Not p and w: for a struct they are errors that vet reports, and fmt then prints fields without asking
				// any method.
				for _, verb := range "vsqdxXTbcoOUeEfFgGtz" {
					for _, flag := range []string{"", "+", "#", "-10", "010", " "} {
						wantNoSecret(t, "%"+flag+string(verb), fmt.Sprintf("%"+flag+string(verb), form))
					}
				}
				if text, err := json.Marshal(form); err == nil {
					wantNoSecret(t, "JSON", string(text))
				}
				if text, err := bson.MarshalExtJSON(bson.Doc("v", form), false); err == nil && !strings.HasPrefix(name, "options.") {
					wantNoSecret(t, "extended JSON", string(text))
				}
				var log strings.Builder
				slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", form)
				slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", form)
				wantNoSecret(t, "slog", log.String())
			}
		})
	}
}

func wantNoSecret(t *testing.T, how, text string) {
	t.Helper()
	bytes := strings.Trim(fmt.Sprint([]byte(leaked)), "[]")
	for _, form := range []string{leaked, fmt.Sprintf("%x", leaked), fmt.Sprintf("%X", leaked), bytes} {
		if strings.Contains(text, form) {
			t.Errorf("%s shows the secret: %.300s", how, text)
			return
		}
	}
}

// Every exported struct with a field that can hold a secret has a value in secretive.
func TestEveryTypeWithASecretIsTried(t *testing.T) {
	tried := secretValues(t)
	for _, folder := range []string{".", "encrypted", "../uri", "../fault", "../pool", "../mongodebug", "../../generated/options",
		"../../generated/event", "../../generated/description"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", folder, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok || !spec.Name.IsExported() {
					return true
				}
				if fields, ok := spec.Type.(*ast.StructType); ok && holdsSecret(fields) {
					if tried[file.Name.Name+"."+spec.Name.Name] == nil {
						t.Errorf("%s.%s can hold a secret and is not tried", file.Name.Name, spec.Name.Name)
					}
				}
				return true
			})
		}
	}
}

func holdsSecret(s *ast.StructType) bool {
	for _, field := range s.Fields.List {
		for _, name := range field.Names {
			if maySecret.MatchString(name.Name) && !notSecret.MatchString(name.Name) {
				return true
			}
		}
	}
	return false
}
