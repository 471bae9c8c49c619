package shop

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
	"go.mongodb.org/mongo-driver/bson/bsontype"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/event"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/gridfs"
	"go.mongodb.org/mongo-driver/mongo/options"
	"go.mongodb.org/mongo-driver/mongo/readconcern"
	"go.mongodb.org/mongo-driver/mongo/readpref"
	"go.mongodb.org/mongo-driver/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/x/mongo/driver/auth"
	"go.mongodb.org/mongo-driver/x/mongo/driver/connstring"
)

func newClient(ctx context.Context, uri string) (*mongo.Client, error) {
	client, err := mongo.NewClient(options.Client().ApplyURI(uri))
	if err != nil {
		return nil, err
	}
	if err := client.Connect(ctx); err != nil {
		return nil, err
	}
	return client, nil
}

func newClientAssigned(ctx context.Context, opts *options.ClientOptions) *mongo.Client {
	client, err := mongo.NewClient(opts)
	if err != nil {
		log.Fatal(err)
	}
	err = client.Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func newClientCareless(ctx context.Context) *mongo.Client {
	client, _ := mongo.NewClient(options.Client().ApplyURI("mongodb://localhost"))
	client.Connect(ctx)
	return client
}

func connectNow(uri string) (*mongo.Client, error) {
	return mongo.Connect(context.TODO(), options.Client().ApplyURI(uri).SetMaxPoolSize(100).SetDirect(true))
}

func connectHosts(ctx context.Context, hosts ...string) (*mongo.Client, error) {
	return mongo.Connect(ctx, options.Client().SetHosts(hosts))
}

type colour int

func (c colour) MarshalBSONValue() (bsontype.Type, []byte, error) {
	return bson.MarshalValue(fmt.Sprint(int(c)))
}

func (c *colour) UnmarshalBSONValue(t bsontype.Type, data []byte) error {
	if t != bsontype.String {
		return fmt.Errorf("not a string but %s", t)
	}
	raw := bson.RawValue{Type: t, Value: data}
	_, err := fmt.Sscan(raw.StringValue(), (*int)(c))
	return err
}

type stamp time.Time

func (s stamp) MarshalBSONValue() (bsontype.Type, []byte, error) {
	if time.Time(s).IsZero() {
		return bsontype.Null, nil, nil
	}
	t, data, err := bson.MarshalValue(time.Time(s))
	return t, data, err
}

func (s *stamp) UnmarshalBSONValue(_ bsontype.Type, data []byte) error {
	return bson.UnmarshalValue(bsontype.DateTime, data, (*time.Time)(s))
}

func encoder(buf *bytes.Buffer, v interface{}) error {
	vw, err := bsonrw.NewBSONValueWriter(buf)
	if err != nil {
		return err
	}
	enc, err := bson.NewEncoder(vw)
	if err != nil {
		return err
	}
	return enc.Encode(v)
}

func decoder(data []byte, v interface{}) error {
	dec, err := bson.NewDecoder(bsonrw.NewBSONDocumentReader(data))
	if err != nil {
		return err
	}
	return dec.Decode(v)
}

func monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(_ context.Context, evt *event.CommandStartedEvent) {
			log.Print(evt.Command, evt.ServerConnectionID64)
		},
		Failed: func(_ context.Context, evt *event.CommandFailedEvent) {
			log.Print(evt.Failure, evt.DurationNanos)
		},
	}
}

func sessionDefaults(client *mongo.Client) (mongo.Session, error) {
	return client.StartSession(options.Session().
		SetDefaultReadConcern(readconcern.Majority()).
		SetDefaultWriteConcern(writeconcern.New(writeconcern.WMajority())).
		SetDefaultReadPreference(readpref.Primary()))
}

func withSession(ctx context.Context, s mongo.Session, c *mongo.Collection) error {
	return mongo.WithSession(ctx, s, func(sc mongo.SessionContext) error {
		_, err := c.InsertOne(sc, bson.D{})
		return err
	})
}

func upsert(ctx context.Context, c *mongo.Collection, filter, update interface{}) (*mongo.UpdateResult, error) {
	upsert := true
	return c.UpdateOne(ctx, filter, update, &options.UpdateOptions{Upsert: &upsert})
}

func findOneAndUpdate(ctx context.Context, c *mongo.Collection) (m bson.M, err error) {
	after := options.After
	opt := options.FindOneAndUpdateOptions{ReturnDocument: &after}
	err = c.FindOneAndUpdate(ctx, bson.M{}, bson.M{"$set": bson.M{"a": 1}}, &opt).Decode(&m)
	return m, err
}

func countLimited(ctx context.Context, c *mongo.Collection) (int64, error) {
	return c.CountDocuments(ctx, bson.M{}, options.Count().SetLimit(1).SetMaxTime(time.Second))
}

func indexes(ctx context.Context, c *mongo.Collection) ([]string, error) {
	return c.Indexes().CreateMany(ctx, []mongo.IndexModel{
		{Keys: bson.D{{Key: "a", Value: 1}}, Options: options.Index().SetUnique(true).SetName("a")},
		{Keys: bson.D{{Key: "t", Value: 1}}, Options: options.Index().SetExpireAfterSeconds(60).SetSparse(true)},
	})
}

