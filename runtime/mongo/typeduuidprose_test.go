package mongo_test

import (
	"encoding/hex"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// withRepresentation replaces the option uuidRepresentation of other drivers: here it is a codec of the client.
func withRepresentation(t *testing.T, rep bson.UUIDRepresentation) *options.Client {
	t.Helper()
	codecs, err := bson.NewCodecs(bson.NewCodec(
		func(u bson.UUID) (bson.Binary, error) { return u.Binary(rep) },
		func(b bson.Binary) (bson.UUID, error) { return b.AsUUID(rep) }))
	if err != nil {
		t.Fatal(err)
	}
	return &options.Client{Codecs: codecs}
}

// UUID, "Implicit encoding" and "Implicit Decoding".
func TestUUIDProseRepresentationOfAClient(t *testing.T) {
	u, err := bson.ParseUUID("00112233-4455-6677-8899-aabbccddeeff")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rep     bson.UUIDRepresentation
		subtype byte
		data    string
	}{
		{bson.UUIDJavaLegacy, 3, "7766554433221100ffeeddccbbaa9988"},
		{bson.UUIDCSharpLegacy, 3, "33221100554477668899aabbccddeeff"},
		{bson.UUIDPythonLegacy, 3, "00112233445566778899aabbccddeeff"},
		{bson.UUIDStandard, 4, "00112233445566778899aabbccddeeff"},
		{bson.UUIDUnspecified, 0, ""},
	} {
		t.Run(tt.rep.String(), func(t *testing.T) {
			ctx := t.Context()
			c := connectWith(t, withRepresentation(t, tt.rep)).Database("shop").Collection("things")
			_, err := c.InsertOne(ctx, bson.Doc("_id", u))
			if tt.rep == bson.UUIDUnspecified {
				if err == nil {
					t.Error("a UUID is encoded")
				}
			} else if raw, findErr := c.FindOne(ctx, bson.D{}).Raw(); err != nil || findErr != nil {
				t.Error(err, findErr)
			} else if subtype, data, _ := raw.Lookup("_id").BinaryOK(); subtype != tt.subtype || hex.EncodeToString(data) != tt.data {
				t.Errorf("the _id is %d %x", subtype, data)
			}
			testImplicitDecoding(t, c, u, tt.rep)
		})
	}
}

func testImplicitDecoding(t *testing.T, c *mongo.Collection, u bson.UUID, rep bson.UUIDRepresentation) {
	t.Helper()
	other := rep
	if rep == bson.UUIDStandard || rep == bson.UUIDUnspecified {
		other = bson.UUIDPythonLegacy
	}
	standard, err := u.Binary(bson.UUIDStandard)
	if err != nil {
		t.Fatal(err)
	}
	legacy, err := u.Binary(other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", "decoding", "standard", standard, "legacy", legacy)); err != nil {
		t.Fatal(err)
	}
	decode := func(field string, into any) error {
		return c.FindOne(t.Context(), bson.Doc("_id", "decoding"), &options.FindOne{Projection: bson.Doc("_id", 0, field, 1)}).Decode(into)
	}
	for _, field := range []struct {
		name string
		want bson.Binary
		ours bool // it has the representation of the client
	}{{"standard", standard, rep == bson.UUIDStandard}, {"legacy", legacy, rep == other}} {
		var binary map[string]bson.Binary
		if err := decode(field.name, &binary); err != nil || !binary[field.name].Equal(field.want) {
			t.Errorf("%s is the binary value %v, %v", field.name, binary, err)
		}
		var typed map[string]bson.UUID
		if err := decode(field.name, &typed); (err == nil) != field.ours || field.ours && typed[field.name] != u {
			t.Errorf("%s is the UUID %v, %v", field.name, typed, err)
		}
	}
}
