package guide_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

type Book struct {
	ID      bson.ObjectID `bson:"_id,omitempty"`
	Title   string        `bson:"title"`
	Author  string        `bson:"author"`
	Year    int           `bson:"year"`
	Tags    []string      `bson:"tags,omitempty"`
	Copies  int           `bson:"copies"`
	AddedAt time.Time     `bson:"addedAt"`
}

func Example_firstHour() {
	ctx := context.Background()
	server, err := mongotest.New(mongotest.ReplicaSet(1)) // in this process
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client, err := mongo.Connect(ctx, server.URI())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	books := client.Database("library").Collection("books")

	added, err := books.InsertOne(ctx, Book{
		Title: "Middlemarch", Author: "Eliot", Year: 1871, Tags: []string{"novel", "classic"}, Copies: 2, AddedAt: time.Now(),
	})
	if err != nil {
		log.Fatal(err)
	}
	id := added.InsertedID.(bson.ObjectID)
	_, err = books.InsertMany(ctx, []Book{
		{Title: "The Mill on the Floss", Author: "Eliot", Year: 1860, Tags: []string{"novel"}, Copies: 1},
		{Title: "Beloved", Author: "Morrison", Year: 1987, Tags: []string{"novel", "prize"}, Copies: 3},
	})
	if err != nil {
		log.Fatal(err)
	}

	var book Book
	err = books.FindOne(ctx, bson.Doc("_id", id)).Decode(&book)
	if errors.Is(err, mongo.ErrNoDocuments) {
		fmt.Println("there is no such book")
	} else if err != nil {
		log.Fatal(err)
	}
	fmt.Println(book.Title) // Middlemarch

	cursor, err := books.Find(ctx, bson.Doc("author", "Eliot"), &options.Find{Sort: bson.Doc("year", 1)})
	if err != nil {
		log.Fatal(err)
	}
	for book, err := range mongo.Each[Book](ctx, cursor) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(book.Year, book.Title) // 1860 The Mill on the Floss, then 1871 Middlemarch
	}

	count := func(filter bson.D) {
		n, err := books.CountDocuments(ctx, filter)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n)
	}
	count(bson.Doc("year", bson.Doc("$gte", 1850, "$lt", 1900)))                                   // 2
	count(bson.Doc("author", bson.Doc("$in", bson.A{"Eliot", "Woolf"})))                           // 2
	count(bson.Doc("tags", "prize"))                                                               // 1
	count(bson.Doc("tags", bson.Doc("$all", bson.A{"novel", "classic"})))                          // 1
	count(bson.Doc("$or", bson.A{bson.Doc("copies", 1), bson.Doc("year", bson.Doc("$gt", 1980))})) // 2
	count(bson.Doc("title", bson.Regex{Pattern: "^the", Options: "i"}))                            // 1
	count(bson.Doc("isbn", bson.Doc("$exists", true)))                                             // 0

	var short struct {
		Title string `bson:"title"`
	}
	err = books.FindOne(ctx, bson.Doc("author", "Morrison"), &options.FindOne{
		Projection: bson.Doc("title", 1, "_id", 0),
	}).Decode(&short)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(short.Title) // Beloved

	lent, err := books.UpdateOne(ctx,
		bson.Doc("title", "Beloved", "copies", bson.Doc("$gt", 0)),
		bson.Doc("$inc", bson.Doc("copies", -1), "$addToSet", bson.Doc("tags", "lent"), "$currentDate", bson.Doc("lentAt", true)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lent.MatchedCount, lent.ModifiedCount) // 1 1

	var before Book
	err = books.FindOneAndUpdate(ctx, bson.Doc("title", "Beloved"), bson.Doc("$set", bson.Doc("year", 1988))).Decode(&before)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(before.Year) // 1987

	upserted, err := books.UpdateOne(ctx, bson.Doc("title", "Jazz"),
		bson.Doc("$setOnInsert", bson.Doc("author", "Morrison"), "$inc", bson.Doc("copies", 1)),
		&options.UpdateOne{Upsert: new(true)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(upserted.UpsertedCount) // 1

	deleted, err := books.DeleteMany(ctx, bson.Doc("author", "Morrison", "copies", bson.Doc("$lte", 1)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(deleted.DeletedCount) // 1

	_, err = books.CreateIndexes(ctx, []mongo.IndexModel{
		{Keys: bson.Doc("author", 1, "year", -1)},
		{Keys: bson.Doc("title", 1), Options: &options.Index{Unique: new(true)}},
		{Keys: bson.Doc("reservedAt", 1), Options: &options.Index{ExpireAfterSeconds: new(int32(3600))}},
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = books.InsertOne(ctx, Book{Title: "Beloved"})
	if mongo.IsDuplicateKeyError(err) {
		fmt.Println("that title is taken")
	} else if err != nil {
		log.Fatal(err)
	}

	page := func(after string) ([]Book, error) {
		filter := bson.D{}
		if after != "" {
			filter = bson.Doc("title", bson.Doc("$gt", after))
		}
		cursor, err := books.Find(ctx, filter, &options.Find{Sort: bson.Doc("title", 1), Limit: new(int64(2))})
		if err != nil {
			return nil, err
		}
		return mongo.All[Book](ctx, cursor)
	}
	first, err := page("")
	if err != nil {
		log.Fatal(err)
	}
	second, err := page(first[len(first)-1].Title)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(first), len(second)) // 2 1

	groups, err := books.Aggregate(ctx, mongo.Pipeline{
		bson.Doc("$match", bson.Doc("tags", "novel")),
		bson.Doc("$group", bson.Doc("_id", "$author", "books", bson.Doc("$sum", 1), "copies", bson.Doc("$sum", "$copies"))),
		bson.Doc("$sort", bson.Doc("books", -1)),
	})
	if err != nil {
		log.Fatal(err)
	}
	type author struct {
		Name   string `bson:"_id"`
		Books  int    `bson:"books"`
		Copies int    `bson:"copies"`
	}
	authors, err := mongo.All[author](ctx, groups)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(authors) // [{Eliot 2 3} {Morrison 1 2}]

	stream, err := books.Watch(ctx, mongo.Pipeline{bson.Doc("$match", bson.Doc("operationType", "insert"))})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := books.InsertOne(ctx, Book{Title: "Sula", Author: "Morrison"}); err != nil {
		log.Fatal(err)
	}
	for event, err := range mongo.Events[mongo.ChangeEvent](ctx, stream) {
		if err != nil {
			log.Fatal(err)
		}
		var book Book
		if err := bson.Unmarshal(event.FullDocument, &book); err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.OperationType, book.Title) // insert Sula
		break
	}

	covers := client.Database("library").GridFSBucket()
	file, err := covers.UploadFromStream(ctx, "beloved.png", strings.NewReader("a picture"))
	if err != nil {
		log.Fatal(err)
	}
	var picture bytes.Buffer
	if _, err := covers.DownloadToStream(ctx, file, &picture); err != nil {
		log.Fatal(err)
	}
	fmt.Println(picture.String()) // a picture

	soon, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err = books.UpdateMany(soon, bson.D{}, bson.Doc("$set", bson.Doc("checked", true)))
	switch {
	case err == nil:
		fmt.Println("checked")
	case mongo.IsTimeout(err):
		fmt.Println("too slow: try later")
	default:
		log.Fatal(err)
	}
	// Output:
	// Middlemarch
	// 1860 The Mill on the Floss
	// 1871 Middlemarch
	// 2
	// 2
	// 1
	// 1
	// 2
	// 1
	// 0
	// Beloved
	// 1 1
	// 1987
	// 1
	// 1
	// that title is taken
	// 2 1
	// [{Eliot 2 3} {Morrison 1 2}]
	// insert Sula
	// a picture
	// checked
}
