package uri_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/uri"
)

// zone is a resolver that keeps what it was asked.
type zone struct {
	asked   []string
	records []*net.SRV
	text    []string
	srvErr  error
	textErr error
}

func (z *zone) LookupSRV(_ context.Context, service, proto, name string) (string, []*net.SRV, error) {
	z.asked = append(z.asked, "_"+service+"._"+proto+"."+name)
	return "", z.records, z.srvErr
}

func (z *zone) LookupTXT(_ context.Context, name string) ([]string, error) {
	z.asked = append(z.asked, name)
	return z.text, z.textErr
}

func twoHosts() []*net.SRV {
	return []*net.SRV{{Target: "A.b.c.", Port: 1}, {Target: "a.B.c", Port: 1}, {Target: "d.b.c", Port: 2, Priority: 1, Weight: 5}} // which mean nothing
}

func resolve(t *testing.T, s string, z *zone, over *options.Client) (*uri.ConnString, error) {
	t.Helper()
	cs, err := uri.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	if over != nil {
		cs = cs.With(over)
	}
	return uri.Resolve(t.Context(), cs, z)
}

func TestResolveAsksForHostsAndOptions(t *testing.T) {
	for service, in := range map[string]string{
		"mongodb": "mongodb+srv://N.b.c", "other": "mongodb+srv://N.b.c/?srvServiceName=other",
	} {
		z := &zone{records: twoHosts(), text: []string{"replicaSet=rs&authSource=there"}}
		cs, err := resolve(t, in, z, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"_" + service + "._tcp.n.b.c", "n.b.c"}; !slices.Equal(z.asked, want) {
			t.Errorf("asked %q, want %q", z.asked, want)
		}
		if !slices.Equal(cs.Hosts, []string{"a.b.c:1", "d.b.c:2"}) || !*cs.Options.TLS || *cs.Options.ReplicaSet != "rs" {
			t.Errorf("got %q, TLS %v", cs.Hosts, *cs.Options.TLS)
		}
		if again, err := uri.Resolve(t.Context(), cs, z); again != cs || err != nil || len(z.asked) != 2 {
			t.Errorf("a second time it asks %q, %v", z.asked, err)
		}
	}
	z := &zone{}
	if cs, err := resolve(t, "mongodb://h", z, nil); err != nil || cs.Options.TLS != nil || len(z.asked) != 0 {
		t.Errorf("without SRV: asked %q, %v", z.asked, err)
	}
}

// ttlZone also knows how long an answer is valid.
type ttlZone struct{ zone }

func (z *ttlZone) LookupSRVWithTTL(ctx context.Context, service, proto, name string) ([]*net.SRV, time.Duration, error) {
	_, records, err := z.LookupSRV(ctx, service, proto, name)
	return records, time.Minute, err
}

func TestTimeToLiveOfAnAnswer(t *testing.T) {
	z := &ttlZone{zone{records: twoHosts()}}
	hosts, ttl, err := uri.LookupHosts(t.Context(), z, "n.b.c", "mongodb")
	if len(hosts) != 2 || ttl != time.Minute || err != nil || !slices.Equal(z.asked, []string{"_mongodb._tcp.n.b.c"}) {
		t.Errorf("%q, %v, %v; asked %q", hosts, ttl, err, z.asked)
	}
	hosts, refused, ttl, err := uri.RescanHosts(t.Context(), z, "n.b.c", "mongodb")
	if len(hosts) != 2 || len(refused) != 0 || ttl != time.Minute || err != nil {
		t.Errorf("%q, %q, %v, %v", hosts, refused, ttl, err)
	}
	z.srvErr = errors.New("no")
	if hosts, refused, ttl, err := uri.RescanHosts(t.Context(), z, "n.b.c", "mongodb"); hosts != nil || refused != nil || ttl != 0 || err == nil {
		t.Errorf("%q, %q, %v, %v", hosts, refused, ttl, err)
	}
	if _, ttl, err := uri.LookupHosts(t.Context(), &zone{records: twoHosts()}, "n.b.c", "mongodb"); ttl != 0 || err != nil {
		t.Errorf("%v, %v", ttl, err)
	}
}

