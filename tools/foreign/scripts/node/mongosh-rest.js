// mongosh's helpers that mongosh.js leaves: of the administration, plans, sessions, replica sets, chunks and zones:
// mongosh URI mongosh-rest.js
const assert = require('node:assert/strict');
load(`${__dirname}/mongosh-tests.js`);

const store = db.getSiblingDB('store');
store.dropDatabase();
const fresh = collectionsOf(store);

// Databases
test('all users and roles', () => {
  for (const user of ['a', 'b']) store.createUser({ user, pwd: 'x', roles: [] });
  for (const role of ['r', 's']) store.createRole({ role, privileges: [{ resource: { db: 'store', collection: '' }, actions: ['find', 'insert'] }], roles: [] });
  store.updateRole('r', { roles: ['read'] });
  store.revokePrivilegesFromRole('r', [{ resource: { db: 'store', collection: '' }, actions: ['insert'] }]);
  same([store.getRole('r', { showPrivileges: true }).privileges[0].actions, store.getRoles().roles.length], [['find'], 2]);
  same([store.dropAllUsers().n, store.dropAllRoles().n], [2, 2]);
});
test('fsyncLock and fsyncUnlock', () => { if (kind === 'sharded') return; same(db.fsyncLock().lockCount, 1); same(db.fsyncUnlock().lockCount, 0); });
test('serverBits, isMaster, serverCmdLineOpts', () => { same(db.serverBits(), 64); assert(db.isMaster().maxBsonObjectSize && db.serverCmdLineOpts().argv); });
test('logs', () => { assert(db.setLogLevel(1, 'query').was && db.getLogComponents().query.verbosity === 1); db.setLogLevel(-1, 'query'); assert(db.adminCommand({ getLog: 'global' }).log); });
test('listCommands and commandHelp', () => { assert(Object.keys(db.listCommands()).length > 0 && typeof db.commandHelp('find') === 'string'); });
test('printCollectionStats', () => { fresh(numbers(1)); store.printCollectionStats(); });
test('help', () => assert(db.help() && store.c0.help() && db.getMongo().help() && rs.help() && sh.help()));
test('sharding of a deployment', () => { if (kind === 'sharded') db.printShardingStatus(); else refused(() => db.printShardingStatus()); });
test('checkMetadataConsistency', () => {
  if (kind !== 'sharded') return refused(() => db.checkMetadataConsistency().toArray());
  same([db.checkMetadataConsistency().toArray(), store.c0.checkMetadataConsistency().toArray()], [[], []]);
});

// Collections
test('convertToCapped', () => { if (kind === 'sharded') return; const c = fresh(numbers(3)); same([c.convertToCapped(4096).ok, c.isCapped()], [1, true]); });
test('exists and getIndexSpecs', () => { const c = fresh(numbers(1)); same([c.exists().name, store.none.exists(), c.getIndexSpecs()[0].name], [c.getName(), null, '_id_']); });
test('ensureIndex and reIndex', () => { const c = fresh(numbers(1)); c.ensureIndex({ n: 1 }); same(c.getIndexes().length, 2); if (kind === 'standalone') same(c.reIndex().nIndexes, 2); else refused(() => c.reIndex()); });
test('search indexes', () => {
  const c = fresh(numbers(1));
  for (const call of [() => c.getSearchIndexes(), () => c.createSearchIndex('x', { mappings: { dynamic: true } }), () => c.createSearchIndexes([{ name: 'x', definition: {} }]),
    () => c.updateSearchIndex('x', {}), () => c.dropSearchIndex('x')]) refused(call);
});
test('mapReduce', () => { const c = fresh(numbers(6)); try { same(c.mapReduce(function () { emit(this.k, 1); }, (k, v) => Array.sum(v), { out: { inline: 1 } }).results.length, 3); } catch (error) { if (!/JavaScript|mapReduce/i.test(error.message)) throw error; } });
test('the cache of plans', () => {
  const c = fresh(numbers(20));
  c.createIndexes([{ n: 1 }, { k: 1, n: 1 }]);
  c.find({ k: 1, n: { $gt: 3 } }).toArray();
  const cache = c.getPlanCache();
  assert(Array.isArray(cache.list()));
  cache.clearPlansByQuery({ k: 1, n: { $gt: 3 } });
  cache.clear();
  same([cache.list(), c.aggregate([{ $planCacheStats: {} }]).toArray()], [[], []]);
  refused(() => cache.listQueryShapes());
});
test('an explainable collection', () => { const e = fresh(numbers(3)).explain(); e.setVerbosity('executionStats'); same(e.getVerbosity(), 'executionStats'); assert(e.find({ n: 1 }).finish().ok && e.find({ n: 1 }).projection({ n: 1 }).sort({ n: 1 }).allowDiskUse().next()); });
test('the builders of bulk writes, in order', () => {
  const c = fresh([{ _id: 1, a: [1, 2, 3] }, { _id: 2 }]), bulk = c.initializeOrderedBulkOp();
  bulk.find({ _id: 1 }).arrayFilters([{ x: { $gt: 1 } }]).updateOne({ $set: { 'a.$[x]': 9 } });
  bulk.find({ _id: 7 }).upsert().replaceOne({ b: 1 });
  bulk.find({ _id: 2 }).delete();
  same([bulk.toJSON().nInsertOps, bulk.getOperations === undefined], [0, false]);
  const r = bulk.execute();
  same([r.modifiedCount, r.upsertedCount, r.deletedCount, c.findOne({ _id: 1 }).a, bulk.getOperations().length > 0], [1, 1, 1, [1, 9, 9], true]);
});