func indexDropped(ctx context.Context, c *mongo.Collection) error {
	if _, err := c.Indexes().DropOne(ctx, "a"); err != nil {
		return err
	}
	_, err := c.Indexes().DropAll(ctx)
	return err
}

func bulk(ctx context.Context, c *mongo.Collection, names []string) error {
	var models []mongo.WriteModel
	for _, n := range names {
		models = append(models, mongo.NewUpdateOneModel().SetFilter(bson.M{"name": n}).SetUpdate(bson.M{"$inc": bson.M{"n": 1}}).SetUpsert(true))
	}
	_, err := c.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
	return err
}

func parsed(uri string) (string, []string, error) {
	cs, err := connstring.Parse(uri)
	if err != nil {
		return "", nil, err
	}
	return cs.Database, cs.UnknownOptions["x-table"], nil
}

func connection(uri string) (user, set string, direct bool, err error) {
	cs, err := connstring.ParseAndValidate(uri)
	if err != nil {
		return "", "", false, err
	}
	if cs.ReplicaSet == "" && !cs.ConnectTimeoutSet && cs.ConnectTimeout < time.Second {
		return "", "", false, nil
	}
	if cs.PasswordSet && cs.MaxPoolSize > 100 && len(cs.Compressors) > 0 {
		return cs.Username + ":" + cs.Password, cs.ReplicaSet, cs.DirectConnection, nil
	}
	return cs.Hosts[0], cs.String(), cs.SSL, nil
}

func ids(hex string) (primitive.ObjectID, error) {
	if hex == "" {
		return primitive.NilObjectID, nil
	}
	return primitive.ObjectIDFromHex(hex)
}

func dates() (primitive.DateTime, time.Time) {
	d := primitive.NewDateTimeFromTime(time.Now())
	return d, d.Time()
}

func kinds(v bson.RawValue) bool {
	return v.Type == bson.TypeString || v.Type == bsontype.Int32
}

func watch(ctx context.Context, c *mongo.Collection) error {
	stream, err := c.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetFullDocument(options.UpdateLookup))
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	for stream.Next(ctx) {
		var e bson.M
		if err := stream.Decode(&e); err != nil {
			return err
		}
		log.Print(stream.ResumeToken(), stream.Current)
	}
	return stream.Err()
}

func concernFromSettings(w int, tag string, journal bool) *writeconcern.WriteConcern {
	var part writeconcern.Option
	if w != 0 {
		part = writeconcern.W(w)
	} else {
		part = writeconcern.WTagSet(tag)
	}
	return writeconcern.New(part, writeconcern.J(journal))
}

func concernFromList(majority bool) *writeconcern.WriteConcern {
	var parts []writeconcern.Option
	if majority {
		parts = append(parts, writeconcern.WMajority())
	}
	return writeconcern.New(parts...)
}

func mechanism(user string) options.Credential {
	name := auth.MongoDBX509
	if user != "" {
		name = auth.SCRAMSHA256
	}
	return options.Credential{AuthMechanism: name, Username: user, AuthSource: "admin"}
}

func startedTwice(ctx context.Context, opts *options.ClientOptions) (*mongo.Client, error) {
	client, err := mongo.NewClient(opts)
	if err != nil {
		return nil, err
	}
	err = client.Connect(ctx)
	if err != nil {
		return nil, err
	}
	err = client.Ping(ctx, nil)
	return client, err
}

func bucketThenDrop(db *mongo.Database) (*gridfs.Bucket, error) {
	bucket, err := gridfs.NewBucket(db)
	if err != nil || bucket == nil {
		return nil, err
	}
	err = bucket.Drop()
	if err != nil {
		return nil, err
	}
	return bucket, nil
}

func bucketOfEach(dbs []*mongo.Database) (last error) {
	var err error
	for _, db := range dbs {
		if err != nil {
			last = err
		}
		var bucket *gridfs.Bucket
		bucket, err = gridfs.NewBucket(db)
		if err == nil {
			err = bucket.Drop()
		}
	}
	return last
}

func bucketReturned(db *mongo.Database) (*gridfs.Bucket, error) { return gridfs.NewBucket(db) }

func distinctWith(ctx context.Context, c *mongo.Collection, opts ...*options.DistinctOptions) ([]interface{}, error) {
	return c.Distinct(ctx, "name", bson.D{}, opts...)
}

func commandCursor(ctx context.Context, db *mongo.Database, opts ...*options.RunCmdOptions) (*mongo.Cursor, error) {
	if _, err := db.RunCommandCursor(ctx, bson.D{{"find", "users"}}, options.RunCmd().SetReadPreference(readpref.Nearest())); err != nil {
		return nil, err
	}
	return db.RunCommandCursor(ctx, bson.D{{"find", "users"}}, opts...)
}

func cloned(c *mongo.Collection) (*mongo.Collection, error) {
	other, err := c.Clone(options.Collection().SetReadPreference(readpref.Nearest()))
	if err != nil {
		return nil, err
	}
	if other.Name() != "" {
		return other, nil
	}
	return c.Clone()
}
