package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// user is what the tour stores.
type user struct {
	Name string `bson:"name"`
	Age  int    `bson:"age"`
}

// runTour uses the driver as a program would.
func runTour(ctx context.Context, p *printer) error {
	began := time.Now()
	d, err := mongotest.New(mongotest.ReplicaSet(3))
	if err != nil {
		return err
	}
	defer d.Close()
	p.code("mongotest.New(mongotest.ReplicaSet(3))")
	p.say("%s   (%v)", d.URI(), time.Since(began).Round(time.Microsecond))

	var sent atomic.Int32
	client, err := mongo.Connect(ctx, d.URI(), &options.Client{
		AppName:            new("demo"),
		HeartbeatFrequency: new(500 * time.Millisecond),
		CommandMonitor: &event.CommandMonitor{Started: func(context.Context, *event.CommandStarted) {
			sent.Add(1)
		}},
	})
	if err != nil {
		return err
	}
	defer client.Close(context.WithoutCancel(ctx))
	users := client.Database("shop").Collection("users")
	for _, step := range []func(context.Context, *printer, *mongo.Collection) error{write, read, showErrors} {
		if err := step(ctx, p, users); err != nil {
			return err
		}
	}
	if err := stepDown(ctx, p, d, client, users); err != nil {
		return err
	}
	p.say("")
	p.say("%d commands were sent.", sent.Load())
	return nil
}

func write(ctx context.Context, p *printer, users *mongo.Collection) error {
	p.say("")
	p.code(`users.InsertMany(ctx, []User{{"Ada", 36}, {"Grace", 45}, {"Edsger", 40}})`)
	result, err := users.InsertMany(ctx, []user{{"Ada", 36}, {"Grace", 45}, {"Edsger", 40}})
	if err != nil {
		return err
	}
	p.say("%d documents; the first has the _id %v", len(result.InsertedIDs), result.InsertedIDs[0])
	p.code(`users.UpdateOne(ctx, bson.Doc("name", "Ada"), bson.Doc("$inc", bson.Doc("age", 1)))`)
	updated, err := users.UpdateOne(ctx, bson.Doc("name", "Ada"), bson.Doc("$inc", bson.Doc("age", 1)))
	if err != nil {
		return err
	}
	p.say("%d modified", updated.ModifiedCount)
	return nil
}

func read(ctx context.Context, p *printer, users *mongo.Collection) error {
	p.say("")
	p.code(`cursor, err := users.Find(ctx, bson.Doc("age", bson.Doc("$gt", 36)), &options.Find{Sort: bson.Doc("age", 1)})`)
	cursor, err := users.Find(ctx, bson.Doc("age", bson.Doc("$gt", 36)), &options.Find{Sort: bson.Doc("age", 1)})
	if err != nil {
		return err
	}
	p.code(`for user, err := range mongo.Each[User](ctx, cursor)`)
	for u, err := range mongo.Each[user](ctx, cursor) {
		if err != nil {
			return err
		}
		p.say("%-8s %d", u.Name, u.Age)
	}
	return nil
}

// showErrors shows an error that the driver handles by itself, and one that the program must handle.
func showErrors(ctx context.Context, p *printer, users *mongo.Collection) error {
	p.say("")
	admin := users.Database().Client().Database("admin")
	point := bson.Doc("configureFailPoint", "failCommand", "mode", bson.Doc("times", 1),
		"data", bson.Doc("failCommands", bson.A{"find"}, "closeConnection", true))
	if err := admin.RunCommand(ctx, point).Err(); err != nil {
		return err
	}
	p.say("The server is told to drop the connection of the next find.")
	p.code(`users.FindOne(ctx, bson.Doc("name", "Grace")).Decode(&user)`)
	var u user
	if err := users.FindOne(ctx, bson.Doc("name", "Grace")).Decode(&u); err != nil {
		return err
	}
	p.say("%+v: the read was retried", u)

	p.say("")
	p.code(`users.CreateIndex(ctx, mongo.IndexModel{Keys: bson.Doc("name", 1), Options: &options.Index{Unique: new(true)}})`)
	unique := mongo.IndexModel{Keys: bson.Doc("name", 1), Options: &options.Index{Unique: new(true)}}
	if _, err := users.CreateIndex(ctx, unique); err != nil {
		return err
	}
	p.code(`_, err = users.InsertOne(ctx, User{Name: "Ada"})`)
	_, err := users.InsertOne(ctx, user{Name: "Ada"})
	if !mongo.IsDuplicateKeyError(err) {
		return fmt.Errorf("a unique index let a second Ada in: %v", err)
	}
	p.say("mongo.IsDuplicateKeyError(err) = true: %v", err)
	return nil
}

// stepDown makes the replica set elect another primary while the driver is connected.
func stepDown(ctx context.Context, p *printer, d *mongotest.Deployment, client *mongo.Client, users *mongo.Collection) error {
	p.say("")
	show := func() {
		for _, line := range strings.Split(strings.TrimSpace(client.TopologyDescription().String()), "\n") {
			p.say("  %s", line)
		}
	}
	p.code("client.TopologyDescription()")
	show()
	p.say("The primary steps down.")
	d.StepDown()
	p.code(`users.InsertOne(ctx, User{Name: "Barbara", Age: 41})`)
	began := time.Now()
	if _, err := users.InsertOne(ctx, user{Name: "Barbara", Age: 41}); err != nil {
		return err
	}
	p.say("written after %v", time.Since(began).Round(time.Millisecond))
	p.code("client.TopologyDescription()")
	show()
	return nil
}
