// mongosh's helpers of collections, cursors, databases, replica sets and clusters, as its documentation describes them:
// mongosh URI mongosh.js
const assert = require('node:assert/strict');
load(`${__dirname}/mongosh-tests.js`);

const shop = db.getSiblingDB('shop');
shop.dropDatabase();
const fresh = collectionsOf(shop);

// Collections
test('insertOne', () => { const r = fresh().insertOne({ _id: 5 }); same([r.acknowledged, r.insertedId], [true, 5]); });
test('insertMany', () => same(fresh().insertMany([{ _id: 1 }, { _id: 2 }]).insertedIds, { 0: 1, 1: 2 }));
test('a duplicate key', () => { const c = fresh([{ _id: 1 }]); fails(11000, () => c.insertOne({ _id: 1 })); });
test('insert, update, remove of old', () => {
  const c = fresh();
  c.insert({ _id: 1, a: 1 });
  same(c.update({ _id: 1 }, { $set: { a: 2 } }).modifiedCount, 1);
  same([c.count(), c.remove({}).deletedCount], [1, 1]);
});
test('find', () => same(fresh(numbers(9)).find({ k: 1 }, { k: 0 }).sort({ n: -1 }).skip(1).limit(1).toArray(), [{ _id: 4, n: 4 }]));
test('findOne', () => same([fresh(numbers(3)).findOne({ n: 2 }, { n: 1 }), fresh().findOne()], [{ _id: 2, n: 2 }, null]));
test('updateOne and updateMany', () => { const c = fresh(numbers(6)); same([c.updateOne({ k: 0 }, { $inc: { n: 100 } }).modifiedCount, c.updateMany({ k: 0 }, [{ $set: { x: '$n' } }]).modifiedCount, c.findOne({ _id: 0 }).x], [1, 2, 100]); });
test('an upsert', () => { const r = fresh().updateOne({ _id: 9 }, { $set: { a: 1 } }, { upsert: true }); same([r.insertedId, r.upsertedCount], [9, 1]); });
test('replaceOne', () => { const c = fresh([{ _id: 1, a: 1 }]); c.replaceOne({}, { b: 2 }); same(c.findOne(), { _id: 1, b: 2 }); });
test('deleteOne and deleteMany', () => { const c = fresh(numbers(6)); same([c.deleteOne({ k: 0 }).deletedCount, c.deleteMany({ k: 1 }).deletedCount], [1, 2]); });
test('findOneAndUpdate, Replace and Delete', () => {
  const c = fresh(numbers(3));
  same([c.findOneAndUpdate({ _id: 0 }, { $inc: { n: 1 } }, { returnNewDocument: true }).n, c.findOneAndReplace({ _id: 1 }, { z: 1 }).n, c.findOneAndDelete({ _id: 2 })._id], [1, 1, 2]);
});
test('findAndModify', () => same(fresh(numbers(3)).findAndModify({ query: { n: 1 }, update: { $set: { n: 9 } }, new: true }).n, 9));
test('bulkWrite', () => {
  const r = fresh(numbers(3)).bulkWrite([{ insertOne: { document: { _id: 9 } } }, { updateMany: { filter: {}, update: { $set: { a: 1 } } } }, { deleteOne: { filter: { _id: 0 } } }]);
  same([r.insertedCount, r.modifiedCount, r.deletedCount], [1, 4, 1]);
});
test('the builders of bulk writes', () => {
  const bulk = fresh(numbers(3)).initializeUnorderedBulkOp();
  bulk.insert({ _id: 9 });
  bulk.find({ k: 0 }).update({ $set: { a: 1 } });
  bulk.find({ _id: 1 }).removeOne();
  const r = bulk.execute();
  same([r.insertedCount, r.modifiedCount, r.deletedCount], [1, 1, 1]);
});
test('counts', () => { const c = fresh(numbers(7)); same([c.countDocuments({ k: 0 }), c.estimatedDocumentCount(), c.count({ k: 1 }), c.find({ k: 2 }).count()], [3, 7, 2, 2]); });
test('distinct', () => same(fresh(numbers(7)).distinct('k', { n: { $gt: 4 } }).sort(), [0, 2]));
test('aggregate', () => { const c = fresh(numbers(6)); same([c.aggregate([{ $group: { _id: '$k', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray().length, c.aggregate({ $match: { k: 0 } }, { $count: 'n' }).toArray()], [3, [{ n: 2 }]]); });
test('explain', () => { const c = fresh(numbers(3)); assert(c.find({ n: 1 }).explain().queryPlanner && c.explain('executionStats').find({ n: 1 }).next() && c.explain().aggregate([{ $match: {} }])); });
test('indexes', () => {
  const c = fresh(numbers(3));
  same([c.createIndex({ n: 1 }), c.createIndexes([{ k: 1 }, { k: -1, n: 1 }])], ['n_1', ['k_1', 'k_-1_n_1']]);
  same([c.getIndexes().length, c.getIndexKeys().length, c.getIndices().length], [4, 4, 4]);
  c.dropIndex('n_1');
  same(c.dropIndexes().ok, 1);
  same(c.getIndexes().length, 1);
});
test('hideIndex', () => { const c = fresh(numbers(3)); c.createIndex({ n: 1 }); c.hideIndex('n_1'); same(c.getIndexes().find((x) => x.name === 'n_1').hidden, true); c.unhideIndex('n_1'); });
test('sizes', () => { const c = fresh(numbers(30)); assert(c.dataSize() > 0 && c.totalSize() > 0 && c.totalIndexSize() > 0 && c.storageSize() >= 0); });
test('stats', () => same(fresh(numbers(4)).stats().count, 4));
test('$collStats and latencyStats', () => assert(fresh(numbers(2)).latencyStats().length > 0));
test('isCapped', () => { shop.createCollection('capped', { capped: true, size: 4096 }); same([shop.capped.isCapped(), fresh(numbers(1)).isCapped()], [true, false]); });
test('renameCollection', () => { const c = fresh(numbers(1)); same(c.renameCollection('moved').ok, 1); same([shop.moved.countDocuments(), shop.moved.drop()], [1, true]); });
test('validate', () => same(fresh(numbers(2)).validate().ok, 1));
test('getFullName and friends', () => same([shop.x.y.getFullName(), shop.x.getName(), shop.getName(), shop.x.getDB().getName()], ['shop.x.y', 'x', 'shop', 'shop']));
test('a collation', () => same(fresh([{ _id: 'a' }, { _id: 'A' }]).find({ _id: 'A' }).collation({ locale: 'en', strength: 2 }).toArray().length, 2));

// Cursors
test('next, hasNext, tryNext', () => { const cursor = fresh(numbers(2)).find().sort({ _id: 1 }); same([cursor.hasNext(), cursor.next()._id, cursor.tryNext()._id, cursor.hasNext()], [true, 0, 1, false]); });
test('forEach and map', () => { let sum = 0; const c = fresh(numbers(4)); c.find().forEach((d) => { sum += d.n; }); same([sum, c.find().map((d) => d.n * 2).toArray()], [6, [0, 2, 4, 6]]); });
test('batches', () => same(fresh(numbers(250)).find().batchSize(20).toArray().length, 250));
test('itcount, size, objsLeftInBatch', () => { const c = fresh(numbers(5)); same([c.find().itcount(), c.find().limit(2).size()], [5, 2]); });
test('hint, min, max', () => { const c = fresh(numbers(9)); c.createIndex({ n: 1 }); same(c.find().hint({ n: 1 }).min({ n: 3 }).max({ n: 5 }).toArray().map((d) => d._id), [3, 4]); });
test('comment, maxTimeMS, readPref, readConcern', () => same(fresh(numbers(2)).find().comment('x').maxTimeMS(9000).readPref('primary').readConcern('local').toArray().length, 2));
test('isClosed and isExhausted', () => { const cursor = fresh(numbers(20)).find(); same([cursor.isClosed(), cursor.itcount(), cursor.isExhausted()], [false, 20, true]); cursor.close(); same(cursor.isClosed(), true); });
test('a tailable cursor', () => { shop.capped.insertOne({ _id: 1 }); const cursor = shop.capped.find().tailable(); same(cursor.next()._id, 1); cursor.close(); });
test('pretty and showRecordId', () => assert('$recordId' in fresh(numbers(1)).find().pretty().showRecordId().next()));

// Databases
test('createCollection and getCollectionInfos', () => { shop.createCollection('valid', { validator: { a: 1 }, validationAction: 'error' }); same(shop.getCollectionInfos({ name: 'valid' })[0].options.validator, { a: 1 }); fails(121, () => shop.valid.insertOne({ a: 2 })); });
test('getCollectionNames', () => assert(shop.getCollectionNames().includes('valid')));
test('createView', () => { const c = fresh(numbers(6)); shop.createView('view', c.getName(), [{ $match: { k: 0 } }]); same(shop.view.countDocuments(), 2); fails(166, () => shop.view.insertOne({})); });
test('a time series', () => { shop.createCollection('series', { timeseries: { timeField: 't' } }); shop.series.insertOne({ t: new Date() }); same(shop.series.countDocuments(), 1); });
test('runCommand and adminCommand', () => same([shop.runCommand({ ping: 1 }).ok, shop.adminCommand('ping').ok], [1, 1]));
test('an unknown command', () => fails(59, () => shop.runCommand({ nope: 1 })));
test('stats of a database', () => same(shop.stats().db, 'shop'));
test('users', () => {
  shop.createUser({ user: 'ada', pwd: 'one', roles: ['read'] });
  shop.grantRolesToUser('ada', ['readWrite']);
  shop.changeUserPassword('ada', 'two');
  same([shop.getUser('ada').roles.length, shop.getUsers().users.length], [2, 1]);
  shop.revokeRolesFromUser('ada', ['read']);
  shop.updateUser('ada', { customData: { a: 1 } });
  same(shop.getUser('ada').customData, { a: 1 });
  same(shop.dropUser('ada').ok, 1);
});
test('roles', () => {
  shop.createRole({ role: 'r', privileges: [{ resource: { db: 'shop', collection: '' }, actions: ['find'] }], roles: [] });
  shop.grantPrivilegesToRole('r', [{ resource: { db: 'shop', collection: 'x' }, actions: ['insert'] }]);
  shop.grantRolesToRole('r', ['read']);
  const role = shop.getRole('r', { showPrivileges: true });
  same([role.privileges.length, role.roles.length], [2, 1]);
  shop.revokeRolesFromRole('r', ['read']);
  same(shop.dropRole('r').ok, 1);
});
test('currentOp and killOp', () => assert(db.currentOp().inprog && db.killOp(123456789).ok));
test('serverStatus, hostInfo, buildInfo', () => assert(db.serverStatus().uptime >= 0 && db.hostInfo().ok && db.serverBuildInfo().version === db.version()));
if (kind === 'sharded') skip('profiling', 'a router has no profiler');
else test('profiling', () => { shop.setProfilingLevel(2); shop.c0.findOne(); shop.setProfilingLevel(0); assert(shop.system.profile.countDocuments() > 0); same(shop.getProfilingStatus().was, 0); });
test('show', () => assert(db.adminCommand({ listDatabases: 1 }).databases.some((x) => x.name === 'shop')));
test('getMongo', () => { assert(db.getMongo().getDBNames().includes('shop')); same(db.getMongo().getReadPrefMode(), 'primary'); });
test('types', () => {
  const c = fresh();
  c.insertOne({ _id: 1, l: Long('5'), i: Int32(4), d: Decimal128('1.10'), o: ObjectId('0'.repeat(24)), t: Timestamp(1, 2), b: BinData(0, 'AQI='), u: UUID('09190f70-3d30-11e5-8814-0f4df9a59c41'), w: ISODate('2024-01-01'), m: MinKey(), x: MaxKey(), c: Code('x') });
  const d = c.findOne();
  same([d.d.toString(), d.w.getTime(), d.u.toString(), d.o.toString()], ['1.10', 1704067200000, '09190f70-3d30-11e5-8814-0f4df9a59c41', '0'.repeat(24)]);
  same(c.countDocuments({ l: { $type: 'long' }, i: { $type: 'int' }, d: { $type: 'decimal' }, t: { $type: 'timestamp' }, m: { $type: 'minKey' } }), 1);
});

// Replica sets and clusters
if (kind === 'standalone') {
  skip('transactions', 'they need a replica set');
  skip('watch', 'it needs a replica set');
} else {
  test('transactions', () => {
    const c = fresh([{ _id: 0 }]);
    const session = db.getMongo().startSession();
    const inside = session.getDatabase('shop').getCollection(c.getName());
    session.startTransaction();
    inside.insertOne({ _id: 1 });
    same([inside.countDocuments(), c.countDocuments()], [2, 1]);
    session.abortTransaction();
    session.withTransaction(() => inside.insertOne({ _id: 2 }));
    session.endSession();
    same(c.countDocuments(), 2);
  });
  test('watch', () => {
    const c = fresh([{ _id: 0 }]);
    const stream = c.watch();
    same(stream.tryNext(), null);
    c.insertOne({ _id: 1 });
    same(stream.next().documentKey, { _id: 1 });
    stream.close();
  });
}
if (kind === 'set') {
  test('rs.status, conf and hello', () => { same([rs.status().members.length, rs.conf().members.length, rs.hello().hosts.length], [3, 3, 3]); });
  test('rs.printReplicationInfo', () => assert(db.getReplicationInfo().logSizeMB > 0 && rs.printSecondaryReplicationInfo()));
  test('rs.stepDown', () => { rs.stepDown(1, 0); const c = fresh([{ _id: 1 }]); same(c.countDocuments(), 1); });
}
if (kind === 'sharded') {
  test('sh.status and enableSharding', () => { assert(sh.status()); same(sh.enableSharding('shop').ok, 1); });
  test('sh.shardCollection', () => {
    const c = fresh(numbers(20));
    c.createIndex({ n: 1 });
    same(sh.shardCollection(c.getFullName(), { n: 1 }).ok, 1);
    assert(c.getShardDistribution());
    same(c.countDocuments(), 20);
  });
  test('the balancer', () => { sh.stopBalancer(); same(sh.getBalancerState(), false); sh.startBalancer(); same(sh.getBalancerState(), true); });
}
shop.dropDatabase();
print(`1..${count}`);
