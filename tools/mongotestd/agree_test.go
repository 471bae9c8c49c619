package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug"
)

// The page of a client and that of the deployment count the same commands as failed.
func TestFailuresAgreeWithTheClients(t *testing.T) {
	server, url := launchWithPage(t, "-topology", "replicaset")
	var page mongodebug.Page
	client, err := page.Connect(t.Context(), server.line, &options.Client{AppName: new("shop")})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	db, ctx := client.Database("shop"), t.Context()
	c := db.Collection("things")
	twice := bson.Doc("_id", 1)
	for range 10 {
		c.InsertOne(ctx, twice)
	}
	c.InsertMany(ctx, []bson.D{twice, twice}, &options.InsertMany{Ordered: new(false)})
	client.BulkWrite(ctx, []mongo.ClientBulkWrite{{
		Database: "shop", Collection: "things", Model: &mongo.ClientInsertOneModel{Document: twice},
	}})
	c.UpdateOne(ctx, twice, bson.Doc("$set", bson.Doc("_id", 2)))
	db.RunCommand(ctx, bson.Doc("nonsense", 1))
	client.Ping(ctx, nil) // the server counts a command after its reply, and before it reads the connection's next one
	local := httptest.NewServer(&page)
	defer local.Close()
	theirs := sumOf(t, url+"metrics", "mongotest_failures_total")
	if ours := sumOf(t, local.URL+"/metrics", "onion_command_failures_total"); ours != theirs || ours != 13 {
		t.Errorf("%v commands failed by the client's page, %v by mongotestd's", ours, theirs)
	}
	if ours := sumOf(t, local.URL+"/metrics", "onion_operation_failures_total"); ours != 13 {
		t.Errorf("%v operations failed", ours)
	}
}

// sumOf adds the samples of a metric.
func sumOf(t *testing.T, url, name string) (sum float64) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllSubmatch(text, -1) {
		v, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	return sum
}
