// Aggregations, indexes, collections, sessions, change streams and GridFS with the Node driver: driver-more.mjs URI
import { MongoClient, GridFSBucket, ReadPreference, Timestamp } from 'mongodb';
import { assert, same, code, test, skip, done, kindOf } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './driver-library.mjs';

watch(library);
// A fail point is set on one router, so that a cluster is reached through its first.
const hosts = process.argv[2];
const uri = /replicaSet=/.test(hosts) ? hosts : hosts.replace(/^(mongodb:\/\/[^,/]+),[^/]+/, '$1');
const client = await new MongoClient(uri, { heartbeatFrequencyMS: 500 }).connect();
const db = client.db('driverMore');
await db.dropDatabase();
const kind = await kindOf(db);
const admin = client.db('admin');
let made = 0;
const fresh = async (docs) => {
  const c = db.collection(`c${made++}`);
  if (docs) await c.insertMany(docs);
  return c;
};
const numbers = (n) => Array.from({ length: n }, (_, i) => ({ _id: i, k: i % 3, n: i }));
const sales = [{ _id: 1, item: 'a', n: 2, at: new Date('2024-01-05') }, { _id: 2, item: 'b', n: 5, at: new Date('2024-02-07') }, { _id: 3, item: 'a', n: 9, at: new Date('2024-02-28') }];
const stages = [
  ['$match, $project', sales, [{ $match: { n: { $gt: 2 } } }, { $project: { n: 1 } }], [{ _id: 2, n: 5 }, { _id: 3, n: 9 }]],
  ['$addFields and $unset', sales, [{ $addFields: { m: { $mod: ['$n', 2] } } }, { $unset: ['item', 'at', 'n'] }], [{ _id: 1, m: 0 }, { _id: 2, m: 1 }, { _id: 3, m: 1 }]],
  ['$group', sales, [{ $group: { _id: '$item', sum: { $sum: '$n' }, avg: { $avg: '$n' }, all: { $push: '$n' }, top: { $max: '$n' } } }, { $sort: { _id: 1 } }], [{ _id: 'a', sum: 11, avg: 5.5, all: [2, 9], top: 9 }, { _id: 'b', sum: 5, avg: 5, all: [5], top: 5 }]],
  ['$sortByCount', sales, [{ $sortByCount: '$item' }], [{ _id: 'a', count: 2 }, { _id: 'b', count: 1 }]],
  ['$count', sales, [{ $count: 'n' }], [{ n: 3 }]],
  ['$unwind', [{ _id: 1, a: [1, 2] }, { _id: 2, a: [] }], [{ $unwind: { path: '$a', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } }, { $set: { i: { $toString: '$i' } } }], [{ _id: 1, a: 1, i: '0' }, { _id: 1, a: 2, i: '1' }, { _id: 2, i: null }]],
  ['$facet', sales, [{ $facet: { n: [{ $count: 'n' }], top: [{ $sort: { n: -1 } }, { $limit: 1 }, { $project: { n: 1 } }] } }], [{ n: [{ n: 3 }], top: [{ _id: 3, n: 9 }] }]],
  ['$bucket', sales, [{ $bucket: { groupBy: '$n', boundaries: [0, 4, 8], default: 'more', output: { n: { $sum: 1 } } } }], [{ _id: 0, n: 1 }, { _id: 4, n: 1 }, { _id: 'more', n: 1 }]],
  ['$replaceRoot', [{ _id: 1, a: { b: 2 } }], [{ $replaceRoot: { newRoot: '$a' } }], [{ b: 2 }]],
  ['$setWindowFields', sales, [{ $setWindowFields: { partitionBy: '$item', sortBy: { at: 1 }, output: { run: { $sum: '$n', window: { documents: ['unbounded', 'current'] } }, rank: { $rank: {} } } } }, { $sort: { _id: 1 } }, { $project: { run: 1, rank: 1 } }], [{ _id: 1, run: 2, rank: 1 }, { _id: 2, run: 5, rank: 1 }, { _id: 3, run: 11, rank: 2 }]],
  ['$densify and $fill', [{ _id: 0, x: 1, v: 1 }, { _id: 1, x: 3, v: 3 }], [{ $densify: { field: 'x', range: { step: 1, bounds: 'full' } } }, { $fill: { sortBy: { x: 1 }, output: { v: { method: 'linear' } } } }, { $project: { _id: 0 } }], [{ x: 1, v: 1 }, { x: 2, v: 2 }, { x: 3, v: 3 }]],
  ['dates', sales, [{ $match: { _id: 3 } }, { $project: { _id: 0, y: { $year: '$at' }, s: { $dateToString: { date: '$at', format: '%Y-%m-%d' } }, d: { $dateDiff: { startDate: new Date('2024-02-01'), endDate: '$at', unit: 'day' } } } }], [{ y: 2024, s: '2024-02-28', d: 27 }]],
  ['arrays', [{ _id: 1, a: [3, 1, 2] }], [{ $project: { _id: 0, s: { $sortArray: { input: '$a', sortBy: 1 } }, f: { $filter: { input: '$a', cond: { $gt: ['$$this', 1] } } }, m: { $map: { input: '$a', in: { $multiply: ['$$this', 2] } } }, r: { $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, z: { $zip: { inputs: ['$a', [1]] } } } }], [{ s: [1, 2, 3], f: [3, 2], m: [6, 2, 4], r: 6, z: [[3, 1]] }]],
  ['texts', [{ _id: 1, s: ' Grüße ' }], [{ $project: { _id: 0, t: { $toUpper: { $trim: { input: '$s' } } }, n: { $strLenCP: '$s' }, b: { $strLenBytes: '$s' }, p: { $split: ['$s', 'ü'] }, x: { $regexMatch: { input: '$s', regex: /^ gr/i } } } }], [{ t: 'GRüßE', n: 7, b: 9, p: [' Gr', 'ße '], x: true }]],
  ['conditions', [{ _id: 1 }, { _id: 2 }], [{ $project: { c: { $cond: [{ $eq: ['$_id', 1] }, 'one', 'more'] }, i: { $ifNull: ['$none', 0] }, w: { $switch: { branches: [{ case: { $gt: ['$_id', 1] }, then: 'y' }], default: 'z' } } } }], [{ _id: 1, c: 'one', i: 0, w: 'z' }, { _id: 2, c: 'more', i: 0, w: 'y' }]],
  ['objects', [{ _id: 1, o: { a: 1, b: 2 } }], [{ $project: { _id: 0, l: { $objectToArray: '$o' }, m: { $mergeObjects: ['$o', { b: 3 }] }, g: { $getField: { field: 'a', input: '$o' } } } }], [{ l: [{ k: 'a', v: 1 }, { k: 'b', v: 2 }], m: { a: 1, b: 3 }, g: 1 }]],
  ['$documents in $unionWith', [{ _id: 1 }], [{ $unionWith: { pipeline: [{ $documents: [{ _id: 2 }] }] } }], [{ _id: 1 }, { _id: 2 }]],
];
for (const [name, docs, pipeline, want] of stages) await test(name, async () => same(await (await fresh(docs)).aggregate(pipeline).toArray(), want));

await test('$lookup and $graphLookup', async () => {
  const c = await fresh([{ _id: 1, up: null }, { _id: 2, up: 1 }, { _id: 3, up: 2 }]);
  same((await c.aggregate([{ $match: { _id: 2 } }, { $lookup: { from: c.collectionName, localField: 'up', foreignField: '_id', as: 'x' } }]).next()).x, [{ _id: 1, up: null }]);
  same((await c.aggregate([{ $match: { _id: 3 } }, { $lookup: { from: c.collectionName, let: { u: '$up' }, pipeline: [{ $match: { $expr: { $lt: ['$_id', '$$u'] } } }], as: 'x' } }]).next()).x.length, 1);
  same((await c.aggregate([{ $match: { _id: 3 } }, { $graphLookup: { from: c.collectionName, startWith: '$up', connectFromField: 'up', connectToField: '_id', as: 'x' } }]).next()).x.length, 2);
});
await test('$out and $merge', async () => {
  const c = await fresh(numbers(6));
  await c.aggregate([{ $match: { k: 0 } }, { $out: 'outed' }]).toArray();
  same(await db.collection('outed').countDocuments(), 2);
  await c.aggregate([{ $set: { x: 1 } }, { $merge: { into: 'outed', whenMatched: 'merge', whenNotMatched: 'discard' } }]).toArray();
  same(await db.collection('outed').countDocuments({ x: 1 }), 2);
});
await test('$sample and $indexStats', async () => {
  const c = await fresh(numbers(20));
  same((await c.aggregate([{ $sample: { size: 5 } }]).toArray()).length, 5);
  assert((await c.aggregate([{ $indexStats: {} }]).toArray()).every((x) => x.name === '_id_'));
});
await test('an unknown stage and a stage in the wrong place', async () => {
  const c = await fresh(numbers(1));
  await assert.rejects(c.aggregate([{ $nope: {} }]).toArray(), code(40324));
  await assert.rejects(c.aggregate([{ $match: {} }, { $indexStats: {} }]).toArray(), code(40602));
});
await test('explain', async () => {
  const c = await fresh(numbers(5));
  assert((await c.find({ n: 1 }).explain('executionStats')).executionStats.nReturned === 1 || kind === 'sharded');
  assert(await c.aggregate([{ $match: { n: 1 } }]).explain());
});
await test('indexes come and go', async () => {
  const c = await fresh(numbers(5));
  same(await c.createIndexes([{ key: { n: 1 } }, { key: { k: 1, n: -1 }, name: 'both', partialFilterExpression: { n: { $gt: 1 } } }]), ['n_1', 'both']);
  same((await c.listIndexes().toArray()).map((x) => x.name), ['_id_', 'n_1', 'both']);
  same([await c.indexExists('both'), (await c.indexInformation()).n_1], [true, [['n', 1]]]);
  await c.dropIndex('both');
  await c.dropIndexes();
  same((await c.indexes()).length, 1);
  await assert.rejects(c.dropIndex('nope'), code(27));
});
await test('unique, sparse and TTL indexes', async () => {
  const c = await fresh([{ _id: 1, u: 1 }, { _id: 2 }, { _id: 3 }]);
  await c.createIndex({ u: 1 }, { unique: true, sparse: true });
  await assert.rejects(c.insertOne({ u: 1 }), code(11000));
  await c.createIndex({ at: 1 }, { expireAfterSeconds: 100 });
  await assert.rejects(c.createIndex({ at: 1 }, { expireAfterSeconds: 50 }), code(85));
  await assert.rejects(c.createIndex({ u: 1 }, { name: 'other', unique: true, sparse: true }), code(85));
});
await test('text search', async () => {
  const c = await fresh([{ _id: 1, t: 'coffee and tea' }, { _id: 2, t: 'teas' }, { _id: 3, t: 'milk' }]);
  await c.createIndex({ t: 'text' });
  same((await c.find({ $text: { $search: 'tea -coffee' } }).toArray()).map((d) => d._id), [2]);
  same((await c.find({ $text: { $search: 'tea' } }, { projection: { s: { $meta: 'textScore' } } }).sort({ s: { $meta: 'textScore' } }).toArray()).length, 2);
});
await test('geo queries', async () => {
  const point = (x, y) => ({ type: 'Point', coordinates: [x, y] });
  const c = await fresh([{ _id: 'a', at: point(0, 0) }, { _id: 'b', at: point(1, 1) }, { _id: 'c', at: point(50, 50) }]);
  await c.createIndex({ at: '2dsphere' });
  same((await c.find({ at: { $near: { $geometry: point(0.9, 0.9), $maxDistance: 300000 } } }).toArray()).map((d) => d._id), ['b', 'a']);
  same(await c.countDocuments({ at: { $geoWithin: { $geometry: { type: 'Polygon', coordinates: [[[-1, -1], [2, -1], [2, 2], [-1, 2], [-1, -1]]] } } } }), 2);
  same((await c.aggregate([{ $geoNear: { near: point(0, 0), distanceField: 'far', spherical: true, maxDistance: 1000 } }]).toArray()).map((d) => d.far), [0]);
});
await test('collections', async () => {
  const c = await db.createCollection('made', { validator: { a: { $type: 'int' } } });
  await assert.rejects(c.insertOne({ a: 'x' }), code(121));
  await c.insertOne({ a: 'x' }, { bypassDocumentValidation: true });
  await assert.rejects(db.createCollection('made', { capped: true, size: 1000 }), code(48));
  same((await c.options()).validator, { a: { $type: 'int' } });
  await c.rename('moved');
  same((await db.listCollections({ name: 'moved' }).toArray()).map((x) => x.type), ['collection']);
  same([await db.dropCollection('moved'), await db.dropCollection('moved')], [true, true]);
  await assert.rejects(db.createCollection(''), (e) => e instanceof Error);
});
await test('capped collections', async () => {
  const c = await db.createCollection('capped', { capped: true, size: 4096, max: 2 });
  await c.insertMany(numbers(4));
  same((await c.find().toArray()).map((d) => d._id), [2, 3]);
  assert(await c.isCapped());
  const tail = c.find({}, { tailable: true });
  same([(await tail.next())._id, (await tail.next())._id], [2, 3]);
  await tail.close();
});
await test('views and time series', async () => {
  const c = await fresh(numbers(6));
  await db.createCollection('view', { viewOn: c.collectionName, pipeline: [{ $match: { k: 0 } }] });
  same(await db.collection('view').countDocuments(), 2);
  await assert.rejects(db.collection('view').insertOne({}), code(166));
  await db.createCollection('series', { timeseries: { timeField: 't', metaField: 'm' } });
  await db.collection('series').insertMany([{ t: new Date(1), m: 1, v: 1 }, { t: new Date(2), m: 2, v: 2 }]);
  same(await db.collection('series').countDocuments({ m: 1 }), 1);
});
await test('commands of administration', async () => {
  assert((await admin.command({ buildInfo: 1 })).version);
  assert((await admin.command({ serverStatus: 1 })).uptime >= 0);
  assert((await admin.admin().listDatabases()).databases.some((x) => x.name === 'driverMore'));
  same((await db.command({ dbStats: 1 })).db, 'driverMore');
  assert((await db.command({ collStats: 'c0' })).count >= 0);
  assert((await admin.command({ hostInfo: 1 })).ok);
  await assert.rejects(db.command({ nope: 1 }), code(59));
});
await test('users and roles', async () => {
  await db.command({ createRole: 'reader', privileges: [], roles: ['read'] });
  await db.command({ createUser: 'ada', pwd: 'secret', roles: ['reader', 'readWrite'] });
  same((await db.command({ usersInfo: 'ada' })).users[0].roles.length, 2);
  const other = new MongoClient(uri, { auth: { username: 'ada', password: 'secret' }, authSource: 'driverMore' });
  same((await other.db('driverMore').command({ connectionStatus: 1 })).authInfo.authenticatedUsers.length, 1);
  await other.close();
  const wrong = new MongoClient(uri, { auth: { username: 'ada', password: 'no' }, authSource: 'driverMore', serverSelectionTimeoutMS: 2000 });
  await assert.rejects(wrong.connect(), code(18));
  await wrong.close();
  await db.command({ dropUser: 'ada' });
  await db.command({ dropRole: 'reader' });
});
await test('GridFS', async () => {
  const bucket = new GridFSBucket(db, { bucketName: 'files', chunkSizeBytes: 1000 });
  for (const size of [3500, 10]) await new Promise((resolve, reject) => bucket.openUploadStream('f', { metadata: { size } }).on('finish', resolve).on('error', reject).end(Buffer.alloc(size, 7)));
  const read = async (options) => { let n = 0; for await (const part of bucket.openDownloadStreamByName('f', options)) n += part.length; return n; };
  same([await read(), await read({ revision: 0 }), await read({ revision: 0, start: 990, end: 2010 })], [10, 3500, 1020]);
  const [file] = await bucket.find({ 'metadata.size': 3500 }).toArray();
  await bucket.rename(file._id, 'g');
  await bucket.delete(file._id);
  same(await db.collection('files.chunks').countDocuments(), 1);
  await assert.rejects(bucket.delete(file._id));
  await bucket.drop();
});
await test('fail points', async () => {
  const c = await fresh(numbers(2));
  const fail = (data, mode = { times: 1 }) => admin.command({ configureFailPoint: 'failCommand', mode, data });
  await fail({ failCommands: ['find'], errorCode: 13 });
  await assert.rejects(c.findOne(), code(13));
  await fail({ failCommands: ['find'], closeConnection: true });
  same((await c.find().toArray()).length, 2); // it is read again
});
const replicated = (name, body) => (kind === 'standalone' ? skip(name, 'it needs a replica set') : test(name, body));
await replicated('retried writes', async () => {
  const c = await fresh();
  await admin.command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands: ['insert'], errorCode: 11600, errorLabels: ['RetryableWriteError'] } });
  await c.insertOne({ _id: 1 });
  same(await c.countDocuments(), 1);
});
await replicated('transactions', async () => {
  const c = await fresh([{ _id: 0 }]);
  await client.withSession((session) => session.withTransaction(async () => {
    await c.insertOne({ _id: 1 }, { session });
    same([await c.countDocuments({}, { session }), await c.countDocuments()], [2, 1]);
  }));
  same(await c.countDocuments(), 2);
  await assert.rejects(client.withSession((session) => session.withTransaction(async () => { await c.deleteMany({}, { session }); throw new Error('no'); })), /no/);
  same(await c.countDocuments(), 2);
});
await replicated('write conflicts', () => client.withSession((one) => client.withSession(async (two) => {
  const c = await fresh([{ _id: 0 }]);
  one.startTransaction();
  two.startTransaction();
  await c.updateOne({ _id: 0 }, { $set: { a: 1 } }, { session: one });
  await assert.rejects(c.updateOne({ _id: 0 }, { $set: { a: 2 } }, { session: two }), (e) => e.code === 112 && e.hasErrorLabel('TransientTransactionError'));
  await two.abortTransaction();
  await one.commitTransaction();
  same((await c.findOne()).a, 1);
})));
await replicated('a duplicate key ends a transaction', () => client.withSession(async (session) => {
  const c = await fresh([{ _id: 0 }]);
  session.startTransaction();
  await assert.rejects(c.insertOne({ _id: 0 }, { session }), code(11000));
  await assert.rejects(c.findOne({}, { session }), code(251));
  await session.abortTransaction();
}));
await replicated('snapshots and causal consistency', async () => {
  const c = await fresh(numbers(2));
  await client.withSession({ snapshot: true }, async (session) => { same(await c.countDocuments({}, { session }), 2); await c.insertOne({}); same(await c.countDocuments({}, { session }), 2); });
  await client.withSession({ causalConsistency: true }, async (session) => { await c.insertOne({ _id: 'x' }, { session }); assert(await c.findOne({ _id: 'x' }, { session, readPreference: ReadPreference.SECONDARY_PREFERRED })); });
});
await replicated('a change stream misses nothing that is written behind it', async () => {
  const writer = await new MongoClient(uri).connect();
  try {
    for (let i = 0; i < 10; i++) {
      const c = await fresh([{ _id: 0 }]);
      const now = (await db.command({ ping: 1 })).operationTime;
      const stream = c.watch([], { startAtOperationTime: new Timestamp({ t: now.getHighBits(), i: now.getLowBits() + 1 }) });
      const next = stream.next();
      await writer.db('driverMore').collection(c.collectionName).insertOne({ _id: 1 });
      same((await next).documentKey._id, 1);
      await stream.close();
    }
  } finally {
    await writer.close();
  }
});
await replicated('what a change stream tells', async () => {
  const c = await fresh([{ _id: 0 }]);
  const stream = c.watch([], { fullDocument: 'updateLookup' });
  const first = await stream.tryNext();
  same(first, null);
  await c.insertOne({ _id: 1, a: 1 });
  await c.updateOne({ _id: 1 }, { $set: { b: 2 }, $unset: { a: 1 } });
  await c.replaceOne({ _id: 1 }, { c: 3 });
  await c.deleteOne({ _id: 1 });
  const told = [await stream.next(), await stream.next(), await stream.next(), await stream.next()];
  same(told.map((e) => e.operationType), ['insert', 'update', 'replace', 'delete']);
  same(told[1].updateDescription, { updatedFields: { b: 2 }, removedFields: ['a'], truncatedArrays: [] });
  await stream.close();
  const again = c.watch([], { resumeAfter: told[1]._id });
  same((await again.next()).operationType, 'replace');
  await again.close();
});
if (kind === 'set') {
  await test('a read of a secondary', async () => assert((await db.collection('c0').find({}, { readPreference: 'secondary' }).toArray()).length > 0));
  await test('an election', async () => {
    await admin.command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true });
    const c = await fresh([{ _id: 'after' }]);
    same(await c.countDocuments(), 1);
  });
}
await client.close();
done();
