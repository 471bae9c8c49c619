package unified

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/javascript"
	"github.com/specdrivers/onion/tools/suite"
)

func serverURI() string { return os.Getenv(suite.ServerVariable) }

// deployment is what a case runs on.
type deployment struct {
	kind  Kindred
	fresh bool // no case has used it before, and none will later
	mem   *mongotest.Deployment
}

// The user of a deployment that asks for authentication, of SCRAM and of PLAIN.
const (
	userName = "runner"
	password = "runner"
)

// deploy starts a deployment in memory, or takes the existing one that ServerVariable names.
func deploy(k Kindred) (*deployment, error) {
	d := &deployment{kind: k}
	if k.uri != "" {
		return d, nil
	}
	d.fresh = true
	set := []mongotest.Option{mongotest.Version(release(k.Version)), mongotest.InMemory(), javascript.Enable()}
	switch k.Topology {
	case "single":
		set = append(set, mongotest.Standalone())
	case "replicaset":
		set = append(set, mongotest.ReplicaSet(3))
	case "sharded":
		set = append(set, mongotest.Sharded(2))
	case "load-balanced":
		routers := 2
		if k.oneRouter {
			routers = 1
		}
		set = append(set, mongotest.LoadBalanced(routers))
	}
	if k.Auth {
		set = append(set, mongotest.Auth(userName, password), mongotest.WithToken(oidcToken),
			mongotest.WithUser(mongotest.User{Name: userName, DB: "$external", Password: password}),
			mongotest.WithAWSKey(awsKey))
	}
	for _, p := range k.Parameters {
		set = append(set, mongotest.Parameter(p.Key, p.Value))
	}
	var err error
	d.mem, err = mongotest.New(set...)
	return d, err
}

func (d *deployment) close() {
	if d.mem != nil {
		d.mem.Close()
	}
}

// uri returns the connection string. many says whether a client of a sharded cluster must know several routers, or must know
// one. Unified Test Format, "useMultipleMongoses".
func (d *deployment) uri(many *bool) string {
	text := d.kind.uri
	if d.mem != nil {
		text = d.mem.URI()
	}
	if d.mem != nil && d.kind.Topology == "load-balanced" && many != nil && !*many {
		if single, err := d.mem.URIOf(0); err == nil { // a failure shows in the test: it meets the other router
			text = single
		}
	}
	if d.mem == nil && d.kind.Topology == "load-balanced" {
		if many != nil && !*many {
			return d.kind.single
		}
		return d.kind.several
	}
	if many == nil && (d.kind.oneRouter || d.kind.narrow) {
		many = new(false) // a client of the case sets fail points on one router, which must reach this one
	}
	if d.kind.Topology != "sharded" || many == nil || *many {
		return text
	}
	scheme, rest, _ := strings.Cut(text, "://")
	hosts, tail, _ := strings.Cut(rest, "/")
	user := ""
	if i := strings.LastIndex(hosts, "@"); i >= 0 {
		user, hosts = hosts[:i+1], hosts[i+1:]
	}
	first, _, _ := strings.Cut(hosts, ",")
	return scheme + "://" + user + first + "/" + tail
}

// routers returns the addresses in the connection string of a sharded cluster that is there already.
func (d *deployment) routers() []string {
	if d.mem != nil || d.kind.Topology != "sharded" {
		return nil
	}
	_, rest, _ := strings.Cut(d.kind.uri, "://")
	hosts, _, _ := strings.Cut(rest, "/")
	hosts, _, _ = strings.Cut(hosts, "?")
	return strings.Split(hosts[strings.LastIndex(hosts, "@")+1:], ",")
}

// warmRouters makes every router learn where a collection is, so none meets an old version of its database inside a transaction.
// Unified Test Format, "StaleDbVersion Errors on Sharded Clusters".
func (r *Run) warmRouters(database, collection string) {
	r.t.Helper()
	for _, router := range r.deployment.routers() {
		client, err := mongo.Connect(r.ctx, r.deployment.host(router), r.deployment.options())
		r.must(err, "connect to "+router)
		err = client.Database(database).Collection(collection).Distinct(r.ctx, "_id", bson.D{}).Err()
		_ = client.Close(context.Background())
		r.must(err, "warm "+router)
	}
}

