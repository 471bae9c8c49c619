//go:build krb5

package mongokrb5

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/keytab"

	"github.com/specdrivers/onion/generated/options"
)

// kdc is MIT's key distribution center, with a database of its own in a directory of the test.
type kdc struct {
	t   *testing.T
	dir string
	env []string
}

// find looks for a program of Debian's packages krb5-kdc and krb5-admin-server. Not every PATH has them.
func find(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/sbin/", "/usr/local/sbin/"} {
		if path, err := exec.LookPath(dir + name); err == nil {
			return path
		}
	}
	t.Skipf("SKIPPED, NOTHING WAS TESTED: %s is missing; install Debian's krb5-kdc and krb5-admin-server", name)
	return ""
}

func startKDC(t *testing.T) *kdc {
	t.Helper()
	server, util := find(t, "krb5kdc"), find(t, "kdb5_util")
	find(t, "kadmin.local")
	k := &kdc{t: t, dir: t.TempDir()}
	port := freePort(t)
	k.write("krb5.conf", fmt.Sprintf(`[libdefaults]
 default_realm = %[1]s
 dns_lookup_kdc = false
 dns_lookup_realm = false
 udp_preference_limit = 1
[realms]
 %[1]s = {
  kdc = 127.0.0.1:%[2]d
 }
[domain_realm]
 .example.com = %[1]s
`, realm, port))
	k.write("kdc.conf", fmt.Sprintf(`[kdcdefaults]
 kdc_listen = 127.0.0.1:%[2]d
 kdc_tcp_listen = 127.0.0.1:%[2]d
[realms]
 %[1]s = {
  database_name = %[3]s/principal
  key_stash_file = %[3]s/stash
  supported_enctypes = aes256-cts-hmac-sha1-96:normal
 }
`, realm, port, k.dir))
	k.env = append(os.Environ(), "KRB5_CONFIG="+k.path("krb5.conf"), "KRB5_KDC_PROFILE="+k.path("kdc.conf"))
	k.run(util, "create", "-s", "-r", realm, "-P", "master")
	k.admin("addprinc -pw secret ada")
	k.admin("addprinc -randkey mongodb/db.example.com")
	k.admin("ktadd -norandkey -k " + k.path("service.keytab") + " mongodb/db.example.com")
	k.admin("ktadd -norandkey -k " + k.path("ada.keytab") + " ada")
	process := exec.Command(server, "-n", "-r", realm)
	process.Env = k.env
	var output bytes.Buffer
	process.Stdout, process.Stderr = &output, &output
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		process.Process.Kill()
		process.Wait() // the error says that it was killed
		if t.Failed() {
			t.Logf("krb5kdc: %s", output.String())
		}
	})
	awaitPort(t, port)
	return k
}

// freePort finds a free port below those that a system assigns by itself, so no other socket is given it.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// awaitPort waits for a foreign process that gives no other sign of being ready.
func awaitPort(t *testing.T, port int) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 500 {
		if nc, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			nc.Close()
			return
		}
		<-tick.C
	}
	t.Fatal("krb5kdc does not listen")
}

func (k *kdc) path(name string) string { return filepath.Join(k.dir, name) }

func (k *kdc) write(name, text string) {
	if err := os.WriteFile(k.path(name), []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kdc) admin(query string) {
	k.t.Helper()
	k.run(find(k.t, "kadmin.local"), "-r", realm, "-q", query)
}

func (k *kdc) run(name string, args ...string) {
	k.t.Helper()
	command := exec.Command(name, args...)
	command.Env = k.env
	if out, err := command.CombinedOutput(); err != nil {
		k.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// TestRealKDC gets tickets from a real KDC, with a password and with a keytab. The service's side must accept them.
func TestRealKDC(t *testing.T) {
	k := startKDC(t)
	for _, tc := range []struct {
		name, password, keytab string
		works                  bool
	}{
		{"a password", "secret", "", true},
		{"a wrong password", "wrong", "", false},
		{"a keytab", "", k.path("ada.keytab"), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := New(Config{File: k.path("krb5.conf"), Keytab: tc.keytab})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			credential := &options.Credential{Username: new("ada@" + realm)}
			if tc.password != "" {
				credential.Password = &tc.password
			}
			c, err := m.Start(t.Context(), credential, "db.example.com:27017")
			if tc.works != (err == nil) {
				t.Fatalf("err = %v, want success %v", err, tc.works)
			}
			if err != nil {
				return
			}
			keys, err := keytab.Load(k.path("service.keytab"))
			if err != nil {
				t.Fatal(err)
			}
			a := &acceptor{t: t, keys: keys}
			token, _, err := c.Next(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if who := a.accept(token); who != "ada@"+realm {
				t.Errorf("the ticket is of %s", who)
			}
			out, done, err := c.Next(t.Context(), a.offer(7, 0))
			if err != nil || !done {
				t.Fatalf("done %v, %v", done, err)
			}
			var wrapped gssapi.WrapToken
			if err := wrapped.Unmarshal(out, false); err != nil {
				t.Fatal(err)
			}
			if ok, err := wrapped.Verify(a.key, keyusage.GSSAPI_INITIATOR_SEAL); !ok {
				t.Error(err)
			}
		})
	}
}
