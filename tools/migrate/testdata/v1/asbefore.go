package shop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsontype"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/gridfs"
	"go.mongodb.org/mongo-driver/mongo/options"
	"go.mongodb.org/mongo-driver/mongo/readconcern"
	"go.mongodb.org/mongo-driver/mongo/readpref"
	"go.mongodb.org/mongo-driver/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/x/bsonx/bsoncore"
)

// A day is stored as a date or as text.
type day struct{ time.Time }

// UnmarshalBSONValue reads both forms.
func (d *day) UnmarshalBSONValue(t bsontype.Type, data []byte) (err error) {
	switch t {
	case bson.TypeString:
		text, _, ok := bsoncore.ReadString(data)
		if !ok {
			return errors.New("no text")
		}
		d.Time, err = time.Parse(time.DateOnly, text)
	case bson.TypeDateTime:
		d.Time, _, _ = bsoncore.ReadTime(data)
	case bsontype.Binary:
		_, bytes, _, ok := bsoncore.ReadBinary(data)
		fmt.Println(bytes, ok)
	}
	return err
}

type linked struct {
	UserID string `bson:"user_id"`
	Count  int
}

type counted struct{ Count int }

func unmarshalAsBefore(data []byte, into any, v bson.RawValue) {
	var m bson.M
	var l linked
	var c counted
	var many []map[string]interface{}
	_ = bson.Unmarshal(data, &m)
	_ = bson.Unmarshal(data, &l)
	_ = bson.Unmarshal(data, &c)
	_ = bson.UnmarshalExtJSON(data, false, &many)
	_ = bson.Unmarshal(data, into)
	_ = v.Unmarshal(&m)
}

func localTimes(d primitive.DateTime, v bson.RawValue, since time.Time) {
	fmt.Println(d.Time().Format(time.Kitchen), v.Time(), d.Time().UTC(), d.Time().After(since))
}

func cutNumbers(raw bson.Raw) (int64, bool) {
	if raw.Lookup("n").AsInt64() > 5 {
		return 5, true
	}
	return raw.Lookup("n").AsInt64OK()
}

func hexDigits(text, mode string) (readpref.Mode, error) {
	if !primitive.IsValidObjectID(text) {
		return 0, errors.New("no ObjectID")
	}
	return readpref.ModeFromString(mode)
}

func fileIDs(ctx context.Context, db *mongo.Database, name string) (primitive.ObjectID, error) {
	bucket, err := gridfs.NewBucket(db)
	if err != nil {
		return primitive.NilObjectID, err
	}
	if limit, ok := ctx.Deadline(); ok {
		if err := bucket.SetWriteDeadline(limit); err != nil {
			return primitive.NilObjectID, err
		}
		_ = bucket.SetReadDeadline(limit)
	}
	stream, err := bucket.OpenDownloadStreamByName(name)
	if err != nil {
		return primitive.NilObjectID, err
	}
	if id, ok := stream.GetFile().ID.(primitive.ObjectID); ok {
		return id, nil
	}
	return primitive.NilObjectID, errors.New("no ObjectID")
}

func objectOfD(d bson.D) ([]byte, error) { return json.Marshal(d) }

func connectWithTags(ctx context.Context, uri string) (*mongo.Client, error) {
	return mongo.Connect(ctx, options.Client().ApplyURI(uri).SetAppName("shop").
		SetBSONOptions(&options.BSONOptions{UseJSONStructTags: true}))
}

func connectDirectly(ctx context.Context, host, ca string) (*mongo.Client, error) {
	uri := "mongodb://" + host + "/?connect=direct&sslCertificateAuthorityFile=" + ca + "&tlsCertificateFile=c.pem&w=1&maxStaleness=90"
	return mongo.Connect(ctx, options.Client().ApplyURI(uri))
}

func selectionFailed(err error) bool {
	return err != nil && strings.Contains(err.Error(), "server selection error")
}

func connectWithAll(ctx context.Context, opts []*options.ClientOptions) (*mongo.Client, error) {
	return mongo.Connect(ctx, opts...)
}

func decoders() (func([]byte, interface{}) error, map[string]func(interface{}) ([]byte, error)) {
	return bson.Unmarshal, map[string]func(interface{}) ([]byte, error){"bson": bson.Marshal, "json": json.Marshal}
}

func waitsFor(w *writeconcern.WriteConcern, r *readconcern.ReadConcern) (interface{}, string) {
	return w.GetW(), r.GetLevel()
}
