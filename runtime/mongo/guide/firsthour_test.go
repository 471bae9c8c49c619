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

// shelf is a collection with three books.
func shelf() (context.Context, *mongo.Client, *mongo.Collection) {
	ctx, client := connect()
	books := client.Database("library").Collection("books")
	_, err := books.InsertMany(ctx, []Book{
		{Title: "Middlemarch", Author: "Eliot", Year: 1871, Tags: []string{"novel", "classic"}, Copies: 2},
		{Title: "The Mill on the Floss", Author: "Eliot", Year: 1860, Tags: []string{"novel"}, Copies: 1},
		{Title: "Beloved", Author: "Morrison", Year: 1987, Tags: []string{"novel", "prize"}, Copies: 3},
	})
	if err != nil {
		log.Fatal(err)
	}
	return ctx, client, books
}

func Example_firstInsert() {
	ctx, client := connect()
	defer client.Close(ctx)
	books := client.Database("library").Collection("books")
	result, err := books.InsertOne(ctx, Book{Title: "Middlemarch", Author: "Eliot", Year: 1871, AddedAt: time.Now()})
	if err != nil {
		log.Fatal(err)
	}
	id := result.InsertedID.(bson.ObjectID)

	var book Book
	err = books.FindOne(ctx, bson.Doc("_id", id)).Decode(&book)
	if errors.Is(err, mongo.ErrNoDocuments) {
		fmt.Println("there is no such book")
	}
	fmt.Println(book.Title, book.ID == id, err)
	// Output: Middlemarch true <nil>
}

func Example_firstFind() {
	ctx, client, books := shelf()
	defer client.Close(ctx)
	cursor, err := books.Find(ctx, bson.Doc("author", "Eliot"), &options.Find{Sort: bson.Doc("year", 1)})
	if err != nil {
		log.Fatal(err)
	}
	for book, err := range mongo.Each[Book](ctx, cursor) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(book.Year, book.Title)
	}
	// Output:
	// 1860 The Mill on the Floss
	// 1871 Middlemarch
}

func Example_firstFilters() {
	ctx, client, books := shelf()
	defer client.Close(ctx)
	count := func(filter bson.D) {
		n, err := books.CountDocuments(ctx, filter)
		fmt.Println(n, err)
	}
	count(bson.Doc("year", bson.Doc("$gte", 1850, "$lt", 1900)))
	count(bson.Doc("author", bson.Doc("$in", bson.A{"Eliot", "Woolf"})))
	count(bson.Doc("tags", "prize"))
	count(bson.Doc("tags", bson.Doc("$all", bson.A{"novel", "classic"})))
	count(bson.Doc("$or", bson.A{bson.Doc("copies", 1), bson.Doc("year", bson.Doc("$gt", 1980))}))
	count(bson.Doc("title", bson.Regex{Pattern: "^the", Options: "i"}))
	count(bson.Doc("isbn", bson.Doc("$exists", true)))
	// Output:
	// 2 <nil>
	// 2 <nil>
	// 1 <nil>
	// 1 <nil>
	// 2 <nil>
	// 1 <nil>
	// 0 <nil>
}

func Example_firstProjection() {
	ctx, client, books := shelf()
	defer client.Close(ctx)
	var title struct {
		Title string `bson:"title"`
	}
	err := books.FindOne(ctx, bson.Doc("author", "Morrison"), &options.FindOne{
		Projection: bson.Doc("title", 1, "_id", 0),
	}).Decode(&title)
	fmt.Println(title.Title, err)
	// Output: Beloved <nil>
}

