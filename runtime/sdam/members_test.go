package sdam_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/sdam"
)

// The hello of a member decides which servers stay in the topology and which join.
func TestWhoBelongsToTheSet(t *testing.T) {
	named := func(s description.Server, me string) description.Server { s.Me = me; return s }
	for _, tt := range []struct {
		name  string
		model sdam.Model
		hears []description.Server
		want  string
	}{
		{"a standalone that is the only seed", sdam.Model{Seeds: []string{"a:1"}},
			[]description.Server{{Address: "a:1", Type: description.Standalone}}, "Single a:1=Standalone"},
		{"a standalone among seeds", sdam.Model{Seeds: []string{"a:1", "b:1"}},
			[]description.Server{{Address: "a:1", Type: description.Standalone}}, "Unknown b:1=Unknown"},
		{"standalones that are all seeds", sdam.Model{Seeds: []string{"a:1", "b:1"}},
			[]description.Server{{Address: "a:1", Type: description.Standalone}, {Address: "b:1", Type: description.Standalone}}, "Unknown"},
		{"a member of another set", sdam.Model{Seeds: []string{"a:1", "b:1"}, SetName: "other"},
			[]description.Server{member("a:1", description.RSSecondary, "a:1")}, "ReplicaSetNoPrimary b:1=Unknown"},
		{"a member by its own name", sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"},
			[]description.Server{named(member("a:1", description.RSSecondary, "a:1"), "a:1")}, "ReplicaSetNoPrimary a:1=RSSecondary"},
		{"a member that has another name", sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"},
			[]description.Server{named(member("a:1", description.RSSecondary, "b:1"), "b:1")}, "ReplicaSetNoPrimary b:1=Unknown"},
		{"a member that has another name than the primary knows", sdam.Model{Seeds: []string{"a:1", "b:1"}, SetName: "rs"},
			[]description.Server{primary("a:1", 1, "a:1", "b:1"), named(member("b:1", description.RSSecondary), "c:1")},
			"ReplicaSetWithPrimary a:1=RSPrimary"},
		{"a host that is listed twice", sdam.Model{Seeds: []string{"a:1"}, SetName: "rs"},
			[]description.Server{{Address: "a:1", Type: description.RSSecondary, SetName: "rs", Hosts: []string{"c:1", "b:1", "c:1"}, Passives: []string{"b:1"}}},
			"ReplicaSetNoPrimary a:1=RSSecondary b:1=Unknown c:1=Unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDeployment(&tt.model)
			for _, s := range tt.hears {
				d.apply(s)
			}
			if got := d.types(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Before 6.0, a primary is compared only with one that has reported both setVersion and electionId.
func TestAnOldPrimaryIsComparedWithAWholePair(t *testing.T) {
	old := func(address string, version int64) description.Server {
		s := member(address, description.RSPrimary, "a:1", "b:1")
		s.MaxWireVersion, s.SetVersion = 16, &version
		return s
	}
	d := newDeployment(&sdam.Model{Seeds: []string{"a:1", "b:1"}, SetName: "rs"})
	d.apply(old("a:1", 2))
	next := old("b:1", 1)
	next.ElectionID = &bson.ObjectID{1}
	d.apply(next)
	if got := d.types(); got != "ReplicaSetWithPrimary a:1=Unknown b:1=RSPrimary" {
		t.Error(got)
	}
}

// Effects are not empty as soon as one list has an entry.
func TestEffectsWithAnEntryAreNotEmpty(t *testing.T) {
	if fx := new(sdam.Effects); !fx.IsEmpty() {
		t.Error("no effects are some")
	}
	lists := reflect.TypeFor[sdam.Effects]()
	for i := range lists.NumField() {
		for j := range lists.NumField() {
			var fx sdam.Effects
			for _, k := range []int{i, j} {
				list := reflect.ValueOf(&fx).Elem().Field(k)
				list.Set(reflect.MakeSlice(list.Type(), 1, 1))
			}
			if fx.IsEmpty() {
				t.Errorf("%s and %s are nothing", lists.Field(i).Name, lists.Field(j).Name)
			}
		}
	}
}

// The error names the first host that is not an address: hosts come before passives, and passives before arbiters.
func TestTheFirstHostThatIsNotAnAddressIsNamed(t *testing.T) {
	for _, tt := range []struct {
		fields []any
		want   string
	}{
		{[]any{"hosts", bson.A{"a b"}, "passives", bson.A{"c d"}, "arbiters", bson.A{"e f"}}, `"a b"`},
		{[]any{"passives", bson.A{"c d"}, "arbiters", bson.A{"e f"}}, `"c d"`},
		{[]any{"arbiters", bson.A{"e f"}}, `"e f"`},
	} {
		s := sdam.ServerFromHello("s:1", replyWith(t, append([]any{"ok", 1}, tt.fields...)...), time.Time{})
		if s.Err == nil || !strings.HasSuffix(s.Err.Error(), tt.want) {
			t.Errorf("%v, want %s", s.Err, tt.want)
		}
	}
}