// The name and the service are known before the look-up, for the polling.
func TestSRVName(t *testing.T) {
	for in, want := range map[string][2]string{
		"mongodb://a.b.c":                         {},
		"mongodb+srv://A.b.c":                     {"a.b.c", "mongodb"},
		"mongodb+srv://a.b.c/?srvServiceName=foo": {"a.b.c", "foo"},
	} {
		cs, err := uri.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if name, service := cs.SRVName(); [2]string{name, service} != want {
			t.Errorf("%s: %q, %q", in, name, service)
		}
	}
}

// The string's own options override those of the TXT record and the TLS that mongodb+srv implies. The parsed string
// does not change.
func TestOwnOptionsOverrideImpliedOnes(t *testing.T) {
	cs, err := uri.Parse("mongodb+srv://n.b.c/?tls=false&replicaSet=mine")
	if err != nil {
		t.Fatal(err)
	}
	got, err := uri.Resolve(t.Context(), cs, &zone{records: twoHosts(), text: []string{"replicaSet=theirs&authSource=there"}})
	if err != nil {
		t.Fatal(err)
	}
	if *got.Options.TLS || *got.Options.ReplicaSet != "mine" {
		t.Errorf("TLS %v, set %s", *got.Options.TLS, *got.Options.ReplicaSet)
	}
	if !slices.Equal(cs.Hosts, []string{"n.b.c"}) || cs.Options.Auth != nil {
		t.Errorf("the parsed string is now %q, %v", cs.Hosts, cs.Options.Auth)
	}
	if _, err := resolve(t, "mongodb+srv://n.b.c", &zone{records: twoHosts()}, &options.Client{ReplicaSet: new("rs")}); err != nil {
		t.Errorf("without a TXT record: %v", err)
	}
}

func TestSRVMaxHostsPicksHosts(t *testing.T) {
	for _, tt := range []struct {
		query string
		want  int
	}{{"", 2}, {"?srvMaxHosts=0", 2}, {"?srvMaxHosts=1", 1}, {"?srvMaxHosts=2", 2}, {"?srvMaxHosts=3", 2}} {
		cs, err := resolve(t, "mongodb+srv://n.b.c/"+tt.query, &zone{records: twoHosts()}, nil)
		if err != nil || len(cs.Hosts) != tt.want {
			t.Errorf("%s: %v, %v", tt.query, cs, err)
		}
	}
	hosts := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	firsts := map[string]bool{}
	for range 100 {
		picked := uri.Sample(hosts, 3)
		firsts[picked[0]] = true
		if slices.Sort(picked); len(slices.Compact(picked)) != 3 {
			t.Fatalf("picked %q", picked)
		}
	}
	if len(firsts) < 2 || !slices.IsSorted(hosts) {
		t.Errorf("it always begins with %v; the hosts are %q", firsts, hosts)
	}
	if got := uri.Sample(hosts, 0); len(got) != 8 {
		t.Errorf("0 picks %q", got)
	}
}

func TestAnswersOfDNSThatAreWrong(t *testing.T) {
	failed := errors.New("no such thing")
	const where = " (mongodb+srv needs them; name the hosts behind mongodb:// where there are none)"
	for _, tt := range []struct {
		name string
		zone zone
		want string
	}{
		{"no look-up", zone{srvErr: failed}, "looking up the SRV records of n.b.c" + where},
		{"no records", zone{}, "the name n.b.c has no SRV records" + where + "$"},
		{"no port", zone{records: []*net.SRV{{Target: "a.b.c"}}}, "the SRV records of n.b.c name a host with the port 0, which no server can have$"},
		{"no host name", zone{records: []*net.SRV{{Target: "a|.b.c", Port: 1}}}, "the SRV records of n.b.c name a host with a character that is not allowed in a host name$"},
		{"another domain", zone{records: []*net.SRV{{Target: "a.x.c", Port: 1}}}, "the SRV records of n.b.c name the host a.x.c, whose parent is not in the domain b.c$"},
		{"no look-up of options", zone{records: twoHosts(), textErr: failed}, "looking up the TXT record of n.b.c"},
		{"two TXT records", zone{records: twoHosts(), text: []string{"a=b", "c=d"}}, "the name n.b.c has more than one TXT record$"},
		{"no option", zone{records: twoHosts(), text: []string{"replicaSet"}}, "the TXT record of n.b.c"},
		{"an option of the string", zone{records: twoHosts(), text: []string{"tls=false"}}, "the TXT record of n.b.c"},
		{"a rule", zone{records: twoHosts(), text: []string{"loadBalanced=true"}}, "loadBalanced"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cs, err := resolve(t, "mongodb+srv://n.b.c", &tt.zone, nil)
			if err == nil || !strings.Contains(err.Error()+"$", tt.want) {
				t.Errorf("got  %v, %v\nwant %s", cs, err, tt.want)
			}
			if (tt.zone.srvErr != nil || tt.zone.textErr != nil) && !errors.Is(err, failed) {
				t.Errorf("%v does not wrap the cause", err)
			}
		})
	}
	// As in the connection string itself, an unknown option is no error; a warning names it.
	unknown := &zone{records: twoHosts(), text: []string{"replicaSet=rs&nobodyKnows=1"}}
	named, err := resolve(t, "mongodb+srv://n.b.c/?noneKnows=1", unknown, nil)
	if err != nil || named.Options.ReplicaSet == nil || *named.Options.ReplicaSet != "rs" {
		t.Errorf("an unknown option: %v, %v", named, err)
	} else if warnings := strings.Join(named.Warnings, "; "); !strings.Contains(warnings, "nobodyKnows") || !strings.Contains(warnings, "noneKnows") {
		t.Errorf("the warnings are %q", warnings)
	}
	missing := &zone{records: twoHosts(), textErr: &net.DNSError{IsNotFound: true}}
	if _, err := resolve(t, "mongodb+srv://n.b.c", missing, nil); err != nil {
		t.Errorf("a name without a TXT record: %v", err)
	}
	broken := &zone{records: twoHosts(), textErr: &net.DNSError{IsTimeout: true}}
	if _, err := resolve(t, "mongodb+srv://n.b.c", broken, nil); err == nil {
		t.Error("a look-up that timed out is taken for no record")
	}
}

