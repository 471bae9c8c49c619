package main

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
)

// As a server, the program runs JavaScript unless it is told not to.
func TestRunsJavaScript(t *testing.T) {
	for _, c := range []struct {
		name, engine string
		args         []string
		want         errcode.Code
	}{
		{"by default", "mozjs", nil, 0},
		{"not when it is turned off", "none", []string{"-noscripting"}, errcode.BadValue},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := launch(t, exec.Command(buildProgram(t), c.args...))
			client, err := mongo.Connect(t.Context(), server.line)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close(context.Background())
			info, err := client.Database("admin").RunCommand(t.Context(), bson.Doc("buildInfo", 1)).Raw()
			if engine, _ := info.Lookup("javascriptEngine").StringOK(); err != nil || engine != c.engine {
				t.Errorf("the engine is %q, %v", engine, err)
			}
			numbers := client.Database("db").Collection("numbers")
			if _, err := numbers.InsertMany(t.Context(), []bson.D{bson.Doc("a", 1), bson.Doc("a", 2)}); err != nil {
				t.Fatal(err)
			}
			n, err := numbers.CountDocuments(t.Context(), bson.Doc("$where", "this.a > 1"))
			if c.want != 0 && !mongo.HasErrorCode(err, c.want) || c.want == 0 && (err != nil || n != 1) {
				t.Errorf("$where finds %d, %v", n, err)
			}
			server.stop(t, os.Interrupt)
		})
	}
}