// Cursors
test('options of a find', () => {
  const c = fresh(numbers(9));
  same(c.find().sort({ n: -1 }).allowDiskUse().allowPartialResults().noCursorTimeout().projection({ n: 1 }).limit(1).toArray(), [{ _id: 8, n: 8 }]);
  c.createIndex({ n: 1 });
  same(c.find({ n: 3 }).hint({ n: 1 }).returnKey(true).toArray(), [{ n: 3 }]);
  same(c.find().addOption(128).itcount(), 9);
  same(c.find().batchSize(2).objsLeftInBatch(), 0);
  same(c.find({ n: 1 }).disableBlockWarnings().help() !== null, true);
  same(c.aggregate([{ $match: { k: 1 } }]).projection({ n: 1, _id: 0 }).toArray().length, 3);
});
test('a tailable cursor that waits', () => {
  store.createCollection('tail', { capped: true, size: 4096 });
  store.tail.insertOne({ _id: 1 });
  const cursor = store.tail.find().tailable({ awaitData: true }).maxAwaitTimeMS(20);
  same([cursor.next()._id, cursor.tryNext()], [1, null]);
  cursor.close();
});

// The connection and sessions
test('concerns and preferences of the connection', () => {
  const m = db.getMongo();
  assert(/^mongodb:/.test(m.getURI()) && m.getDBs().databases.length);
  m.setReadPref('secondaryPreferred', [{ a: 'b' }, {}]);
  same([m.getReadPref().mode, m.getReadPrefTagSet().length], ['secondaryPreferred', 2]);
  m.setReadPref('primary');
  m.setReadConcern('local');
  m.setWriteConcern({ w: 1 });
  same([m.getReadConcern(), m.getWriteConcern().w], ['local', 1]);
  refused(() => m.setCausalConsistency(true)); // the shell has that in sessions only
  refused(() => m.isCausalConsistency());
  m.setSecondaryOk();
  m.setReadPref('primary');
  m.setReadConcern('majority');
});
test('times of a session', () => {
  const a = db.getMongo().startSession({ causalConsistency: true }), b = db.getMongo().startSession();
  same([a.hasEnded(), a.getOptions().causalConsistency], [false, true]);
  a.getDatabase('store').c0.findOne();
  if (kind !== 'standalone') {
    b.advanceClusterTime(a.getClusterTime());
    b.advanceOperationTime(a.getOperationTime());
    b.getDatabase('store').c0.findOne();
    b.startTransaction();
    b.getDatabase('store').committed.insertOne({ _id: 1 });
    b.commitTransaction();
    same(store.committed.countDocuments(), 1);
  }
  for (const s of [a, b]) s.endSession();
  same(a.hasEnded(), true);
});
if (kind === 'standalone') skip('what a change stream tells', 'a standalone server has no change streams');
else {
  test('what a change stream tells', () => {
    const c = fresh(numbers(1)), stream = c.watch();
    c.insertMany([{ _id: 8 }, { _id: 9 }]);
    let first = null;
    for (let i = 0; i < 200 && !first; i++) first = stream.tryNext();
    same([first.documentKey._id, stream.getResumeToken()], [8, first._id]);
    stream.close();
  });
}

