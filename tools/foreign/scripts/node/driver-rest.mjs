// What the Node driver has besides: getters, helpers of databases and of the administration, builders of cursors, sessions,
// search indexes: driver-rest.mjs URI
import { MongoClient, GridFSBucket, ReadConcern, ReadPreference, WriteConcern, Long, ObjectId } from 'mongodb';
import { assert, same, code, test, skip, done, kindOf } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './driver-library.mjs';

watch(library);
const uri = process.argv[2];
const client = await new MongoClient(uri, { monitorCommands: true }).connect();
const db = client.db('driverRest');
await db.dropDatabase();
const kind = await kindOf(db);
let made = 0;
const fresh = async (docs) => {
  const c = db.collection(`c${made++}`);
  if (docs) await c.insertMany(docs);
  return c;
};
const numbers = (n) => Array.from({ length: n }, (_, i) => ({ _id: i, k: i % 3, n: i }));
const plain = (x) => JSON.parse(JSON.stringify(x));

await test('options of a client', () => {
  same([client.monitorCommands, client.serverApi, client.autoEncrypter], [true, undefined, undefined]);
  assert(client.readPreference instanceof ReadPreference && client.bsonOptions);
  assert(client.readConcern === undefined && client.writeConcern !== null);
});
await test('a client tells its library', async () => {
  client.appendMetadata({ name: 'rest', version: '1' });
  same((await db.command({ ping: 1 })).ok, 1);
});
await test('options of a database', () => {
  const d = client.db('x', { readConcern: { level: 'local' }, writeConcern: { w: 1 }, readPreference: 'secondaryPreferred' });
  same([d.databaseName, d.namespace, d.readConcern.level, d.writeConcern.w, d.readPreference.mode, d.secondaryOk],
    ['x', 'x', 'local', 1, 'secondaryPreferred', true]);
  assert(d.bsonOptions);
});
await test('options of a collection', () => {
  const c = client.db('x').collection('y.z', { readConcern: new ReadConcern('majority'), writeConcern: new WriteConcern('majority') });
  same([c.dbName, c.namespace, c.fullNamespace.collection, c.readConcern.level, c.writeConcern.w], ['x', 'x.y.z', 'y.z', 'majority', 'majority']);
  assert(c.bsonOptions && c.readPreference === undefined || c.readPreference.mode === 'primary');
});
await test('stats of a database', async () => {
  await fresh(numbers(7));
  const stats = await db.stats();
  assert(stats.db === 'driverRest' && stats.collections >= 1 && stats.objects >= 7 && stats.indexes >= 1);
  assert((await db.stats({ scale: 1024 })).scaleFactor === 1024);
});
await test('renameCollection and collections', async () => {
  await db.createCollection('from');
  same((await db.renameCollection('from', 'to')).collectionName, 'to');
  assert((await db.collections()).some((c) => c.collectionName === 'to'));
  await assert.rejects(db.renameCollection('from', 'to'), code(26));
  await db.createCollection('from');
  await assert.rejects(db.renameCollection('from', 'to'), code(48));
  await db.renameCollection('from', 'to', { dropTarget: true });
});
await test('a user comes and goes', async () => {
  await db.command({ createUser: 'reader', pwd: 'secret', roles: ['read'] });
  same(await db.removeUser('reader'), true);
  await assert.rejects(db.removeUser('reader'), code(11));
  await client.db('admin').command({ createUser: 'reader', pwd: 'secret', roles: [] });
  same(await client.db('admin').admin().removeUser('reader'), true);
});
if (kind === 'sharded') skip('levels of the profiler', 'a router has no profiler');
else {
  await test('levels of the profiler', async () => {
    same(await db.setProfilingLevel('all'), 'all');
    same(await db.profilingLevel(), 'all');
    await (await fresh()).insertOne({ _id: 1 });
    assert((await db.collection('system.profile').countDocuments({ op: 'insert' })) > 0);
    same(await db.setProfilingLevel('off'), 'off');
    same(await db.profilingLevel(), 'off');
  });
}
await test('runCursorCommand', async () => {
  const c = await fresh(numbers(5));
  const cursor = db.runCursorCommand({ find: c.collectionName, batchSize: 2 }).setBatchSize(2).setComment('run');
  same((await cursor.toArray()).map((x) => x._id), [0, 1, 2, 3, 4]);
  await assert.rejects(db.runCursorCommand({ find: c.collectionName, batchSize: 2 }).setMaxTimeMS(1000).toArray(), code(2));
  await assert.rejects(db.runCursorCommand({ ping: 1 }).toArray());
});
await test('helpers of the administration', async () => {
  const admin = db.admin();
  assert((await admin.buildInfo()).version && (await admin.serverInfo()).versionArray.length === 4);
  same((await admin.ping()).ok, 1);
  const status = await admin.serverStatus();
  assert(status.connections.current > 0 && status.opcounters.insert >= 0 && status.uptime >= 0);
});
await test('validateCollection', async () => {
  const c = await fresh(numbers(3));
  const result = await db.admin().validateCollection(c.collectionName);
  assert((result.toObject?.() ?? result).valid);
  const valid = await db.command({ validate: c.collectionName, full: true });
  same([valid.valid, valid.ok], [true, 1]);
});
if (kind !== 'set') skip('replSetGetStatus', 'the deployment is no replica set');
else {
  await test('replSetGetStatus', async () => {
    const status = await db.admin().replSetGetStatus();
    assert(status.members.some((m) => m.stateStr === 'PRIMARY' && m.health === 1) && status.set);
  });
}
await test('builders of a find', async () => {
  const c = await fresh(numbers(9));
  const cursor = c.find().filter({ k: 1 }).project({ n: 1, _id: 0 }).sort({ n: -1 }).comment('why').maxTimeMS(1000).allowDiskUse(true).addQueryModifier('$max', undefined);
  same(await cursor.toArray(), [{ n: 7 }, { n: 4 }, { n: 1 }]);
  same((await cursor.clone().toArray()).length, 3);
});
await test('a cursor while it is read', async () => {
  const c = await fresh(numbers(5));
  const cursor = c.find({}, { batchSize: 3 });
  same([cursor.id, cursor.closed, cursor.loadBalanced, cursor.bufferedCount()], [undefined, false, false, 0]);
  same((await cursor.next())._id, 0);
  assert(cursor.id instanceof Long && !cursor.id.isZero() && cursor.session && cursor.namespace.collection === c.collectionName);
  same([cursor.bufferedCount(), cursor.readBufferedDocuments(1).map((x) => x._id)], [2, [1]]);
  const rest = [];
  await cursor.forEach((x) => { rest.push(x._id); });
  same([rest, cursor.isDead, cursor.closed], [[2, 3, 4], true, true]);
});
await test('flags and concerns of a cursor', async () => {
  const c = await fresh(numbers(3));
  const cursor = c.find().addCursorFlag('noCursorTimeout', true).withReadPreference('primaryPreferred').withReadConcern({ level: 'local' });
  same([cursor.readPreference.mode, cursor.readConcern.level, (await cursor.toArray()).length], ['primaryPreferred', 'local', 3]);
  assert.throws(() => c.find().addCursorFlag('none', true));
});
await test('a tailable cursor that waits', async () => {
  const c = await db.createCollection('tail', { capped: true, size: 4096 });
  await c.insertOne({ _id: 1 });
  const cursor = c.find({}, { tailable: true, awaitData: true }).maxAwaitTimeMS(50);
  same([(await cursor.next())._id, await cursor.tryNext()], [1, null]);
  await c.insertOne({ _id: 2 });
  same((await cursor.next())._id, 2);
  await cursor.close();
});
await test('builders of a pipeline', async () => {
  const c = await fresh(numbers(6).map((x) => ({ ...x, a: [x.n, x.n + 1] })));
  const name = c.collectionName;
  same(await c.aggregate().match({ k: 0 }).group({ _id: '$k', s: { $sum: '$n' } }).project({ _id: 0 }).toArray(), [{ s: 3 }]);
  same((await c.aggregate().match({ _id: 1 }).unwind('$a').sort({ a: -1 }).skip(1).limit(1).toArray())[0].a, 1);
  same((await c.aggregate().addStage({ $match: { _id: 2 } }).lookup({ from: name, localField: 'k', foreignField: '_id', as: 'x' }).toArray())[0].x[0]._id, 2);
  same((await c.aggregate().redact({ $cond: [{ $eq: ['$k', 1] }, '$$KEEP', '$$PRUNE'] }).toArray()).length, 2);
  await c.aggregate().match({ k: 2 }).out(`${name}out`).toArray();
  same(await db.collection(`${name}out`).countDocuments(), 2);
  const cursor = c.aggregate().match({ k: 1 });
  same([(await cursor.toArray()).length, (await cursor.clone().toArray()).length], [2, 2]);
});
await test('geoNear in a pipeline', async () => {
  const c = await fresh([{ _id: 1, at: { type: 'Point', coordinates: [0, 0] } }, { _id: 2, at: { type: 'Point', coordinates: [0, 1] } }]);
  await c.createIndex({ at: '2dsphere' });
  const found = await c.aggregate().geoNear({ near: { type: 'Point', coordinates: [0, 1] }, distanceField: 'd', maxDistance: 5 }).toArray();
  same(found.map((x) => [x._id, x.d]), [[2, 0]]);
});
await test('clones of lists', async () => {
  const c = await fresh(numbers(1));
  same((await db.listCollections({ name: c.collectionName }).clone().toArray()).length, 1);
  same((await c.listIndexes().clone().toArray()).length, 1);
});
await test('an unordered bulk operation', async () => {
  const c = await fresh(numbers(3));
  const bulk = c.initializeUnorderedBulkOp();
  bulk.insert({ _id: 1 });
  bulk.insert({ _id: 9 });
  bulk.raw({ updateOne: { filter: { _id: 0 }, update: { $set: { x: 1 } } } });
  bulk.find({ _id: 2 }).deleteOne();
  same([bulk.batches.length > 0, bulk.length], [true, 4]);
  const error = await bulk.execute().catch((e) => e);
  same([error.code, error.result.insertedCount, error.result.modifiedCount, error.result.deletedCount, error.writeErrors[0].index], [11000, 1, 1, 1, 0]);
});
await test('an ordered bulk operation of raw models', async () => {
  const c = await fresh(numbers(4));
  const bulk = c.initializeOrderedBulkOp();
  for (const model of [{ insertOne: { document: { _id: 7 } } }, { updateMany: { filter: { k: 0 }, update: { $inc: { n: 1 } } } }, { replaceOne: { filter: { _id: 1 }, replacement: { z: 1 } } },
    { deleteMany: { filter: { k: 2 } } }]) bulk.raw(model);
  const result = await bulk.execute();
  same([result.insertedCount, result.matchedCount, result.modifiedCount, result.deletedCount, result.isOk()], [1, 3, 3, 1, true]);
});
await test('a session', async () => {
  const session = client.startSession();
  same([session.loadBalanced, session.isPinned, session.inTransaction(), session.equals(session)], [false, false, false, true]);
  assert(session.id.id && session.serverSession);
  const c = await fresh();
  await c.insertOne({ _id: 1 }, { session });
  if (kind !== 'standalone') {
    assert(session.operationTime && session.clusterTime);
    const other = client.startSession();
    other.advanceClusterTime(session.clusterTime);
    other.advanceOperationTime(session.operationTime);
    same((await c.findOne({}, { session: other, readConcern: { level: 'local' } }))._id, 1);
    await other.endSession();
  }
  assert.throws(() => session.toBSON());
  await session.endSession();
  assert(session.hasEnded);
});
if (kind === 'standalone') {
  skip('inTransaction', 'a standalone server has no transactions');
  skip('what a change stream tells of itself', 'a standalone server has no change streams');
} else {
  await test('inTransaction', async () => {
    const c = await fresh(numbers(1));
    const session = client.startSession();
    session.startTransaction();
    await c.insertOne({ _id: 5 }, { session });
    same([session.inTransaction(), await c.countDocuments({}, { session })], [true, 2]);
    await session.abortTransaction();
    same([session.inTransaction(), await c.countDocuments()], [false, 1]);
    await session.endSession();
  });
  await test('what a change stream tells of itself', async () => {
    const c = await fresh(numbers(1));
    const stream = c.watch([], { batchSize: 1 });
    same(await stream.tryNext(), null);
    await c.insertMany([{ _id: 8 }, { _id: 9 }]);
    const first = await stream.next();
    same([first.documentKey._id, stream.resumeToken, stream.bufferedCount() >= 0, stream.closed], [8, first._id, true, false]);
    same((await c.watch([], { resumeAfter: first._id }).next()).documentKey._id, 9);
    await stream.close();
    assert(stream.closed);
  });
}
await test('GridFS by id, from a place on, and aborted', async () => {
  const bucket = new GridFSBucket(db, { bucketName: 'rest', chunkSizeBytes: 4 });
  const id = new ObjectId();
  await new Promise((resolve, reject) => bucket.openUploadStreamWithId(id, 'name', { metadata: { a: 1 } }).on('error', reject).on('finish', resolve).end(Buffer.from('0123456789')));
  const read = async (stream) => { const parts = []; for await (const part of stream) parts.push(part); return Buffer.concat(parts).toString(); };
  same([await read(bucket.openDownloadStream(id)), await read(bucket.openDownloadStream(id).start(3).end(9))], ['0123456789', '345678']);
  const upload = bucket.openUploadStream('gone').on('error', () => {});
  upload.write(Buffer.from('0123456789'));
  await upload.abort();
  same([await db.collection('rest.files').countDocuments(), await db.collection('rest.chunks').countDocuments()], [1, 3]);
  await bucket.openDownloadStream(id).abort();
});
await test('search indexes need a search server', async () => {
  const c = await fresh(numbers(1));
  const definition = { name: 'x', definition: { mappings: { dynamic: true } } };
  for (const call of [() => c.createSearchIndex(definition), () => c.createSearchIndexes([definition]), () => c.updateSearchIndex('x', definition.definition), () => c.dropSearchIndex('x'),
    () => c.listSearchIndexes().toArray()]) await assert.rejects(call(), (error) => error.code > 0);
});
await test('explain of commands', async () => {
  const c = await fresh(numbers(6));
  assert(plain(await c.find({ n: 1 }).explain('queryPlanner')).queryPlanner);
  for (const call of [() => c.deleteOne({ n: 1 }, { explain: true }), () => c.updateMany({ n: 1 }, { $set: { a: 1 } }, { explain: 'executionStats' }), () => c.distinct('k', {}, { explain: true }),
    () => c.aggregate([{ $group: { _id: '$k' } }]).explain('executionStats')]) assert((await call()).ok !== 0);
  same(await c.countDocuments(), 6);
});
await test('a hint that no index fits', async () => {
  const c = await fresh(numbers(2));
  await assert.rejects(c.find({}).hint('none_1').toArray(), code(2));
  await assert.rejects(c.updateOne({}, { $set: { a: 1 } }, { hint: 'none_1' }), code(2));
});
done();
await client.close();
