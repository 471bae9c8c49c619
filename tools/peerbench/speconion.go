package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// specDrivers opens both drivers for the server of that name, with the documents loaded; "" needs no server. uri is the
// server's.
func specDrivers(server string, r *specRun) (theirs, ours specDriver, uri string, err error) {
	t, o := &officialSpec{}, &onionSpec{}
	if server != "" {
		s, err := startServer(server)
		if err != nil {
			return nil, nil, "", err
		}
		p := &peers{server: s}
		if err := p.connect(nil, nil); err != nil {
			return nil, nil, "", err
		}
		uri = s.uri("")
		t.connect(p.official)
		o.connect(p.onion, s)
	}
	for _, d := range r.data.documents {
		for _, driver := range []specDriver{t, o} {
			if err := driver.load(d.name, d.raw); err != nil {
				return nil, nil, "", fmt.Errorf("%s, %s: %w", d.name, driver.name(), err)
			}
		}
	}
	return t, o, uri, nil
}

// onionSpec is this driver.
type onionSpec struct {
	client *mongo.Client
	db     *mongo.Database
	corpus *mongo.Collection
	bucket *mongo.GridFSBucket
	docs   map[string]bson.D
	raws   map[string]bson.Raw
	server *server // lives as long as the client
}

func (o *onionSpec) connect(c *mongo.Client, s *server) {
	o.client, o.server = c, s
	o.db = c.Database("perftest")
	o.corpus, o.bucket = o.db.Collection("corpus"), o.db.GridFSBucket()
}

func (*onionSpec) name() string { return "onion" }

func (o *onionSpec) load(name string, raw []byte) error {
	if o.docs == nil {
		o.docs, o.raws = map[string]bson.D{}, map[string]bson.Raw{}
	}
	var d bson.D
	err := bson.Unmarshal(raw, &d)
	o.docs[name], o.raws[name] = d, raw
	return err
}

func (o *onionSpec) encode(name string) (err error) {
	_, err = bson.Marshal(o.docs[name])
	return err
}

func (o *onionSpec) decode(name string) error {
	var d bson.D
	return bson.Unmarshal(o.raws[name], &d)
}

func (o *onionSpec) runCommand() error {
	return o.db.RunCommand(context.Background(), bson.D{{Key: "hello", Value: true}}).Err()
}

func (o *onionSpec) findByID(id int32) error {
	var d bson.D
	return o.corpus.FindOne(context.Background(), bson.D{{Key: "_id", Value: id}}).Decode(&d)
}

func (o *onionSpec) findAll() (n int, err error) {
	cursor, err := o.corpus.Find(context.Background(), bson.D{})
	if err != nil {
		return 0, err
	}
	for _, err := range mongo.Each[bson.D](context.Background(), cursor) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (o *onionSpec) insertOne(name string) error {
	_, err := o.corpus.InsertOne(context.Background(), o.docs[name])
	return err
}

func (o *onionSpec) insertMany(name string, n int) error {
	docs := make([]bson.D, n)
	for i := range docs {
		docs[i] = o.docs[name]
	}
	_, err := o.corpus.InsertMany(context.Background(), docs)
	return err
}

func (o *onionSpec) bulkInsert(name string, n int) error {
	models := make([]mongo.WriteModel, n)
	for i := range models {
		models[i] = &mongo.InsertOneModel{Document: o.docs[name]}
	}
	_, err := o.corpus.BulkWrite(context.Background(), models)
	return err
}

func (o *onionSpec) clientBulkInsert(name string, n int) error {
	writes := make([]mongo.ClientBulkWrite, n)
	for i := range writes {
		writes[i] = mongo.ClientBulkWrite{Database: "perftest", Collection: "corpus", Model: &mongo.InsertOneModel{Document: o.docs[name]}}
	}
	_, err := o.client.BulkWrite(context.Background(), writes)
	return err
}

// mixedWrites returns the three writes of one document.
func (o *onionSpec) mixedWrites() []mongo.WriteModel {
	return []mongo.WriteModel{
		&mongo.InsertOneModel{Document: o.docs["small"]},
		&mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: o.docs["small"]},
		&mongo.DeleteOneModel{Filter: bson.D{}},
	}
}

func (o *onionSpec) bulkMixed(n int) error {
	models := make([]mongo.WriteModel, 0, 3*n)
	for range n {
		models = append(models, o.mixedWrites()...)
	}
	_, err := o.corpus.BulkWrite(context.Background(), models)
	return err
}

func (o *onionSpec) clientBulkMixed(n, collections int) error {
	names := numberedCollections(collections)
	writes := make([]mongo.ClientBulkWrite, 0, 3*n)
	for i := range n {
		for _, model := range o.mixedWrites() {
			writes = append(writes, mongo.ClientBulkWrite{Database: "perftest", Collection: names[i%collections], Model: model})
		}
	}
	_, err := o.client.BulkWrite(context.Background(), writes)
	return err
}

func (o *onionSpec) numberTweets(n int) error {
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

func (o *onionSpec) reset(collections ...string) error {
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

func (o *onionSpec) resetBucket() error {
	if err := o.bucket.Drop(context.Background()); err != nil {
		return err
	}
	return o.upload("tiny", []byte{1})
}

func (o *onionSpec) upload(name string, data []byte) error {
	return o.bucket.UploadFromStreamWithID(context.Background(), name, name, bytes.NewReader(data))
}

func (o *onionSpec) download(name string, write func([]byte) error) error {
	_, err := o.bucket.DownloadToStream(context.Background(), name, writerFunc(write))
	return err
}

// writerFunc is a function as an io.Writer.
type writerFunc func([]byte) error

// Write calls the function.
func (w writerFunc) Write(b []byte) (int, error) { return len(b), w(b) }

func (o *onionSpec) importLines(lines [][]byte) error {
	docs := make([]bson.Raw, len(lines))
	for i, line := range lines {
		var err error
		if docs[i], err = bson.ExtJSONToRaw(line, false); err != nil {
			return err
		}
	}
	ordered := false
	_, err := o.corpus.InsertMany(context.Background(), docs, &options.InsertMany{Ordered: &ordered})
	return err
}

func (o *onionSpec) exportLines(files, perFile int, write func(file int, lines []byte) error) error {
	return runParallel(numbers(files), func(file int) error {
		cursor, err := o.corpus.Find(context.Background(), bson.D{},
			&options.Find{Skip: new(int64(file * perFile)), Limit: new(int64(perFile))})
		if err != nil {
			return err
		}
		var lines []byte
		for raw, err := range mongo.Each[bson.Raw](context.Background(), cursor) {
			if err != nil {
				return err
			}
			if lines, err = bson.AppendExtJSON(lines, raw, true); err != nil {
				return err
			}
			lines = append(lines, '\n')
		}
		return write(file, lines)
	})
}
