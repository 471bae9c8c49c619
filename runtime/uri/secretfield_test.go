package uri_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
)

// Everything except the secrets is printed.
func TestOnlySecretsAreReplaced(t *testing.T) {
	for _, c := range []struct {
		v       any
		secrets []string
	}{
		{options.Client{}, []string{"ConnectionString", "ProxyPassword", "TLSCertificateKeyFilePassword"}},
		{options.Credential{}, []string{"AuthMechanismProperties", "Password"}},
		{options.OIDCArgs{}, []string{"RefreshToken"}},
		{options.OIDCCredential{}, []string{"AccessToken", "RefreshToken"}},
		{options.AWSCredentials{}, []string{"SecretAccessKey", "SessionToken"}},
		{options.AutoEncryption{}, []string{"KMSProviders"}},
		{options.ClientEncryption{}, []string{"KMSProviders"}},
		{options.DataKey{}, []string{"KeyMaterial"}},
	} {
		ty := reflect.TypeOf(c.v)
		t.Run(ty.Name(), func(t *testing.T) {
			var replaced []string
			for i := range ty.NumField() {
				v := reflect.New(ty).Elem()
				fill(v.Field(i))
				text := fmt.Sprint(v)
				if !strings.Contains(text, ty.Field(i).Name) {
					t.Errorf("%s is not printed: %s", ty.Field(i).Name, text)
				}
				if strings.Contains(text, "redacted") {
					replaced = append(replaced, ty.Field(i).Name)
				}
			}
			slices.Sort(replaced)
			if !slices.Equal(replaced, c.secrets) {
				t.Errorf("the fields %v are replaced, want %v", replaced, c.secrets)
			}
		})
	}
}

// everyInterface implements every interface that options accept. Nothing calls its methods.
type everyInterface struct {
	options.Dialer
	options.Logger
	options.Resolver
	options.AutoEncrypter
	options.KeyVaultClient
	options.Mechanism
}

// fill sets v to some value that is not its zero value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { panic("not called") }))
	case reflect.Interface:
		v.Set(reflect.ValueOf(everyInterface{}))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0)))
		} else {
			fill(v.Field(0))
		}
	default:
		v.SetInt(1)
	}
}