// A look-up that the context ended names the context's cause.
func TestALookupEndsWithItsContext(t *testing.T) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	cs, err := uri.Parse("mongodb+srv://n.b.c")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := uri.Resolve(ctx, cs, &zone{records: twoHosts(), srvErr: errors.New("late")}); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

// An error in the program's options is not one of the connection string.
func TestCredentialErrorsNameTheirOrigin(t *testing.T) {
	callback := &options.Client{Auth: &options.Credential{AuthMechanism: new("MONGODB-X509"), Password: new("p")}}
	for _, tt := range []struct {
		name, in string
		over     *options.Client
		program  bool
	}{
		{"string", "mongodb://u:p@h/?authMechanism=MONGODB-X509", nil, false},
		{"program", "mongodb://h", callback, true},
		{"program, beside a user of the string", "mongodb://u:p@h", callback, true},
		{"string, with other options of the program", "mongodb://u:p@h/?authMechanism=MONGODB-X509", &options.Client{AppName: new("a")}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cs, err := uri.Parse(tt.in)
			if err == nil {
				if tt.over != nil {
					cs = cs.With(tt.over)
				}
				_, err = cs.Credential()
			}
			_, program := errors.AsType[fault.OptionError](err)
			if _, own := errors.AsType[fault.URIError](err); err == nil || program != tt.program || own == tt.program {
				t.Errorf("got %T, %v", err, err)
			}
		})
	}
}

func TestCredentialHasDefaults(t *testing.T) {
	for in, want := range map[string]string{
		"mongodb://u:p@h":                     "admin",
		"mongodb://u:p@h/db":                  "db",
		"mongodb://u:p@h/db?authSource=s":     "s",
		"mongodb://u@h/?authMechanism=GSSAPI": "$external mongodb",
		"mongodb://u@h/?authMechanism=GSSAPI&authMechanismProperties=SERVICE_NAME:x": "$external x",
	} {
		t.Run(in, func(t *testing.T) {
			cs, err := uri.Parse(in)
			if err != nil {
				t.Fatal(err)
			}
			c, err := cs.Credential()
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSpace(*c.AuthSource + " " + c.AuthMechanismProperties["SERVICE_NAME"])
			if got != want || cs.Options.Auth.AuthMechanismProperties == nil != (!strings.Contains(in, "Properties")) {
				t.Errorf("got %q, want %q; the string has %v", got, want, cs.Options.Auth.AuthMechanismProperties)
			}
		})
	}
	for _, in := range []string{"mongodb://h", "mongodb://h/db", "mongodb://h/?authSource=s"} {
		if cs, err := uri.Parse(in); err != nil {
			t.Error(err)
		} else if c, err := cs.Credential(); c != nil || err != nil {
			t.Errorf("%s: %v, %v", in, c, err)
		}
	}
}
