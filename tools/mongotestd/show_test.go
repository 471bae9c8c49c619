package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
	"github.com/specdrivers/onion/tools/mongotestd/internal/chromium"
)

// launchWithPage starts the program with its page, and returns the page's address.
func launchWithPage(t *testing.T, args ...string) (*child, string) {
	t.Helper()
	c := launch(t, exec.Command(buildProgram(t), append([]string{"-ui", "127.0.0.1:0"}, args...)...))
	line, err := c.rest.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	return c, strings.TrimSpace(line)
}

// connectDriver returns a client of the program.
func connectDriver(t *testing.T, c *child) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(t.Context(), c.line, &options.Client{
		AppName: new("shop"), HeartbeatFrequency: new(500 * time.Millisecond), ServerSelectionTimeout: new(5 * time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return client
}

func shownState(t *testing.T, url string) *view.State {
	t.Helper()
	response, err := http.Get(url + "json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var s view.State
	if err := json.NewDecoder(response.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// press sends the request of a button.
func press(t *testing.T, url string, r view.Request) (status int, problem string) {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(url+"do", "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct{ Error string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer.Error
}

func TestButtonsDisturbTheDeployment(t *testing.T) {
	server, url := launchWithPage(t, "-topology", "replicaset")
	client := connectDriver(t, server)
	c := client.Database("shop").Collection("orders")
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	hosts := strings.Split(hostsOf(t, server.line), ",")
	find := func(address string) view.Server {
		for _, s := range shownState(t, url).Topology.Servers {
			if s.Address == address {
				return s
			}
		}
		t.Fatalf("%s is not shown", address)
		return view.Server{}
	}
	do := func(action, server string, fields map[string]string) {
		t.Helper()
		if status, problem := press(t, url, view.Request{Action: action, Server: server, Fields: fields}); status != 200 {
			t.Fatalf("%s: %d %s", action, status, problem)
		}
	}
	do("latency", hosts[1], map[string]string{"wait": "5ms"})
	do("lag", hosts[1], map[string]string{"writes": "10"})
	if s := find(hosts[1]); len(s.Faults) != 2 || s.Faults[0] != "latency 5ms" || s.Faults[1] != "lacks 10 writes" {
		t.Errorf("%+v", s)
	}
	do("latency", hosts[1], map[string]string{"wait": "0s"})
	do("lag", hosts[1], map[string]string{"writes": "0"})
	do("stepdown", "", nil)
	if s := find(hosts[0]); s.Type != "RSSecondary" {
		t.Errorf("after it has stepped down: %+v", s)
	}
	do("kill", hosts[0], nil)
	if s := find(hosts[0]); !s.Stopped {
		t.Errorf("after a kill: %+v", s)
	}
	do("restart", hosts[0], nil)
	do("partition", hosts[2], map[string]string{"length": "1h"})
	if s := find(hosts[2]); len(s.Faults) != 1 || s.Faults[0] != "partitioned" {
		t.Errorf("after a partition: %+v", s)
	}
	do("heal", hosts[2], nil)
	do("failpoint", "", map[string]string{"server": "every server", "commands": "find", "effect": answerError, "code": "8000", "times": "1"})
	if err := c.FindOne(t.Context(), bson.Doc("_id", 1)).Err(); err == nil || !strings.Contains(err.Error(), "8000") {
		t.Errorf("the fail point: %v", err)
	}
	s := shownState(t, url)
	for try := 0; len(s.Problems) == 0 && try < 1000; try++ {
		s = shownState(t, url) // the page learns of a command after the client has its reply
	}
	if len(s.Problems) == 0 || s.Problems[0].Name != "find" || s.Problems[0].From != "shop" || s.Problems[0].Server == "" {
		t.Errorf("problems %+v", s.Problems)
	}
	if len(s.Clients) != 1 || s.Clients[0].Name != "shop" || s.Clients[0].Driver == "" {
		t.Errorf("clients %+v", s.Clients)
	}
	server.stop(t, os.Interrupt)
}

func TestButtonsThatMakeNoSense(t *testing.T) {
	server, url := launchWithPage(t, "-topology", "replicaset", "-nodes", "1")
	host := hostsOf(t, server.line)
	for _, c := range []struct {
		name    string
		request view.Request
		want    string
	}{
		{"no action", view.Request{Action: "explode"}, `no action "explode"`},
		{"no server", view.Request{Action: "kill", Server: "a:1"}, `no server "a:1"`},
		{"it runs", view.Request{Action: "restart", Server: host}, "not in a state"},
		{"no duration", view.Request{Action: "latency", Server: host, Fields: map[string]string{"wait": "soon"}}, "a duration"},
		{"a negative one", view.Request{Action: "partition", Server: host, Fields: map[string]string{"length": "-1s"}}, "a duration"},
		{"no number", view.Request{Action: "lag", Server: host, Fields: map[string]string{"writes": "x"}}, "a number"},
		{"no command", view.Request{Action: "failpoint", Fields: map[string]string{"times": "1"}}, "name a command"},
		{"no error", view.Request{Action: "failpoint", Fields: map[string]string{
			"times": "1", "commands": "find", "effect": answerError, "code": "Oops"}}, "neither the name nor the number"},
		{"no effect", view.Request{Action: "failpoint", Fields: map[string]string{"times": "1", "commands": "find"}}, "no effect"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if status, problem := press(t, url, c.request); status != http.StatusUnprocessableEntity || !strings.Contains(problem, c.want) {
				t.Errorf("%d %s", status, problem)
			}
		})
	}
	server.stop(t, os.Interrupt)
}

func TestThePageShowsNoPassword(t *testing.T) {
	for uri, want := range map[string]string{
		"mongodb://a:1/":                    "mongodb://a:1/",
		"mongodb://ada:p%40ss@a:1,b:2/?x=y": "mongodb://a:1,b:2/?x=y",
	} {
		if got := dropUser(uri); got != want {
			t.Errorf("%s becomes %s", uri, got)
		}
	}
}

func TestThePageIsForThisMachine(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":8080", "10.0.0.7:80", "here"} {
		if code, _, complaint := runToEnd(t, "-ui="+address); code != 2 || !strings.Contains(complaint, "-ui") {
			t.Errorf("%s: %d %s", address, code, complaint)
		}
	}
}

// The program ends at once, whatever its deployment is doing.
func TestEndsWithinAHundredMilliseconds(t *testing.T) {
	shortest := time.Hour
	for range 5 { // other work on a busy machine can only make an end longer
		if shortest = min(shortest, measureBusyEnd(t)); shortest <= 100*time.Millisecond {
			return
		}
	}
	t.Errorf("the end takes %v", shortest)
}

// measureBusyEnd measures how long the program takes to end while commands are blocked, a node is cut off and a browser shows the
// page.
func measureBusyEnd(t *testing.T) time.Duration {
	t.Helper()
	server, url := launchWithPage(t, "-topology", "replicaset", "-log")
	hosts := strings.Split(hostsOf(t, server.line), ",")
	client := connectDriver(t, server)
	c := client.Database("shop").Collection("orders")
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(url + "events") // stands for an open page
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	press(t, url, view.Request{Action: "failpoint", Fields: map[string]string{
		"server": "every server", "commands": "find", "effect": waitFirst, "wait": "1h", "times": "always"}})
	ctx, cancel := context.WithCancel(t.Context())
	for range 5 {
		go c.FindOne(ctx, bson.D{})
	}
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var message struct {
			Changed struct{ Running []view.Operation }
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &message) == nil && len(message.Changed.Running) == 5 {
			break
		}
	}
	press(t, url, view.Request{Action: "partition", Server: hosts[1], Fields: map[string]string{"length": "1h"}})
	began := time.Now()
	server.stop(t, os.Interrupt)
	took := time.Since(began)
	cancel()
	return took
}

func TestTheLogSaysWhatArrives(t *testing.T) {
	server, url := launchWithPage(t, "-topology", "replicaset", "-nodes", "1", "-log")
	client := connectDriver(t, server)
	c := client.Database("shop").Collection("orders")
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1, "text", "a\x1b[31mb")); err != nil {
		t.Fatal(err)
	}
	press(t, url, view.Request{Action: "failpoint", Fields: map[string]string{
		"server": "every server", "commands": "count", "effect": answerError, "code": "8000", "times": "1"}})
	if _, err := c.EstimatedDocumentCount(t.Context()); err == nil {
		t.Fatal("the fail point did not act")
	}
	client.Close(t.Context())
	server.stop(t, os.Interrupt)
	said := server.errors.String()
	for _, want := range []string{"node0 shop#", "insert         shop.orders {", `documents×1 {_id: 1`, "✗ count        Location8000"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if strings.Contains(said, "\x1b") || strings.Contains(said, "hello ") {
		t.Error("there are control characters, or monitors")
	}
	if t.Failed() {
		t.Log(said)
	}
}

func TestPageOfADeploymentInABrowser(t *testing.T) {
	browser := chromium.Start(t)
	server, url := launchWithPage(t, "-topology", "replicaset")
	client := connectDriver(t, server)
	c := client.Database("shop").Collection("orders")
	for i := range 30 {
		if _, err := c.InsertOne(t.Context(), bson.Doc("_id", i)); err != nil {
			t.Fatal(err)
		}
	}
	hosts := strings.Split(hostsOf(t, server.line), ",")
	tab := browser.Open(t, url, looks[0].Look)
	tab.Wait(`document.querySelectorAll("#servers .node").length === 3 && document.querySelectorAll("#clients tbody tr").length === 1`)
	button := func(host, label string) string {
		return `[...document.querySelectorAll("#servers .node")].find(n => n.innerText.includes("` + host + `")).querySelectorAll("button").values().find(b => b.innerText === "` + label + `")`
	}
	tab.Eval(`[...document.querySelectorAll("#global-actions button")].find(b => b.innerText === "Step down").click()`, nil)
	tab.Wait(`[...document.querySelectorAll("#servers .node")].find(n => n.innerText.includes("` + hosts[0] + `")).classList.contains("secondary")`)
	tab.Eval(button(hosts[0], "Kill")+`.click()`, nil)
	tab.Wait(button(hosts[0], "Restart"))
	tab.Eval(button(hosts[1], "Latency")+`.click()`, nil)
	tab.Wait(`document.querySelector("#servers .badge.fault").innerText === "latency 50ms"`)
	tab.Eval(`document.querySelector("#fault-forms [name=commands]").value = "count"; document.querySelector("#fault-forms [name=code]").value = "8000";
		document.querySelector("#fault-forms form").requestSubmit()`, nil)
	tab.Wait(`document.querySelectorAll("#servers .badge.fault").length >= 3`)
	if _, err := c.EstimatedDocumentCount(t.Context()); err == nil {
		t.Error("the fail point did not act")
	}
	tab.Wait(`document.getElementById("problems").innerText.includes("Location8000")`)
	keep(t, tab, "deployment")
	var wrong []string
	for _, look := range looks {
		tab.Look(look.Look)
		tab.Eval(contrastCheck, &wrong)
		if len(wrong) > 0 {
			t.Errorf("%s: %s", look.name, strings.Join(wrong, "\n"))
		}
	}
	tab.Eval(button(hosts[0], "Restart")+`.click()`, nil)
	tab.Wait(button(hosts[0], "Kill"))
	server.stop(t, os.Interrupt)
	tab.Wait(`document.getElementById("live").dataset.state === "closed" || document.getElementById("live").dataset.state === "lost"`)
}
