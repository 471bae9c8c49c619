package concern

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// fields closes elements as a document.
func fields(elements []byte) string {
	dst, start := bson.AppendDocumentStart(nil)
	return bson.Raw(bson.AppendDocumentEnd(append(dst, elements...), start)).String()
}

func TestAppendWrite(t *testing.T) {
	for _, c := range []struct {
		name    string
		wc      *options.WriteConcern
		timeout bool
		want    string
		fails   bool
	}{
		{name: "nil", want: `{}`},
		{name: "empty", wc: &options.WriteConcern{}, want: `{}`},
		{name: "majority", wc: &options.WriteConcern{W: "majority"}, want: `{"writeConcern":{"w":"majority"}}`},
		{name: "everything", wc: &options.WriteConcern{W: 3, Journal: new(true), WTimeout: new(time.Second)}, want: `{"writeConcern":{"w":3,"j":true,"wtimeout":1000}}`},
		{name: "a timeout replaces wtimeout", wc: &options.WriteConcern{W: 3, WTimeout: new(time.Second)}, timeout: true, want: `{"writeConcern":{"w":3}}`},
		{name: "nothing but wtimeout", wc: &options.WriteConcern{WTimeout: new(time.Second)}, timeout: true, want: `{}`},
		{name: "negative", wc: &options.WriteConcern{W: -1}, fails: true},
		{name: "unacknowledged and journaled", wc: &options.WriteConcern{W: 0, Journal: new(true)}, fails: true},
		{name: "negative time", wc: &options.WriteConcern{WTimeout: new(-time.Second)}, fails: true},
		{name: "of another type", wc: &options.WriteConcern{W: 1.5}, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := AppendWrite(nil, "writeConcern", c.wc, c.timeout)
			if (err != nil) != c.fails {
				t.Fatal(err)
			}
			if err == nil && fields(got) != c.want {
				t.Errorf("got %s, want %s", fields(got), c.want)
			}
		})
	}
}

func TestAppendPreference(t *testing.T) {
	rp := &options.ReadPreference{Mode: options.Nearest, TagSets: []options.TagSet{{{Name: "dc", Value: "ny"}}, {}}, MaxStaleness: new(90 * time.Second)}
	if got, want := fields(AppendPreference(nil, "p", rp)), `{"p":{"mode":"nearest","tags":[{"dc":"ny"},{}],"maxStalenessSeconds":90}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	unlimited := &options.ReadPreference{Mode: options.Secondary, MaxStaleness: new(-time.Second)}
	if got, want := fields(AppendPreference(nil, "p", unlimited)), `{"p":{"mode":"secondary"}}`; got != want {
		t.Errorf("AppendPreference without a maximum staleness appends %s, want %s", got, want)
	}
	if got, want := fields(AppendPreference(nil, "p", nil)), `{"p":{"mode":"primary"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAppendRead(t *testing.T) {
	after := bson.Timestamp{T: 1, I: 2}
	for name, c := range map[string]struct {
		rc        *options.ReadConcern
		after, at bson.Timestamp
		want      string
	}{
		"nothing":        {want: `{}`},
		"a level":        {rc: &options.ReadConcern{Level: options.ReadConcernMajority}, want: `{"c":{"level":"majority"}}`},
		"a causal read":  {after: after, want: `{"c":{"afterClusterTime":{"$timestamp":{"t":1,"i":2}}}}`},
		"a snapshot":     {rc: &options.ReadConcern{Level: options.ReadConcernSnapshot}, at: after, want: `{"c":{"level":"snapshot","atClusterTime":{"$timestamp":{"t":1,"i":2}}}}`},
		"an empty level": {rc: &options.ReadConcern{}, want: `{}`},
	} {
		if got := fields(AppendRead(nil, "c", c.rc, c.after, c.at)); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