func Example_firstUpdate() {
	ctx, client, books := shelf()
	defer client.Close(ctx)
	result, err := books.UpdateOne(ctx,
		bson.Doc("title", "Beloved", "copies", bson.Doc("$gt", 0)),
		bson.Doc("$inc", bson.Doc("copies", -1), "$addToSet", bson.Doc("tags", "lent"), "$currentDate", bson.Doc("lentAt", true)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.MatchedCount, result.ModifiedCount)

	var before Book
	err = books.FindOneAndUpdate(ctx, bson.Doc("title", "Beloved"), bson.Doc("$set", bson.Doc("year", 1988))).Decode(&before)
	fmt.Println(before.Year, err)

	upserted, err := books.UpdateOne(ctx, bson.Doc("title", "Jazz"),
		bson.Doc("$setOnInsert", bson.Doc("author", "Morrison"), "$inc", bson.Doc("copies", 1)),
		&options.UpdateOne{Upsert: new(true)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(upserted.UpsertedCount)

	deleted, err := books.DeleteMany(ctx, bson.Doc("copies", bson.Doc("$lte", 1)))
	fmt.Println(deleted.DeletedCount, err)
	// Output:
	// 1 1
	// 1987 <nil>
	// 1
	// 2 <nil>
}

func Example_firstIndex() {
	ctx, client, books := shelf()
	defer client.Close(ctx)
	_, err := books.CreateIndexes(ctx, []mongo.IndexModel{
		{Keys: bson.Doc("author", 1, "year", -1)},
		{Keys: bson.Doc("title", 1), Options: &options.Index{Unique: new(true)}},
		{Keys: bson.Doc("lentAt", 1), Options: &options.Index{ExpireAfterSeconds: new(int32(3600))}},
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = books.InsertOne(ctx, Book{Title: "Beloved"})
	if mongo.IsDuplicateKeyError(err) {
		fmt.Println("that title is taken")
	}
	// Output: that title is taken
}

func Example_firstPages() {
	ctx, client, books := shelf()
	defer client.Close(ctx)
	page := func(after string) (titles []string, err error) {
		filter := bson.D{}
		if after != "" {
			filter = bson.Doc("title", bson.Doc("$gt", after))
		}
		cursor, err := books.Find(ctx, filter, &options.Find{Sort: bson.Doc("title", 1), Limit: new(int64(2))})
		if err != nil {
			return nil, err
		}
		found, err := mongo.All[Book](ctx, cursor)
		for _, book := range found {
			titles = append(titles, book.Title)
		}
		return titles, err
	}
	first, err := page("")
	if err != nil {
		log.Fatal(err)
	}
	second, err := page(first[len(first)-1])
	fmt.Println(strings.Join(first, ", "), "|", strings.Join(second, ", "), err)
	// Output: Beloved, Middlemarch | The Mill on the Floss <nil>
}

func Example_firstAggregate() {
	ctx, client, books := shelf()
	defer client.Close(ctx)
	cursor, err := books.Aggregate(ctx, mongo.Pipeline{
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
	authors, err := mongo.All[author](ctx, cursor)
	fmt.Println(authors, err)
	// Output: [{Eliot 2 3} {Morrison 1 3}] <nil>
}

func Example_firstWatch() {
	ctx, client, books := shelf()
	defer client.Close(ctx)
	stream, err := books.Watch(ctx, mongo.Pipeline{bson.Doc("$match", bson.Doc("operationType", "insert"))})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)

	if _, err := books.InsertOne(ctx, Book{Title: "Jazz", Author: "Morrison"}); err != nil {
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
		fmt.Println(event.OperationType, book.Title)
		break
	}
	// Output: insert Jazz
}

func Example_firstFile() {
	ctx, client := connect()
	defer client.Close(ctx)
	covers := client.Database("library").GridFSBucket()
	id, err := covers.UploadFromStream(ctx, "beloved.png", strings.NewReader("a picture"))
	if err != nil {
		log.Fatal(err)
	}
	var picture bytes.Buffer
	n, err := covers.DownloadToStream(ctx, id, &picture)
	fmt.Println(n, picture.String(), err)
	// Output: 9 a picture <nil>
}

func Example_firstDeadline() {
	_, client, books := shelf()
	defer client.Close(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := books.UpdateMany(ctx, bson.D{}, bson.Doc("$set", bson.Doc("checked", true)))
	switch {
	case err == nil:
		fmt.Println("checked")
	case mongo.IsTimeout(err):
		fmt.Println("too slow: try later")
	default:
		log.Fatal(err)
	}
	// Output: checked
}
