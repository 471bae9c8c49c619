package mongodebug_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
	"github.com/specdrivers/onion/tools/mongotest"
)

// connectPage connects a page to a replica set.
func connectPage(t *testing.T, page *mongodebug.Page, opts ...*options.Client) (*mongotest.Deployment, *mongo.Client) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client, err := page.Connect(t.Context(), d.URI(), append([]*options.Client{{AppName: new("shop"), MaxPoolSize: new(7)}}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return d, client
}

func getPath(t *testing.T, page *mongodebug.Page, path string) string {
	t.Helper()
	r := httptest.NewRequest("GET", "http://localhost/debug/mongo/"+path, nil)
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

func stateOf(t *testing.T, page *mongodebug.Page) *view.State {
	t.Helper()
	var s view.State
	if err := json.Unmarshal([]byte(getPath(t, page, "json")), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// runOperations runs operations, some of which fail.
func runOperations(t *testing.T, d *mongotest.Deployment, client *mongo.Client) {
	t.Helper()
	c := client.Database("shop").Collection("orders")
	if _, err := c.InsertMany(t.Context(), []bson.D{
		bson.Doc("_id", "ada@example.com", "total", 12345), bson.Doc("_id", "grace@example.com", "total", 67890),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", "ada@example.com")); !mongo.IsDuplicateKeyError(err) {
		t.Fatal(err)
	}
	fail := func(command string, code int) {
		t.Helper()
		err := d.SetFailPoint(0, bson.Doc("configureFailPoint", "failCommand", "mode", bson.Doc("times", 1),
			"data", bson.Doc("failCommands", bson.A{command}, "errorCode", code)))
		if err != nil {
			t.Fatal(err)
		}
	}
	fail("find", 262) // ExceededTimeLimit: is retried
	if err := c.FindOne(t.Context(), bson.Doc("_id", "ada@example.com", "total", bson.Doc("$in", []int{12345, 2}))).Err(); err != nil {
		t.Fatal(err)
	}
	fail("count", 8000)
	if _, err := c.EstimatedDocumentCount(t.Context()); err == nil {
		t.Fatal("the fail point did not act")
	}
}

func findProblem(t *testing.T, s *view.State, outcome string) view.Problem {
	t.Helper()
	i := slices.IndexFunc(s.Problems, func(p view.Problem) bool { return p.Outcome == outcome })
	if i < 0 {
		t.Fatalf("no problem is %s: %+v", outcome, s.Problems)
	}
	return s.Problems[i]
}

func TestThePageShowsWhatTheClientDid(t *testing.T) {
	var page mongodebug.Page
	d, client := connectPage(t, &page)
	runOperations(t, d, client)
	s := stateOf(t, &page)
	if s.About.Title != "shop" || s.About.Closed || s.About.Values || s.Topology.Type != "ReplicaSetWithPrimary" || len(s.Topology.Servers) != 3 {
		t.Errorf("%+v %+v", s.About, s.Topology)
	}
	i := slices.IndexFunc(s.Topology.Servers, func(s view.Server) bool { return s.Type == "RSPrimary" })
	if i < 0 || s.Topology.Servers[i].Pool.Max != 7 || !s.Topology.Servers[i].Pool.Ready {
		t.Errorf("%+v", s.Topology.Servers)
	}
	retried := findProblem(t, s, "ExceededTimeLimit")
	if retried.Name != "find" || retried.Namespace != "shop.orders" || !strings.Contains(retried.Then, "sent again to ") || !strings.Contains(retried.Then, "worked in") {
		t.Errorf("%+v", retried)
	}
	if p := findProblem(t, s, "DuplicateKey"); p.Kind != "duplicate key" || p.Then != "reported to the caller" {
		t.Errorf("%+v", p)
	}
	if p := findProblem(t, s, "Location8000"); p.Then != "reported to the caller" || p.Kind != "server" {
		t.Errorf("%+v", p)
	}
	find := s.Slowest[slices.IndexFunc(s.Slowest, func(o view.Operation) bool { return o.Name == "find" && o.Outcome == "" })]
	if want := `{find: "orders", filter: {_id: ?, total: {$in: [?]×2}}, limit: 1, singleBatch: true}`; find.Shape != want {
		t.Errorf("shape %s, want %s", find.Shape, want)
	}
	done := int64(0)
	for _, n := range s.Activity.Done {
		done += n
	}
	if done != 5 || len(s.Slowest) != 5 { // two inserts, two finds and the count
		t.Errorf("%d commands, of which %d are remembered", done, len(s.Slowest))
	}
	if !slices.ContainsFunc(s.Changes, func(c view.Change) bool { return c.To == "RSPrimary" }) {
		t.Errorf("changes %+v", s.Changes)
	}
	client.Close(t.Context())
	if s := stateOf(t, &page); !s.About.Closed || len(s.Running) != 0 {
		t.Errorf("%+v", s.About)
	}
}

func TestValuesAreShownOnlyOnRequest(t *testing.T) {
	for name, values := range map[string]bool{"hidden": false, "shown": true} {
		t.Run(name, func(t *testing.T) {
			page := mongodebug.Page{ShowValues: values}
			d, client := connectPage(t, &page)
			runOperations(t, d, client)
			for _, secret := range []string{"ada@example.com", "12345"} {
				if got := strings.Contains(getPath(t, &page, "json"), secret); got != values {
					t.Errorf("%s is there: %v", secret, got)
				}
				for _, path := range []string{"", "metrics", "why"} {
					if strings.Contains(getPath(t, &page, path), secret) {
						t.Errorf("%s shows %s", path, secret)
					}
				}
			}
			if p := findProblem(t, stateOf(t, &page), "DuplicateKey"); strings.Contains(p.Text, "dup key") != values {
				t.Errorf("text %q", p.Text)
			}
		})
	}
}

func TestPastChoicesUseTheTopologyOfTheirTime(t *testing.T) {
	var page mongodebug.Page
	known := make(chan struct{})
	seen := sync.OnceFunc(func() { close(known) })
	d, client := connectPage(t, &page, &options.Client{ServerMonitor: &event.ServerMonitor{
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChanged) {
			if !slices.ContainsFunc(e.NewDescription.Servers, func(s description.Server) bool { return !s.Type.IsDataBearing() }) && len(e.NewDescription.Servers) == 3 {
				seen()
			}
		},
	}})
	<-known
	c := client.Database("shop").Collection("orders", &options.Collection{ReadPreference: mongo.Secondary()})
	if err := c.FindOne(t.Context(), bson.D{}).Err(); err == nil {
		t.Fatal("there is a document")
	}
	before := d.Hosts()[d.Primary()]
	d.StepDown()
	s := stateOf(t, &page)
	find := s.Slowest[slices.IndexFunc(s.Slowest, func(o view.Operation) bool { return o.Name == "find" })]
	var decision view.Decision
	if err := json.Unmarshal([]byte(getPath(t, &page, "why?id="+strconv.FormatInt(find.ID, 10))), &decision); err != nil {
		t.Fatal(err)
	}
	if decision.Wants != "read preference secondary" || decision.Chosen == before || decision.Chosen != find.Server || decision.At != find.At {
		t.Errorf("%+v", decision)
	}
	for _, v := range decision.Verdicts {
		if (v.Address == before) != (v.Type == "RSPrimary") || v.Address == before && v.Reason != "RSPrimary does not serve mode secondary" {
			t.Errorf("%+v", v)
		}
	}
	var now view.Decision
	if err := json.Unmarshal([]byte(getPath(t, &page, "why?mode=nearest&tagSets=dc=ny,rack=1%3B&staleness=120s")), &now); err != nil {
		t.Fatal(err)
	}
	if now.Wants != "read preference nearest, tag sets [{dc: ny, rack: 1}, {}], max staleness 2m0s" || now.Threshold != 15 || len(now.Verdicts) != 3 {
		t.Errorf("%+v", now)
	}
}

func TestMonitorsOfTheProgramStillReceiveEvents(t *testing.T) {
	heard := map[string]int{}
	var page mongodebug.Page
	_, client := connectPage(t, &page, &options.Client{
		CommandMonitor: &event.CommandMonitor{Succeeded: func(context.Context, *event.CommandSucceeded) { heard["command"]++ }},
		PoolMonitor: &event.PoolMonitor{
			ConnectionCheckedOut: func(*event.ConnectionCheckedOut) { heard["out"]++ },
			ConnectionCheckedIn:  func(*event.ConnectionCheckedIn) { heard["in"]++ },
		},
		ServerMonitor: &event.ServerMonitor{TopologyClosed: func(*event.TopologyClosed) { heard["closed"]++ }},
	})
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	client.Close(t.Context())
	for _, name := range []string{"command", "out", "in", "closed"} {
		if heard[name] == 0 {
			t.Errorf("nothing of %s is heard", name)
		}
	}
}

func TestAPageShowsOneClient(t *testing.T) {
	var page mongodebug.Page
	if s := stateOf(t, &page); s.About.Detail == "" {
		t.Error("a page without a client does not say so")
	}
	if getPath(t, &page, "metrics") != "# EOF\n" {
		t.Error("there are metrics without a client")
	}
	if _, err := page.Connect(t.Context(), "mongodb://"); err == nil {
		t.Fatal("the connection string is wrong")
	}
	d, _ := connectPage(t, &page) // a failed Connect does not prevent it
	if _, err := page.Connect(t.Context(), d.URI()); err == nil || !strings.Contains(err.Error(), "another client") {
		t.Errorf("error %v", err)
	}
}

// The metrics follow the rules of OpenMetrics: each family is described once, before its samples, which are together; a counter
// ends with _total, the classes of a histogram grow, and the last line is # EOF.
func TestMetricsAreOpenMetrics(t *testing.T) {
	var page mongodebug.Page
	d, client := connectPage(t, &page)
	runOperations(t, d, client)
	text := getPath(t, &page, "metrics")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[len(lines)-1] != "# EOF" {
		t.Error("there is no # EOF")
	}
	described := regexp.MustCompile(`^# (TYPE|HELP|UNIT) ([a-z_]+) (.+)$`)
	sample := regexp.MustCompile(`^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*"(?:,|\}))+)? (\S+)$`)
	kinds, family, values := map[string]string{}, "", map[string]float64{}
	for _, line := range lines[:len(lines)-1] {
		if m := described.FindStringSubmatch(line); m != nil {
			if m[1] == "TYPE" {
				if kinds[m[2]] != "" {
					t.Errorf("%s is there twice", m[2])
				}
				family, kinds[m[2]] = m[2], m[3]
			}
			if m[2] != family {
				t.Errorf("%s is inside %s", line, family)
			}
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%q is no sample", line)
			continue
		}
		suffixes := map[string][]string{"counter": {"_total"}, "gauge": {""}, "histogram": {"_bucket", "_count", "_sum"}}[kinds[family]]
		if !slices.ContainsFunc(suffixes, func(s string) bool { return m[1] == family+s }) {
			t.Errorf("%s is in the family %s", m[1], family)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Error(err)
		}
		if _, twice := values[m[1]+m[2]]; twice {
			t.Errorf("%s is there twice", m[1]+m[2])
		}
		values[m[1]+m[2]] = v
	}
	for name, want := range map[string]float64{
		`onion_operations_total{outcome="ok"}`:                                2,
		`onion_operations_total{outcome="failed"}`:                            2, // counts the one with a write error, too
		`onion_operation_failures_total{kind="server"}`:                       1,
		`onion_operation_failures_total{kind="duplicate key"}`:                1,
		`onion_command_failures_total{command="insert",kind="duplicate key"}`: 1,
		`onion_operation_retries_total`:                                       1,
		`onion_command_duration_seconds_count{command="find"}`:                2,
		`onion_command_duration_seconds_bucket{command="find",le="+Inf"}`:     2,
		`onion_command_failures_total{command="count",kind="server"}`:         1,
		`onion_server_up{server="` + d.Hosts()[0] + `",type="RSPrimary"}`:     1,
		`onion_connections_created_total{server="` + d.Hosts()[0] + `"}`:      1,
		`onion_pool_connections{server="` + d.Hosts()[0] + `",state="idle"}`:  1,
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