// Replica sets
if (kind !== 'set') skip('a replica set and its configuration', 'the deployment is no replica set');
else {
  test('a replica set and its configuration', () => {
    same([rs.isMaster().setName, rs.conf().members.length], [rs.config()._id, rs.status().members.length]);
    const version = rs.conf().version, config = rs.conf();
    config.settings = { ...config.settings, heartbeatTimeoutSecs: 11 };
    same(rs.reconfig(config).ok, 1);
    assert(rs.conf().version > version && rs.conf().settings.heartbeatTimeoutSecs === 11);
    fails('AlreadyInitialized', () => rs.initiate());
    assert(db.getReplicationInfo().timeDiff >= 0);
    rs.printReplicationInfo();
    db.printReplicationInfo();
    rs.printSecondaryReplicationInfo();
    refused(() => rs.freeze(10));
    refused(() => rs.syncFrom('localhost:1'));
    assert(rs.secondaryOk() !== null);
  });
}

// Shards
if (kind !== 'sharded') {
  for (const name of ['chunks', 'getShardVersion', 'zones', 'the balancer', 'the balancer of a collection', 'moves of collections']) skip(name, 'the deployment is not sharded');
} else {
  const shards = db.adminCommand({ listShards: 1 }).shards.map((x) => x._id);
  test('chunks', () => {
    sh.shardCollection('store.chunks', { n: 1 });
    store.chunks.insertMany(numbers(20));
    same([sh.splitAt('store.chunks', { n: 5 }).ok, sh.splitFind('store.chunks', { n: 15 }).ok], [1, 1]);
    same(sh.moveChunk('store.chunks', { n: 1 }, shards.at(-1)).ok, 1);
    same(store.chunks.countDocuments(), 20);
    assert(store.chunks.getShardDistribution());
    same([sh.listShards().length, sh.isConfigShardEnabled().enabled], [shards.length, false]);
    assert(sh.getShardedDataDistribution().toArray().some((x) => x.ns === 'store.chunks'));
  });
  test('getShardVersion', () => same(store.chunks.getShardVersion().ok, 1));
  test('zones', () => {
    same([sh.addShardToZone(shards[0], 'z').ok, sh.addShardTag(shards[0], 't').ok], [1, 1]);
    same(sh.updateZoneKeyRange('store.chunks', { n: 0 }, { n: 3 }, 'z').ok, 1);
    same(sh.addTagRange('store.chunks', { n: 3 }, { n: 4 }, 't').ok, 1);
    same([sh.removeTagRange('store.chunks', { n: 3 }, { n: 4 }).ok, sh.removeRangeFromZone('store.chunks', { n: 0 }, { n: 3 }).ok], [1, 1]);
    same([sh.removeShardTag(shards[0], 't').ok, sh.removeShardFromZone(shards[0], 'z').ok], [1, 1]);
  });
  test('the balancer', () => {
    sh.setBalancerState(true);
    same([sh.getBalancerState(), sh.isBalancerRunning().ok, sh.balancerCollectionStatus('store.chunks').ok], [true, 1, 1]);
    sh.stopAutoMerger();
    same(sh.isAutoMergerEnabled(), false);
    sh.startAutoMerger();
    same(sh.isAutoMergerEnabled(), true);
  });
  test('the balancer of a collection', () => {
    sh.disableBalancing('store.chunks');
    same(db.getSiblingDB('config').collections.findOne({ _id: 'store.chunks' }).noBalance, true);
    sh.enableBalancing('store.chunks');
    same(db.getSiblingDB('config').collections.findOne({ _id: 'store.chunks' }).noBalance, false);
  });
  test('the merger of a collection', () => {
    for (const [call, on] of [[sh.disableAutoMerger, false], [sh.enableAutoMerger, true]]) {
      const answer = call.call(sh, 'store.chunks');
      same([answer.ok ?? answer.acknowledged, db.getSiblingDB('config').collections.findOne({ _id: 'store.chunks' }).enableAutoMerge ?? true], [answer.ok === undefined ? true : 1, on]);
    }
  });
  test('moves of collections', () => {
    const c = fresh(numbers(4));
    same(sh.moveCollection(c.getFullName(), shards.at(-1)).ok, 1);
    same(sh.reshardCollection('store.chunks', { _id: 1 }).ok, 1);
    same(sh.unshardCollection('store.chunks', shards[0]).ok, 1);
    same([c.countDocuments(), store.chunks.countDocuments()], [4, 20]);
    refused(() => sh.abortReshardCollection('store.chunks'));
  });
}
test('log out, and in without a user', () => { assert(store.logout() !== null); fails(18, () => db.getSiblingDB('admin').auth('nobody', 'x')); });
print(`1..${count}`);
