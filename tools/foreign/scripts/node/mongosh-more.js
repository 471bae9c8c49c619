// mongosh's helpers that the other scripts leave: of explainable collections, streams, the connection, the log, and what is old:
// mongosh URI mongosh-more.js
const assert = require('node:assert/strict');
load(`${__dirname}/mongosh-tests.js`);

const more = db.getSiblingDB('more');
more.dropDatabase();
const fresh = collectionsOf(more);

test('explain of every helper', () => {
  const c = fresh(numbers(6)), e = c.explain('queryPlanner');
  same(e.getCollection().getName(), c.getName());
  for (const plan of [e.count({ n: 1 }), e.distinct('k', { n: 1 }), e.findAndModify({ query: { n: 1 }, remove: true }), e.findOneAndDelete({ n: 1 }), e.findOneAndReplace({ n: 1 }, { z: 1 }),
    e.findOneAndUpdate({ n: 1 }, { $set: { z: 1 } }), e.remove({ n: 1 }), e.update({ n: 1 }, { $set: { z: 1 } })]) same([plan.ok, plan.queryPlanner !== undefined || plan.shards !== undefined], [1, true]);
  try { same(e.mapReduce(function () { emit(this.k, 1); }, (k, v) => Array.sum(v), { out: { inline: 1 } }).ok, 1); } catch (error) { assert(/JavaScript|mapReduce/i.test(error.message), error.message); }
  same([c.countDocuments(), c.countDocuments({ z: 1 })], [6, 0]);
});
test('what else a bulk write has', () => {
  const c = fresh([{ _id: 1, s: 'A' }, { _id: 2, s: 'a' }, { _id: 3, s: 'b' }]), bulk = c.initializeUnorderedBulkOp();
  bulk.find({ s: 'B' }).collation({ locale: 'en', strength: 2 }).hint({ _id: 1 }).updateOne({ $set: { x: 1 } });
  bulk.find({ s: 'A' }).deleteOne();
  bulk.find({ s: 'a' }).remove();
  assert(JSON.parse(bulk.toString()).nRemoveOps >= 0);
  const r = bulk.execute();
  same([r.modifiedCount, r.deletedCount, c.find().toArray()], [1, 2, [{ _id: 3, s: 'b', x: 1 }]]);
});
test('collections and databases', () => {
  const c = fresh(numbers(3));
  same([c.runCommand('count').n, c.runCommand({ count: c.getName(), query: { n: 1 } }).n, c.getMongo().getDB('more').getName()], [3, 1, 'more']);
  same(more.aggregate([{ $documents: [{ a: 1 }, { a: 2 }] }, { $match: { a: 2 } }]).toArray(), [{ a: 2 }]);
  const cursor = c.aggregate([{ $sort: { _id: -1 } }]);
  same([cursor.hasNext(), cursor.next()._id], [true, 2]);
  refused(() => c.getPlanCache().getPlansByQuery({ n: 1 }));
});
test('helpers that are gone from servers', () => {
  const c = fresh(numbers(1));
  for (const call of [() => more.cloneDatabase('localhost:1'), () => more.cloneCollection('localhost:1', 'more.c'), () => more.copyDatabase('more', 'other')]) refused(call);
  const answer = more.getLastErrorObj();
  same([answer.errorResponse?.code ?? answer.code ?? answer.ok, more.getLastError()], [hello.maxWireVersion > 13 ? 59 : 1, null]);
  refused(() => c.find().maxScan(5));
  same(c.find().oplogReplay().toArray().length, 1);
});
test('show', () => assert(db.getMongo().show('dbs').value.some(({ name }) => name === 'more') && show('collections').value));
test('reads of secondaries, as it was once said', () => {
  const m = db.getMongo();
  refused(() => m.setSlaveOk());
  db.setSecondaryOk();
  same(m.getReadPrefMode(), 'primaryPreferred');
  m.setReadPref('primary');
});
test('use', () => {
  db.getMongo().use('more');
  same(db.getName(), 'more');
  use('test');
  same(db.getName(), 'test');
});
test('bulk writes of a connection and a session', () => {
  const m = db.getMongo(), writes = [{ namespace: 'more.bulk', name: 'insertOne', document: { _id: 1 } }, { namespace: 'more.bulk', name: 'updateOne', filter: { _id: 1 }, update: { $set: { a: 1 } } }];
  if (hello.maxWireVersion < 25) return refused(() => m.bulkWrite(writes));
  const r = m.bulkWrite(writes), session = m.startSession();
  same([r.insertedCount, r.modifiedCount, more.bulk.findOne()], [1, 1, { _id: 1, a: 1 }]);
  const s = session.bulkWrite([{ namespace: 'more.bulk', name: 'deleteMany', filter: {} }]);
  same([s.deletedCount, more.bulk.countDocuments()], [1, 0]);
  session.endSession();
});
if (kind === 'standalone') skip('streams', 'a standalone server has no change streams');
else {
  test('streams', () => {
    const c = fresh(numbers(1));
    for (const watched of [more, db.getMongo(), c]) {
      const stream = watched.watch([{ $match: { 'ns.db': 'more' } }], { maxAwaitTimeMS: 20 });
      same(stream.tryNext(), null);
      refused(() => stream.isExhausted());
      c.updateOne({ _id: 0 }, { $inc: { n: 1 } });
      same([stream.hasNext(), stream.next().operationType], [true, 'update']);
      stream.close();
      same(stream.isClosed(), true);
    }
    const stream = c.watch();
    for (const call of [() => stream.toArray(), () => stream.batchSize(1), () => stream.objsLeftInBatch(), () => stream.maxTimeMS(1)]) refused(call);
    stream.close();
  });
}
test('settings and the log of the shell', () => {
  const before = config.get('displayBatchSize');
  config.set('displayBatchSize', 2);
  same(config.get('displayBatchSize'), 2);
  fresh(numbers(5)).find().sort({ _id: 1 });
  config.reset('displayBatchSize');
  same(config.get('displayBatchSize'), before);
  for (const level of ['info', 'warn', 'error', 'fatal', 'debug']) log[level](`a line of ${level}`);
  assert(log.getPath() === undefined || typeof log.getPath() === 'string');
});
test('functions of the shell', () => {
  const begin = Date.now();
  sleep(20);
  assert(Date.now() - begin >= 19 && /^\d+\.\d+/.test(version()) && isInteractive() === false);
  const c = fresh(numbers(30));
  same(c.find().toArray().length, 30);
  assert(it() !== null);
  disableTelemetry();
  enableTelemetry();
  disableTelemetry();
  const file = `${require('node:os').tmpdir()}/loaded-${Date.now()}.js`;
  require('node:fs').writeFileSync(file, 'globalThis.loadedValue = db.getSiblingDB("more").getName();');
  load(file);
  require('node:fs').rmSync(file);
  same(globalThis.loadedValue, 'more');
  printjson({ a: 1 });
  same([convertShardKeyToHashed({ a: 1 }).toString(), db.getMongo().convertShardKeyToHashed({ a: 1 }).toString()].map((x) => /^-?\d+$/.test(x)), [true, true]);
});
test('stream processing is a part of Atlas', () => {
  for (const call of [() => sp.listStreamProcessors(), () => sp.listConnections(), () => sp.process([]), () => sp.createStreamProcessor('x', []), () => sp.listWorkspaceDefaults()]) refused(call);
  const p = sp.getProcessor('x');
  for (const name of ['start', 'stop', 'drop', 'stats', 'sample']) refused(() => p[name]());
  refused(() => p.modify([]));
});
if (kind === 'set') test('what is old of a replica set', () => { rs.printSecondaryReplicationInfo(); db.printSecondaryReplicationInfo(); refused(() => rs.printSlaveReplicationInfo()); refused(() => db.printSlaveReplicationInfo()); });
if (kind === 'sharded') {
  test('where a collection lives', () => {
    sh.shardCollection('more.placed', { n: 1 });
    const place = more.placed.getShardLocation();
    same([place.shards.length > 0, place.sharded], [true, true]);
  });
  test('what the analyzer samples', () => {
    sh.shardCollection('more.sampled', { n: 1 });
    more.sampled.insertMany(numbers(10));
    same(more.sampled.configureQueryAnalyzer({ mode: 'full', samplesPerSecond: 1 }).ok, 1);
    const { numDistinctValues, monotonicity } = more.sampled.analyzeShardKey({ n: 1 }).keyCharacteristics;
    same([Number(numDistinctValues), monotonicity.type], [10, 'monotonic']);
  });
  const shards = db.adminCommand({ listShards: 1 }).shards.map((x) => x._id);
  test('more of shards', () => {
    same([sh.enableSharding('more').ok, sh.shardCollection('more.sharded', { n: 1 }).collectionsharded], [1, 'more.sharded']);
    more.sharded.insertMany(numbers(10));
    same(sh.moveRange('more.sharded', shards.at(-1), { n: 0 }).ok, 1);
    sh.stopBalancer();
    same(sh.getBalancerState(), false);
    sh.startBalancer();
    same([sh.getBalancerState(), sh.checkMetadataConsistency().toArray()], [true, []]);
    sh.disableMigrations('more.sharded');
    sh.enableMigrations('more.sharded');
    assert(sh.status().value.shards.length === shards.length);
    for (const call of [() => sh.enableAutoSplit(), () => sh.disableAutoSplit(), () => sh.commitReshardCollection('more.sharded'), () => sh.abortMoveCollection('more.sharded'), () => sh.abortUnshardCollection('more.sharded'), () => sh.addShard('none/localhost:1')]) {
      try { call(); } catch (error) { assert(error.code !== undefined || error.message); }
    }
    same(sh.shardAndDistributeCollection('more.spread', { _id: 'hashed' }).ok, 1);
  });
}
// It takes another client, so that it comes last.
test('the connection', () => {
  const m = db.getMongo(), c = fresh(numbers(2));
  same([m.getCollection(`more.${c.getName()}`).countDocuments(), connect(m.getURI()).runCommand({ ping: 1 }).ok, new Mongo(m.getURI()).getDB('more').getCollection(c.getName()).countDocuments()], [2, 1, 2]);
  m.connect();
});
print(`1..${count}`);
