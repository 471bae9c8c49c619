package mtest

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/uri"
)

// environment is the deployment that Setup has connected to. Without Setup each test has a deployment of its own.
var environment struct {
	uri        string
	client     *mongo.Client
	version    string
	kind       TopologyKind
	replicated bool // the shards are replica sets
	parameters bson.Raw
}

// Setup connects to the deployment that the variable MONGODB_URI of the environment names. From then on the tests of the
// process share it, and those whose options ask for something else are skipped. Call it once, in TestMain.
func Setup() error {
	environment.uri = os.Getenv("MONGODB_URI")
	if environment.uri == "" {
		environment.uri = "mongodb://localhost:27017"
	}
	client, err := mongo.Connect(context.Background(), firstHost(environment.uri))
	if err != nil {
		return err
	}
	if err := learn(client); err != nil {
		return fmt.Errorf("the deployment %s: %w", environment.uri, err)
	}
	environment.client = client
	return nil
}

// learn asks the deployment what it is.
func learn(client *mongo.Client) error {
	admin := client.Database("admin")
	var build struct{ Version string }
	if err := admin.RunCommand(context.Background(), bson.Doc("buildInfo", 1)).Decode(&build); err != nil {
		return err
	}
	var hello struct {
		SetName string `bson:"setName"`
		Msg     string `bson:"msg"`
	}
	if err := admin.RunCommand(context.Background(), bson.Doc("hello", 1)).Decode(&hello); err != nil {
		return err
	}
	parameters, err := admin.RunCommand(context.Background(), bson.Doc("getParameter", "*")).Raw()
	if err != nil {
		return err
	}
	environment.version, environment.parameters, environment.kind = build.Version, parameters, Single
	switch {
	case hello.SetName != "":
		environment.kind = ReplicaSet
	case hello.Msg == "isdbgrid":
		environment.kind = Sharded
		alone, err := client.Database("config").Collection("shards").CountDocuments(context.Background(),
			bson.Doc("host", bson.Doc("$not", bson.Regex{Pattern: "/"})))
		if err != nil {
			return err
		}
		environment.replicated = alone == 0
	}
	return nil
}

// Teardown drops the database TestDB and closes the client of Setup.
func Teardown() error {
	if err := environment.client.Database(TestDB).Drop(context.Background()); err != nil {
		return err
	}
	return environment.client.Close(context.Background())
}

// ClusterURI returns the connection string of the deployment that Setup has connected to.
func ClusterURI() string { return environment.uri }

// ClusterConnString returns ClusterURI, parsed.
func ClusterConnString() *uri.ConnString {
	parsed, err := uri.Parse(environment.uri)
	if err != nil {
		panic("mtest: " + err.Error()) // Setup has connected to it
	}
	return parsed
}

// ClusterTopologyKind returns the shape of the deployment that Setup has connected to.
func ClusterTopologyKind() TopologyKind { return environment.kind }

// ServerVersion returns the version of the deployment that Setup has connected to.
func ServerVersion() string { return environment.version }

// GlobalClient returns the client of Setup. It is connected to the first host of the connection string.
func GlobalClient() *mongo.Client { return environment.client }

// AuthEnabled returns whether the deployment asks for credentials: whether the variable AUTH is "auth".
func AuthEnabled() bool { return os.Getenv("AUTH") == "auth" }

// SSLEnabled returns whether the deployment asks for TLS: whether the variable SSL is "ssl".
func SSLEnabled() bool { return os.Getenv("SSL") == "ssl" }

// AdvanceConfigClusterTime does nothing: all members of a deployment of mongotest have one clock.
func AdvanceConfigClusterTime(context.Context) error { return nil }

// IsCSFLEEnabled returns true: client-side encryption needs no build tag here.
func IsCSFLEEnabled() bool { return true }

// CompareServerVersions compares two versions, such as "7.0" and "8.0.1", by the numbers that both have.
func CompareServerVersions(v1, v2 string) int {
	a, b := strings.Split(v1, "."), strings.Split(v2, ".")
	for i := range min(len(a), len(b)) {
		var x, y int
		fmt.Sscan(a[i], &x)
		fmt.Sscan(b[i], &y)
		if x != y {
			return x - y
		}
	}
	return 0
}

// firstHost leaves one host in a connection string.
func firstHost(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "://")
	hosts, options, slash := strings.Cut(rest, "/")
	user, addresses, at := strings.Cut(hosts, "@")
	if !at {
		user, addresses = "", hosts
	} else {
		user += "@"
	}
	first, _, _ := strings.Cut(addresses, ",")
	if slash {
		options = "/" + options
	}
	return scheme + "://" + user + first + options
}
