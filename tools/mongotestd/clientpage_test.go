package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotestd/internal/chromium"
)

// scene is a client with a page, and a replica set that the test disturbs.
type scene struct {
	*mongotest.Deployment
	client *mongo.Client
	url    string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	var page mongodebug.Page
	client, err := page.Connect(t.Context(), d.URI(), &options.Client{
		AppName: new("shop"), MaxPoolSize: new(8), HeartbeatFrequency: new(500 * time.Millisecond),
		ServerSelectionTimeout: new(5 * time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	server := httptest.NewServer(&page)
	t.Cleanup(server.Close)
	t.Cleanup(page.Close)
	return &scene{Deployment: d, client: client, url: server.URL + "/debug/mongo/"}
}

// use does what a shop does: it inserts orders, reads and counts them, and some operations fail.
func (s *scene) use(t *testing.T) {
	t.Helper()
	orders := s.client.Database("shop").Collection("orders")
	for i := range 40 {
		if _, err := orders.InsertOne(t.Context(), bson.Doc("_id", i, "customer", "ada@example.com", "total", i*10)); err != nil {
			t.Fatal(err)
		}
		if err := orders.FindOne(t.Context(), bson.Doc("_id", i)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := orders.InsertOne(t.Context(), bson.Doc("_id", 1)); !mongo.IsDuplicateKeyError(err) {
		t.Fatal(err)
	}
	if _, err := orders.CountDocuments(t.Context(), bson.Doc("customer", "ada@example.com")); err != nil {
		t.Fatal(err)
	}
	s.failNext(t, bson.Doc("failCommands", bson.A{"find"}, "errorCode", 91), 1) // ShutdownInProgress: the driver retries it
	if err := orders.FindOne(t.Context(), bson.Doc("customer", "ada@example.com")).Err(); err != nil {
		t.Fatal(err)
	}
	s.failNext(t, bson.Doc("failCommands", bson.A{"aggregate"}, "errorCode", 8000), 1)
	if _, err := orders.Aggregate(t.Context(), []bson.D{bson.Doc("$match", bson.Doc("total", bson.Doc("$gt", 100)))}); err == nil {
		t.Fatal("the fail point did not act")
	}
	nearest := options.Collection{ReadPreference: mongo.Nearest()}
	if err := s.client.Database("shop").Collection("orders", &nearest).FindOne(t.Context(), bson.D{}).Err(); err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		t.Fatal(err)
	}
}

func (s *scene) failNext(t *testing.T, data bson.D, times int) {
	t.Helper()
	if err := s.SetFailPoint(s.Primary(), bson.Doc("configureFailPoint", "failCommand", "mode", bson.Doc("times", times), "data", data)); err != nil {
		t.Fatal(err)
	}
}

// hold keeps finds running until the test calls release. There are more finds than connections.
func (s *scene) hold(t *testing.T, n int) (release func()) {
	t.Helper()
	free := make(chan struct{})
	var finds sync.WaitGroup
	for range n {
		s.Control("find", func(mongotest.Command) mongotest.Answer {
			<-free
			return mongotest.Answer{}
		})
		finds.Go(func() { s.client.Database("shop").Collection("orders").FindOne(context.Background(), bson.D{}) })
	}
	release = sync.OnceFunc(func() {
		close(free)
		finds.Wait()
	})
	t.Cleanup(release)
	return release
}

var looks = []struct {
	name string
	chromium.Look
}{
	{"desktop-light", chromium.Look{Width: 1360, Height: 900}},
	{"desktop-dark", chromium.Look{Width: 1360, Height: 900, Dark: true}},
	{"phone-light", chromium.Look{Width: 390, Height: 844, Zoom: 2}},
	{"phone-dark", chromium.Look{Width: 390, Height: 844, Zoom: 2, Dark: true}},
}

// keep writes screenshots of the page to the directory in ONION_SCREENSHOTS, for people to look at.
func keep(t *testing.T, tab *chromium.Tab, name string) {
	t.Helper()
	directory := os.Getenv("ONION_SCREENSHOTS")
	if directory == "" {
		return
	}
	for _, look := range looks {
		tab.Look(look.Look)
		tab.Wait(`document.getElementById("links") === null || document.getElementById("links").children.length > 0`)
		tab.Eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`, nil)
		if err := os.WriteFile(filepath.Join(directory, name+"-"+look.name+".png"), tab.Screenshot(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPageOfAClientInABrowser(t *testing.T) {
	browser := chromium.Start(t)
	s := newScene(t)
	s.use(t)
	tab := browser.Open(t, s.url, looks[0].Look)
	tab.Wait(`document.querySelectorAll("#servers .node.primary").length === 1 && document.querySelectorAll("#servers .node.secondary").length === 2`)
	tab.Wait(`document.getElementById("live").dataset.state === "live" && document.title.startsWith("shop")`)
	tab.Wait(`document.querySelectorAll("#slowest tbody tr").length >= 10`)
	tab.Wait(`document.getElementById("problems").innerText.includes("ShutdownInProgress") && document.getElementById("problems").innerText.includes("worked in")`)
	tab.Wait(`document.getElementById("problems").innerText.includes("DuplicateKey")`)

	release := s.hold(t, 12)
	tab.Wait(`document.querySelectorAll("#running tbody tr").length === 12`)
	tab.Wait(`document.querySelector("#servers .waiting").innerText.startsWith("4 waiting")`)
	s.Kill((s.Primary() + 1) % 3)
	tab.Wait(`document.querySelectorAll("#servers .node.down .trouble").length === 1`)
	tab.Eval(`document.querySelector('#why-form [name=mode]').value = "nearest"; document.querySelector("#why-form button").click()`, nil)
	tab.Wait(`document.querySelectorAll("#why tbody tr").length === 3 && document.querySelector("#why .window")`)
	keep(t, tab, "client")
	tab.Look(looks[0].Look)
	release()
	tab.Wait(`document.querySelectorAll("#running tbody tr").length === 0`)
	tab.Wait(`document.querySelector("#running-panel").offsetHeight * 8 < innerHeight`) // an empty panel leaves its space to the others

	before := s.Primary()
	s.StepDown()
	if s.Primary() == before {
		t.Fatal("nobody else was elected")
	}
	tab.Wait(`document.querySelector("#servers .node.primary .address").innerText === "` + s.Hosts()[s.Primary()] + `"`)
	tab.Wait(`document.querySelectorAll("#changes li").length >= 8`)
	checkAccess(t, tab)
	s.client.Close(t.Context())
	tab.Wait(`document.getElementById("live").dataset.state === "closed"`)
}

// checkAccess checks what people who use the keyboard or have low vision need.
func checkAccess(t *testing.T, tab *chromium.Tab) {
	t.Helper()
	// The space bar pauses and resumes.
	tab.Eval(`document.activeElement.blur()`, nil)
	tab.Press(" ", "Space", " ")
	tab.Wait(`document.getElementById("live").dataset.state === "paused"`)
	tab.Press(" ", "Space", " ")
	tab.Wait(`document.getElementById("live").dataset.state === "live"`)
	// The keyboard alone can ask a question, and the focus moves to the answer.
	tab.Eval(`document.querySelector("[data-why]").focus()`, nil)
	tab.Press("Enter", "Enter", "\r")
	tab.Wait(`document.activeElement.id === "why-title" && document.querySelector("#why .chosen")`)
	var wrong []string
	tab.Eval(contrastCheck, &wrong)
	for _, look := range looks {
		tab.Look(look.Look)
		var list []string
		tab.Eval(contrastCheck, &list)
		for _, w := range list {
			wrong = append(wrong, look.name+": "+w)
		}
		var width int
		tab.Eval(`document.documentElement.scrollWidth`, &width)
		if width > look.Width {
			t.Errorf("%s: the page is %d pixels wide", look.name, width)
		}
	}
	if len(wrong) > 0 {
		t.Errorf("too little contrast, or no name:\n%s", strings.Join(wrong, "\n"))
	}
	tab.Look(looks[0].Look)
}

// contrastCheck lists texts with a contrast of less than 4.5 (WCAG 2.2, 1.4.3) and controls that have no name.
const contrastCheck = `(() => {
	const rgb = text => { const m = text.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
	const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > .99) return c.slice(0, 3); } return [255, 255, 255]; };
	const out = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest("script,style,svg,.never,.skip,:disabled")) continue;
		const a = light(rgb(getComputedStyle(e).color).slice(0, 3)), b = light(ground(e));
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) out.add(ratio.toFixed(2) + " " + e.tagName + "." + e.className + ": " + walk.currentNode.data.trim().slice(0, 40));
	}
	for (const e of document.querySelectorAll("button,input,select,a[href]")) {
		if (!e.checkVisibility()) continue;
		const name = e.getAttribute("aria-label") || e.innerText || (e.labels && e.labels.length && e.labels[0].innerText);
		if (!name || !name.trim()) out.add("no name: " + e.outerHTML.slice(0, 80));
	}
	return [...out];
})()`
