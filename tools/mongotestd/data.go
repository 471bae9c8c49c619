package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// batchSize is the number of documents in one insert.
const batchSize = 1000

// load runs the lines of a file that Deployment.Save or a person has written. A missing file counts as empty.
func load(ctx context.Context, uri, name string) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("-data: %w", err)
	}
	defer file.Close()
	client, err := mongo.Connect(ctx, uri)
	if err != nil {
		return fmt.Errorf("-data: %w", err)
	}
	defer client.Close(context.Background())
	l := loader{client: client}
	in := bufio.NewReaderSize(file, 1<<16)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			if err := l.line(ctx, line); err != nil {
				return fmt.Errorf("-data: %s:%d: %w", name, number, err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("-data: %w", err)
		}
	}
	if err := l.insert(ctx); err != nil {
		return fmt.Errorf("-data: %s: %w", name, err)
	}
	return nil
}

// loader inserts consecutive documents in batches.
type loader struct {
	client         *mongo.Client
	db, collection string
	waiting        []bson.Raw
}

func (l *loader) line(ctx context.Context, line []byte) error {
	command, err := bson.ExtJSONToRaw(line, false)
	if err != nil {
		return err
	}
	db, ok := command.Lookup("$db").StringOK()
	if !ok || db == "" {
		return errors.New("there is no $db")
	}
	if doc, ok := command.Lookup("document").DocumentOK(); ok {
		collection, _ := command.Lookup("insert").StringOK()
		if collection == "" {
			return errors.New("a document has no insert that names its collection")
		}
		if db != l.db || collection != l.collection || len(l.waiting) == batchSize {
			if err := l.insert(ctx); err != nil {
				return err
			}
		}
		l.db, l.collection, l.waiting = db, collection, append(l.waiting, doc)
		return nil
	}
	if err := l.insert(ctx); err != nil {
		return err
	}
	var without bson.D
	for key, v := range command.All() {
		if key != "$db" {
			without = append(without, bson.E{Key: key, Value: v})
		}
	}
	return l.client.Database(db).RunCommand(ctx, without).Err()
}

func (l *loader) insert(ctx context.Context) error {
	if len(l.waiting) == 0 {
		return nil
	}
	_, err := l.client.Database(l.db).Collection(l.collection).InsertMany(ctx, l.waiting)
	l.waiting = nil
	return err
}

// save replaces the file with the stored data. If it cannot write the whole file, the old one stays.
func save(d *mongotest.Deployment, name string) error {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("-data: %w", err)
	}
	defer os.Remove(file.Name()) // fails harmlessly after the rename
	if err := errors.Join(d.Save(file), file.Close()); err != nil {
		return fmt.Errorf("-data: %w", err)
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return fmt.Errorf("-data: %w", err)
	}
	return nil
}
