package main

import (
	"bytes"
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// officialSpec is the official driver.
type officialSpec struct {
	client *mongo.Client
	db     *mongo.Database
	corpus *mongo.Collection
	bucket *mongo.GridFSBucket
	docs   map[string]bson.D
	raws   map[string]bson.Raw
}

func (o *officialSpec) connect(c *mongo.Client) {
	o.client = c
	o.db = c.Database("perftest")
	o.corpus, o.bucket = o.db.Collection("corpus"), o.db.GridFSBucket()
}

func (*officialSpec) name() string { return "official" }

func (o *officialSpec) load(name string, raw []byte) error {
	if o.docs == nil {
		o.docs, o.raws = map[string]bson.D{}, map[string]bson.Raw{}
	}
	var d bson.D
	err := bson.Unmarshal(raw, &d)
	o.docs[name], o.raws[name] = d, raw
	return err
}

func (o *officialSpec) encode(name string) (err error) {
	_, err = bson.Marshal(o.docs[name])
	return err
}

func (o *officialSpec) decode(name string) error {
	var d bson.D
	return bson.Unmarshal(o.raws[name], &d)
}

func (o *officialSpec) runCommand() error {
	return o.db.RunCommand(context.Background(), bson.D{{Key: "hello", Value: true}}).Err()
}

func (o *officialSpec) findByID(id int32) error {
	var d bson.D
	return o.corpus.FindOne(context.Background(), bson.D{{Key: "_id", Value: id}}).Decode(&d)
}

func (o *officialSpec) findAll() (n int, err error) {
	cursor, err := o.corpus.Find(context.Background(), bson.D{})
	if err != nil {
		return 0, err
	}
	defer cursor.Close(context.Background())
	for cursor.Next(context.Background()) {
		var d bson.D
		if err := cursor.Decode(&d); err != nil {
			return n, err
		}
		n++
	}
	return n, cursor.Err()
}

func (o *officialSpec) insertOne(name string) error {
	_, err := o.corpus.InsertOne(context.Background(), o.docs[name])
	return err
}

func (o *officialSpec) insertMany(name string, n int) error {
	docs := make([]bson.D, n)
	for i := range docs {
		docs[i] = o.docs[name]
	}
	_, err := o.corpus.InsertMany(context.Background(), docs)
	return err
}

func (o *officialSpec) bulkInsert(name string, n int) error {
	models := make([]mongo.WriteModel, n)
	for i := range models {
		models[i] = mongo.NewInsertOneModel().SetDocument(o.docs[name])
	}
	_, err := o.corpus.BulkWrite(context.Background(), models)
	return err
}

func (o *officialSpec) clientBulkInsert(name string, n int) error {
	writes := make([]mongo.ClientBulkWrite, n)
	for i := range writes {
		writes[i] = mongo.ClientBulkWrite{
			Database: "perftest", Collection: "corpus", Model: mongo.NewClientInsertOneModel().SetDocument(o.docs[name]),
		}
	}
	_, err := o.client.BulkWrite(context.Background(), writes)
	return err
}

func (o *officialSpec) bulkMixed(n int) error {
	models := make([]mongo.WriteModel, 0, 3*n)
	for range n {
		models = append(models, mongo.NewInsertOneModel().SetDocument(o.docs["small"]),
			mongo.NewReplaceOneModel().SetFilter(bson.D{}).SetReplacement(o.docs["small"]),
			mongo.NewDeleteOneModel().SetFilter(bson.D{}))
	}
	_, err := o.corpus.BulkWrite(context.Background(), models)
	return err
}

func (o *officialSpec) clientBulkMixed(n, collections int) error {
	names := numberedCollections(collections)
	writes := make([]mongo.ClientBulkWrite, 0, 3*n)
	for i := range n {
		for _, model := range []mongo.ClientWriteModel{
			mongo.NewClientInsertOneModel().SetDocument(o.docs["small"]),
			mongo.NewClientReplaceOneModel().SetFilter(bson.D{}).SetReplacement(o.docs["small"]),
			mongo.NewClientDeleteOneModel().SetFilter(bson.D{}),
		} {
			writes = append(writes, mongo.ClientBulkWrite{Database: "perftest", Collection: names[i%collections], Model: model})
		}
	}
	_, err := o.client.BulkWrite(context.Background(), writes)
	return err
}

func (o *officialSpec) numberTweets(n int) error {
	if err := o.reset("corpus"); err != nil {
		return err
	}
	docs := make([]bson.D, n)
	for i := range docs {
		docs[i] = append(bson.D{{Key: "_id", Value: int32(i + 1)}}, o.docs["tweet"]...)
	}
	_, err := o.corpus.InsertMany(context.Background(), docs)
	return err
}

func (o *officialSpec) reset(collections ...string) error {
	for _, name := range collections {
		if err := o.db.Collection(name).Drop(context.Background()); err != nil {
			return err
		}
		if err := o.db.CreateCollection(context.Background(), name); err != nil {
			return err
		}
	}
	return nil
}

func (o *officialSpec) resetBucket() error {
	if err := o.bucket.Drop(context.Background()); err != nil {
		return err
	}
	return o.upload("tiny", []byte{1})
}

func (o *officialSpec) upload(name string, data []byte) error {
	return o.bucket.UploadFromStreamWithID(context.Background(), name, name, bytes.NewReader(data))
}

func (o *officialSpec) download(name string, write func([]byte) error) error {
	_, err := o.bucket.DownloadToStream(context.Background(), name, writerFunc(write))
	return err
}

func (o *officialSpec) importLines(lines [][]byte) error {
	docs := make([]bson.Raw, len(lines))
	for i, line := range lines {
		if err := bson.UnmarshalExtJSON(line, false, &docs[i]); err != nil {
			return err
		}
	}
	_, err := o.corpus.InsertMany(context.Background(), docs, options.InsertMany().SetOrdered(false))
	return err
}

func (o *officialSpec) exportLines(files, perFile int, write func(file int, lines []byte) error) error {
	return runParallel(numbers(files), func(file int) error {
		cursor, err := o.corpus.Find(context.Background(), bson.D{},
			options.Find().SetSkip(int64(file*perFile)).SetLimit(int64(perFile)))
		if err != nil {
			return err
		}
		defer cursor.Close(context.Background())
		var lines bytes.Buffer
		for cursor.Next(context.Background()) {
			line, err := bson.MarshalExtJSON(cursor.Current, true, false)
			if err != nil {
				return err
			}
			lines.Write(line)
			lines.WriteByte('\n')
		}
		if err := cursor.Err(); err != nil {
			return err
		}
		return write(file, lines.Bytes())
	})
}
