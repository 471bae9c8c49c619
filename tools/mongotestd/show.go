package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongodebug/record"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
	"github.com/specdrivers/onion/tools/mongotest"
)

const (
	maxProblems = 100
	maxChanges  = 200
	// lookEvery is how often watch checks the state of the nodes for changes.
	lookEvery = 50 * time.Millisecond
)

// pageSource is the source of the page: a deployment, and what the observer reported about its commands.
type pageSource struct {
	settings *settings
	running  atomic.Pointer[mongotest.Deployment] // nil while the deployment starts
	handler  *view.Handler
	began    time.Time

	ids             atomic.Int64
	received, wrong atomic.Int64
	dropped         atomic.Int64
	activity        record.Activity
	slowest         record.Slowest[view.Operation]
	problems        record.Last[view.Problem]
	changes         record.Last[view.Change]

	mu     sync.Mutex
	byName map[string]int64 // commands received
}

func (x *pageSource) deployment() *mongotest.Deployment { return x.running.Load() }

func newPageSource(s *settings) *pageSource {
	x := &pageSource{settings: s, began: time.Now(), byName: map[string]int64{}}
	x.handler = &view.Handler{Source: x}
	return x
}

// serve shows the deployment at an address until stop is called.
func (x *pageSource) serve(d *mongotest.Deployment, address string, out io.Writer) (stop func(), err error) {
	x.running.Store(d)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/{$}", x.handler)
	mux.Handle("/{name}", x.handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	var running sync.WaitGroup
	running.Go(func() { server.Serve(listener) })
	done := make(chan struct{})
	running.Go(func() { x.watch(done) })
	if _, err := fmt.Fprintf(out, "http://%s/\n", listener.Addr()); err != nil {
		return nil, err
	}
	return func() {
		close(done)
		x.handler.Close()
		server.Close()
		running.Wait()
	}, nil
}

// watch records changes of the nodes, whatever caused them.
func (x *pageSource) watch(done <-chan struct{}) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	seen := map[string]string{}
	x.compareNodes(seen)
	for {
		select {
		case <-ticker.C:
			x.compareNodes(seen)
		case <-done:
			return
		}
	}
}

// compareNodes compares the nodes with their last known state.
func (x *pageSource) compareNodes(seen map[string]string) {
	changed := false
	note := func(subject, now, text string) {
		before, known := seen[subject]
		if known && before == now {
			return
		}
		seen[subject] = now
		x.changes.Add(view.Change{At: time.Now().UnixMilli(), Subject: subject, From: before, To: now, Note: text}, maxChanges)
		changed = true
	}
	nodes := x.deployment().Nodes()
	for _, n := range nodes {
		text := ""
		switch {
		case n.Stopped:
			text = "stopped"
		case n.Partitioned:
			text = "cut off: connections stay open, nothing is answered"
		}
		note(n.Address, seenType(n), text)
	}
	note("topology", topologyType(nodes), "")
	if changed {
		x.handler.Notify()
	}
}

// observer returns an observer that counts and records commands.
func (x *pageSource) observer() mongotest.Observer {
	return mongotest.Observer{Answered: x.answered}
}

func (x *pageSource) answered(c mongotest.Command, o mongotest.Outcome) {
	if isMonitoring(c.Name) {
		return
	}
	now := time.Now()
	x.received.Add(1)
	x.count(c.Name)
	code, text := failure(o)
	x.activity.Add(now, o.Took, code != "")
	if code == "" && !x.slowest.Wants(now, o.Took) {
		return
	}
	op := view.Operation{
		ID: x.ids.Add(1), Name: c.Name, Namespace: namespaceOf(c), Server: x.address(c.Node), At: now.Add(-o.Took).UnixMilli(),
		For: view.Milliseconds(o.Took), From: c.AppName, Outcome: code, Shape: describe(c),
	}
	if x.slowest.Wants(now, o.Took) && !hasWaited(c, o) {
		x.slowest.Add(now, o.Took, op)
	}
	if code != "" {
		p := view.Problem{Operation: op, Kind: "server", Text: text, Labels: labelsOf(o.Reply)}
		if x.wrong.Add(1); o.Dropped {
			p.Kind = "network"
			x.dropped.Add(1)
		}
		x.problems.Add(p, maxProblems)
		x.handler.Notify()
	}
}

func (x *pageSource) count(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, known := x.byName[name]; !known && len(x.byName) >= 100 {
		name = "others"
	}
	x.byName[name]++
}