// host returns a connection string for one member alone.
func (d *deployment) host(address string) string {
	text := d.kind.uri
	if d.mem != nil {
		text = d.mem.URI()
	}
	_, rest, _ := strings.Cut(text, "://")
	hosts, tail, _ := strings.Cut(rest, "/")
	user := ""
	if i := strings.LastIndex(hosts, "@"); i >= 0 {
		user = hosts[:i+1]
	}
	_, query, _ := strings.Cut(tail, "?")
	var kept []string
	for _, pair := range strings.Split(query, "&") {
		if name, _, _ := strings.Cut(pair, "="); pair != "" && !strings.EqualFold(name, "replicaSet") {
			kept = append(kept, pair)
		}
	}
	return "mongodb://" + user + address + "/?" + strings.Join(append(kept, "directConnection=true"), "&")
}

// options returns what every client of the deployment needs.
func (d *deployment) options() *options.Client {
	o := &options.Client{}
	if d.mem != nil {
		o.Dialer = d.mem.Dialer()
	}
	return o
}

// release lets commands go on that a fail point blocks.
func (d *deployment) release() {}

// disableFailPoints turns off the fail points of a case, so that they do not reach the next one. It runs while the clients of the case
// are still open, because each knows the router on which it set a fail point.
func (d *deployment) disableFailPoints(r *Run) {
	if d.fresh {
		return
	}
	ctx := context.Background()
	for _, c := range r.clients {
		for _, p := range c.failPoints {
			if p.turnOff(ctx) != nil { // the case has closed its client
				_ = (&failPoint{client: r.internal, point: p.point}).turnOff(ctx)
			}
			if p.owned {
				_ = p.client.Close(ctx)
			}
		}
	}
}

// reset undoes what else a case has done to a deployment that other cases will use.
func (d *deployment) reset(r *Run) {
	if d.fresh {
		return
	}
	ctx := context.Background()
	_ = r.internal.Database("admin").RunCommand(ctx, bson.Doc("killAllSessions", bson.A{})).Err()
}

// examineServer describes the deployment at a connection string, and says why a case does not run there, if it does not.
func (w Where) examineServer(t *testing.T, uri string) (Kindred, string) {
	t.Helper()
	ctx := t.Context()
	client, err := mongo.Connect(ctx, uri)
	if err != nil {
		t.Fatalf("connect to the deployment of %s: %v", suite.ServerVariable, err)
	}
	defer client.Close(context.Background())
	k := Kindred{uri: uri}
	if err := k.describe(ctx, client); err != nil {
		t.Fatalf("describe the deployment of %s: %v", suite.ServerVariable, err)
	}
	k.single, k.several = os.Getenv(suite.SingleBalancerVariable), os.Getenv(suite.SeveralBalancerVariable)
	if k.Topology == "load-balanced" && (k.single == "" || k.several == "") {
		t.Fatalf("a deployment behind load balancers needs %s and %s", suite.SingleBalancerVariable, suite.SeveralBalancerVariable)
	}
	if !w.isMet(k) {
		return k, "it is " + k.String()
	}
	return k, ""
}

// describe reads version, topology and parameters.
func (k *Kindred) describe(ctx context.Context, client *mongo.Client) error {
	admin := client.Database("admin")
	var build struct {
		Version []int `bson:"versionArray"`
	}
	if err := admin.RunCommand(ctx, bson.Doc("buildInfo", 1)).Decode(&build); err != nil {
		return err
	}
	if len(build.Version) < 3 {
		return errors.New("its buildInfo has no versionArray")
	}
	k.Version = fmt.Sprintf("%d.%d.%d", build.Version[0], build.Version[1], build.Version[2])
	switch name := client.TopologyDescription().Type.String(); name {
	case "Single":
		k.Topology = "single"
	case "ReplicaSetWithPrimary", "ReplicaSetNoPrimary":
		k.Topology = "replicaset"
	case "Sharded":
		k.Topology = "sharded"
	case "LoadBalanced":
		k.Topology = "load-balanced"
	default:
		return fmt.Errorf("its topology is %s", name)
	}
	k.Auth = strings.Contains(k.uri, "@")
	_ = admin.RunCommand(ctx, bson.Doc("getParameter", "*")).Decode(&k.Parameters)
	if list, ok := k.Parameters.Lookup("authenticationMechanisms"); ok {
		names, _ := list.(bson.A)
		for _, name := range names {
			k.mechanisms = append(k.mechanisms, fmt.Sprint(name))
		}
	}
	return nil
}
