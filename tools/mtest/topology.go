package mtest

// TestDb is the database of a test that names no other.
const TestDb = "test"

// TestDB is TestDb as version 2 spells it.
const TestDB = TestDb

// TopologyKind names the shape of a deployment.
type TopologyKind string

// The shapes of deployments.
const (
	ReplicaSet        TopologyKind = "replicaset"
	Sharded           TopologyKind = "sharded"
	Single            TopologyKind = "single"
	LoadBalanced      TopologyKind = "load-balanced"
	ShardedReplicaSet TopologyKind = "sharded-replicaset"
)
