// Package mongotest is an in-memory MongoDB deployment that speaks the wire protocol, for tests that need a server.
//
// A deployment starts in less than a millisecond, so every test can have its own:
//
//	func TestSignUpSurvivesAnElection(t *testing.T) {
//		d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
//		client, err := mongo.Connect(t.Context(), d.URI())
//		...
//		d.StepDown()
//		...
//	}
//
// Any driver in any language can talk to it: it listens on a loopback port, and [Deployment.URI] is its connection
// string. The program tools/mongotestd serves one from the command line. With [InMemory] it needs no port, and a Go client
// that uses [Deployment.Dialer] can share a testing/synctest bubble with it, where time passes at once. README.md has ten
// recipes.
//
// # What it can be
//
// [Standalone], [ReplicaSet], [Sharded] and [LoadBalanced] choose its shape. [Version] or [Image] chooses the server
// version that it imitates, from 4.2 to 9.0; it accepts and refuses what that version does. [Auth], [WithUser],
// [WithAWSKey], [WithToken] and [TLS] control access, and the roles of users are enforced. Replica sets and routers run
// multi-document transactions. They also store and search the data of Queryable Encryption. [Deployment.Resolver] gives
// the deployment a name in a fake DNS, for mongodb+srv connection strings.
//
// # What can happen to it
//
//   - [Deployment.StepDown], [Deployment.Kill], [Deployment.Restart] and [Deployment.Reconfigure] change who serves. A
//     replica set elects another primary after about 20 ms ([ElectionDelay]). Open transactions end with the old one.
//   - [Deployment.Partition], [Deployment.Latency] and [Deployment.CloseConnections] disturb the network.
//   - [Deployment.Skew] sets a node's clock wrong.
//   - [Deployment.Lag] makes a secondary fall behind, [Deployment.CatchUp] lets it catch up at a given rate, and
//     [Deployment.InitialSync] starts one without data. [LoseUnreplicatedWrites] makes a failover lose the writes that no
//     majority had.
//   - [Deployment.Control] and [Deployment.Intercept] intercept requests: a test can inspect one, delay it, answer it or
//     drop its connection.
//   - The command configureFailPoint works as on a real server. [Deployment.Fail] sets a fail point without that command.
//
// # What tests see and prepare
//
// [Deployment.Commands] lists the commands received, with filters such as [Application], and [Deployment.WaitFor] waits
// for one. [Deployment.Seed], [Deployment.SeedJSON] and [Deployment.SeedDir] store documents, and [Deployment.Documents]
// reads them. [Deployment.Reset] prepares for the next test, and [Deployment.DumpOnFailure] logs the contents when a test
// fails. [Deployment.Advance] moves the clock. [SearchIndexes] enables search indexes, and [TLS] creates a certificate.
//
// # What it is not
//
// It is not a database: nothing is written to disk. A feature that mongotest lacks fails with the code that a server uses
// for something unknown to it, and the error's text names mongotest. Each command's file begins with what the command does
// and what it leaves out.
//
// Three differences look like answers of a server: a secondary refuses writes to the database local as to any other, where a
// server lets each member have its own; messages older than OP_MSG, but for commands in OP_QUERY, end their connection, as on
// servers since 5.1, in every version; and commands about the server, the replica set and the cluster ignore unknown fields
// where nothing public says whether a server refuses them.
//
// These are refused:
//
//   - the commands abortRewriteCollection, analyze, autoCompact, cleanupOrphaned,
//     cleanupReshardCollection, configureCollectionBalancing, dbCheck, filemd5,
//     lockInfo, mergeAllChunksOnShard, mergeChunks, refineCollectionShardKey, removeQuerySettings,
//     replSetAbortPrimaryCatchUp, replSetStepUp, rewriteCollection, setIndexCommitQuorum, setProfilingFilterGlobally,
//     setQuerySettings, setUserWriteBlockMode, shardingState, transitionFromDedicatedConfigServer,
//     transitionToDedicatedConfigServer
//   - the stages $rankFusion, $scoreFusion
//   - the expressions $createObjectId, $createUUID, $deserializeEJSON, $encStrContains, $encStrEndsWith, $encStrNormalizedEq,
//     $encStrStartsWith, $hash, $hexHash, $serializeEJSON
//   - JavaScript without the option of package javascript: $where, $function, $accumulator, mapReduce
//   - Atlas Search: $search, $searchMeta, $vectorSearch, and the metadata that they produce
//   - regular expressions with recursion, conditions or possessive quantifiers
//   - unique indexes of the kinds 2d and 2dsphere
//   - writes to the buckets of a time series other than inserts, and buckets of versions 2 and 3, which are compressed
//   - $out into a time series, and the options clusteredIndex and forceNonUnique of collMod
//   - the resume tokens of find, and returnKey with an index over arrays
//   - the maintenance mode of members, and members or shards outside the deployment
//   - a user's time zone that the tz database does not have
//   - the first version of Queryable Encryption, and searches under more than 65,536 contention factors
//
// Nothing here may import the driver itself (runtime/mongo, runtime/internal/exec).
package mongotest
