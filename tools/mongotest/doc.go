// Package mongotest is an in-memory MongoDB deployment that speaks the wire protocol, for tests that need a server.
//
// A deployment starts in less than a millisecond, so that every test can have its own:
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
// that uses [Deployment.Dialer] can share a testing/synctest bubble with it, where time passes at once.
//
// # What it can be
//
// [Standalone], [ReplicaSet], [Sharded] and [LoadBalanced] are the shapes, [Version] or [Image] is the server version
// that it answers as, 4.2 to 9.0, with what that version can and refuses. [Auth], [WithUser], [WithAWSKey], [WithToken]
// and [TLS] guard it, and the roles of its users are enforced. Replica sets and routers run multi-document transactions,
// and store and search what Queryable Encryption encrypts.
// [Deployment.Resolver] gives it a name in a DNS of its own, for mongodb+srv connection strings.
//
// # What can happen to it
//
//   - [Deployment.StepDown], [Deployment.Kill], [Deployment.Restart] and [Deployment.Reconfigure] change who serves;
//     a replica set elects another primary within some 20 ms ([ElectionDelay]). Open transactions end with the primary.
//   - [Deployment.Partition], [Deployment.Latency] and [Deployment.CloseConnections] disturb the network.
//   - [Deployment.Skew] sets a node's clock wrong.
//   - [Deployment.Lag] has a secondary fall behind, [Deployment.CatchUp] lets it follow at a rate, and
//     [Deployment.InitialSync] starts one without data. [LoseUnreplicatedWrites] has a failover lose what only it had.
//   - [Deployment.Control] and [Deployment.Intercept] intercept requests: a test looks at one, holds it, answers it or drops the
//     connection.
//   - The command configureFailPoint works as on a real server; [Deployment.Fail] saves a test its document.
//
// # What tests see and prepare
//
// [Deployment.Commands] is everything that was received, with filters such as [Application], and [Deployment.WaitFor] waits for
// one. [Deployment.Seed], [Deployment.SeedJSON] and [Deployment.SeedDir] store documents, [Deployment.Documents] reads them,
// [Deployment.Reset] starts anew, and [Deployment.DumpOnFailure] tells a failing test what is there. [Deployment.Advance] moves
// the clock, and [SearchIndexes] and [OwnTLS] save a test their set-up.
//
// # What it is not
//
// It is not a database: nothing is written to disk. What a server has and mongotest has not fails with the code that a server
// gives for something that it does not know, and the text names mongotest. Each command's file begins with what the command does
// and what it leaves out. These are refused:
//
//   - the commands abortRewriteCollection, analyze, analyzeShardKey, autoCompact, cleanupOrphaned,
//     cleanupReshardCollection, configureCollectionBalancing, configureQueryAnalyzer, dbCheck, filemd5,
//     getShardVersion, lockInfo, mergeAllChunksOnShard, mergeChunks, refineCollectionShardKey, removeQuerySettings,
//     replSetAbortPrimaryCatchUp, replSetStepUp, rewriteCollection, setIndexCommitQuorum, setProfilingFilterGlobally,
//     setQuerySettings, setUserWriteBlockMode, shardingState, transitionFromDedicatedConfigServer,
//     transitionToDedicatedConfigServer
//   - the stages $rankFusion, $scoreFusion
//   - the expressions $createObjectId, $createUUID, $deserializeEJSON, $encStrContains, $encStrEndsWith, $encStrNormalizedEq,
//     $encStrStartsWith, $hash, $hexHash, $serializeEJSON
//   - JavaScript without the option of package javascript: $where, $function, $accumulator, mapReduce
//   - Atlas Search: $search, $searchMeta, $vectorSearch, and the metadata that they leave
//   - text search in danish, dutch, finnish, german, italian, portuguese, romanian, turkish
//   - regular expressions with recursion, conditions or possessive quantifiers
//   - unique indexes of the kinds text, 2d and 2dsphere
//   - writes to the buckets of a time series other than inserts, and buckets of versions 2 and 3, which are compressed
//   - $out into a time series, and the options timeseries, clusteredIndex and forceNonUnique of collMod
//   - the resume tokens of find, and returnKey with an index over arrays
//   - the maintenance mode of members, and members or shards outside the deployment
//   - a user's time zone that the tz database does not have
//   - the first version of Queryable Encryption, and searches under more contention factors than anybody sets
//
// Nothing here may import the driver itself (runtime/mongo, runtime/internal/exec).
package mongotest