// address returns the address of a node. It is empty for a command that arrives while the deployment starts.
func (x *pageSource) address(node int) string {
	d := x.deployment()
	if d == nil {
		return ""
	}
	if hosts := d.Hosts(); node < len(hosts) {
		return hosts[node]
	}
	return fmt.Sprintf("node %d", node)
}

// isMonitoring reports whether drivers send a command to monitor the deployment.
func isMonitoring(name string) bool {
	return name == "hello" || name == "isMaster" || name == "ismaster"
}

// failure returns the name of an error and the server's text. Both are empty on success.
func failure(o mongotest.Outcome) (name, text string) {
	if o.Dropped {
		return "connection closed", "there was no answer"
	}
	doc := o.Reply
	if ok, _ := doc.Lookup("ok").AsInt64OK(); ok == 1 {
		list, _ := doc.Lookup("writeErrors").ArrayOK()
		first, _ := list.Index(0)
		if doc, _ = first.DocumentOK(); doc == nil {
			doc = failedResult(o.Reply)
		}
		if doc == nil {
			doc, _ = o.Reply.Lookup("writeConcernError").DocumentOK()
		}
	}
	if doc == nil {
		return "", ""
	}
	code, _ := doc.Lookup("code").AsInt64OK()
	text, _ = doc.Lookup("errmsg").StringOK()
	return errcode.Code(code).String(), text
}

// failedResult returns the first result of a bulkWrite that holds an error, nil without one.
func failedResult(reply bson.Raw) bson.Raw {
	if n, _ := reply.Lookup("nErrors").AsInt64OK(); n == 0 {
		return nil
	}
	batch, _ := reply.Lookup("cursor", "firstBatch").ArrayOK()
	for _, v := range batch.All() {
		if result, ok := v.DocumentOK(); ok {
			if code, _ := result.Lookup("code").AsInt64OK(); code != 0 {
				return result
			}
		}
	}
	return bson.EmptyDocument() // a later batch has the result
}

func labelsOf(reply bson.Raw) (labels []string) {
	list, _ := reply.Lookup("errorLabels").ArrayOK()
	for _, v := range list.All() {
		label, _ := v.StringOK()
		labels = append(labels, label)
	}
	return labels
}

// hasWaited reports whether a command was slow because it waited for something to return.
func hasWaited(c mongotest.Command, o mongotest.Outcome) bool {
	batch, ok := o.Reply.Lookup("cursor", "nextBatch").ArrayOK()
	return c.Name == "getMore" && ok && batch.Len() == 0
}

// namespaceOf returns the database and the collection of a command.
func namespaceOf(c mongotest.Command) string {
	name, _ := c.Body.Lookup(c.Name).StringOK()
	if c.Name == "getMore" {
		name, _ = c.Body.Lookup("collection").StringOK()
	}
	if name == "" {
		return c.DB
	}
	return c.DB + "." + name
}

// WriteMetrics writes the counts of received commands, and the state of the nodes.
func (x *pageSource) WriteMetrics(w io.Writer) error {
	fmt.Fprint(w, "# TYPE mongotest_commands counter\n# HELP mongotest_commands Commands that were received.\n")
	x.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(x.byName)) {
		fmt.Fprintf(w, "mongotest_commands_total{command=%q} %d\n", name, x.byName[name])
	}
	x.mu.Unlock()
	fmt.Fprintf(w, "# TYPE mongotest_failures counter\n# HELP mongotest_failures Commands that failed or were not answered.\n"+
		"mongotest_failures_total %d\n", x.wrong.Load())
	fmt.Fprint(w, "# TYPE mongotest_connections gauge\n# HELP mongotest_connections Connections of clients to a node.\n")
	for _, n := range x.deployment().Nodes() {
		if _, err := fmt.Fprintf(w, "mongotest_connections{node=%q} %d\n", n.Address, len(n.Connections)); err != nil {
			return err
		}
	}
	return nil
}

// Decide returns nothing, because drivers, not servers, select servers.
func (x *pageSource) Decide(view.Question) (*view.Decision, error) { return nil, nil }

// clients groups connections by the program and its driver.
func clients(nodes []mongotest.NodeState) []view.Client {
	byName := map[[2]string]*view.Client{}
	for i, n := range nodes {
		for _, c := range n.Connections {
			key := [2]string{c.AppName, c.Driver}
			if byName[key] == nil {
				byName[key] = &view.Client{Name: c.AppName, Driver: c.Driver, Connections: make([]int, len(nodes))}
			}
			byName[key].Connections[i]++
			if c.Running != nil && !isMonitoring(c.Running.Name) {
				byName[key].Running++
			}
		}
	}
	list := []view.Client{}
	for _, c := range byName {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b view.Client) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Driver, b.Driver))
	})
	return list
}
