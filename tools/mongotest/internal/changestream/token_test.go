package changestream_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/changestream"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

func data(d bson.Raw) string {
	s, _ := d.Lookup("_data").StringOK()
	return s
}

// Tokens as servers write them.
func TestTokens(t *testing.T) {
	id := bson.ObjectID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	key, err := bson.Marshal(bson.Doc("_id", id))
	if err != nil {
		t.Fatal(err)
	}
	entry := &store.Entry{Time: store.MakeTimestamp(0x64BEB9F3, 1), Op: store.Insert, DB: "db", Name: "c", UUID: bson.UUID{0xAA, 15: 0xBB}, Key: key, After: key}
	event := func(wire int32) bson.Raw {
		list, err := (&changestream.Stream{DB: "db", Collection: "c", Wire: wire}).Events(entry)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d events, %v", len(list), err)
		}
		return list[0].Token.Document()
	}
	const uuid = "5A1004" + "AA0000000000000000000000000000BB"
	tests := []struct {
		name string
		got  bson.Raw
		want string
	}{
		{"time on 5.0", changestream.HighWaterMark(13, entry.Time).Document(), "8264BEB9F3000000012B0229296E04"},
		{"time on 7.0", changestream.HighWaterMark(21, entry.Time).Document(), "8264BEB9F3000000012B0429296E1404"},
		{"insert on 5.0", event(13), "8264BEB9F3000000012B022C0100296E" + uuid + "46645F696400640102030405060708090A0B0C0004"},
		{"insert on 7.0", event(21), "8264BEB9F3000000012B042C0100296E" + uuid +
			"463C6F7065726174696F6E54797065003C696E736572740046646F63756D656E744B65790046645F696400640102030405060708090A0B0C000004"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if data(test.got) != test.want {
				t.Errorf("got  %s\nwant %s", data(test.got), test.want)
			}
			parsed, err := changestream.ParseToken(test.got)
			if err != nil || parsed.Time != entry.Time || data(parsed.Document()) != test.want {
				t.Errorf("parsed as %+v, %v", parsed, err)
			}
		})
	}
}

// Tokens of numbers order as the numbers do.
func TestTokensOrderByKey(t *testing.T) {
	last := ""
	for _, id := range []any{nil, -70000, -300, -2, -1, 0, 1, 2, 127, 128, 300, 70000, "", "a", "a\x00", "ab", bson.Doc("a", 1), bson.Binary{Data: []byte{1}}, false, true, bson.DateTime(-1), bson.DateTime(1)} {
		key, err := bson.Marshal(bson.Doc("_id", id))
		if err != nil {
			t.Fatal(err)
		}
		list, err := (&changestream.Stream{DB: "db", Wire: 21}).Events(&store.Entry{Time: 1, Op: store.Delete, DB: "db", Name: "c", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		now := data(list[0].Token.Document())
		if now <= last {
			t.Errorf("the token of %v is not after the one before:\n%s\n%s", id, last, now)
		}
		last = now
	}
}

func FuzzParseToken(f *testing.F) {
	for _, s := range []string{"", "82", "8264BEB9F3000000012B0229296E04", "8264BEB9F3000000012B042C0100296E5A1004", "8264BEB9F300000001FF"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := bson.Marshal(bson.Doc("_data", s))
		if err != nil {
			t.Skip()
		}
		token, err := changestream.ParseToken(d)
		if err != nil {
			return
		}
		again, err := changestream.ParseToken(token.Document())
		if err != nil || again.Time != token.Time || again.Key != token.Key {
			t.Errorf("%s is %+v, again %+v, %v", s, token, again, err)
		}
	})
}
