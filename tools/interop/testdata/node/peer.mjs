// What Node's mongodb driver and mongoose do with a deployment: peer.mjs URI prints one line for each step and exits with an
// error at the first that fails.
import { MongoClient, ObjectId, GridFSBucket, Long, Decimal128, ReadPreference } from 'mongodb';
import mongoose from 'mongoose';
import assert from 'node:assert/strict';

const uri = process.argv[2];
let steps = 0;
async function step(name, body) {
  try {
    await body();
  } catch (error) {
    console.log(name, 'FAILED', error);
    process.exit(1);
  }
  steps++;
  console.log(name, 'ok');
}
const same = assert.deepStrictEqual;
const fails = (code) => (error) => error.code === code;

const client = new MongoClient(uri, { monitorCommands: true, heartbeatFrequencyMS: 500 });
const sent = [];
client.on('commandStarted', (event) => sent.push(event.commandName));
await client.connect();
const hello = await client.db('admin').command({ hello: 1 });
const standalone = !hello.setName && hello.msg !== 'isdbgrid';
const set = Boolean(hello.setName);
const db = client.db('node');
await db.dropDatabase();

const c = db.collection('c');
await step('ping', async () => same((await db.command({ ping: 1 })).ok, 1));
await step('insertOne', async () => same((await c.insertOne({ _id: 1, name: 'Ada', age: 36 })).insertedId, 1));
await step('insertMany', async () => same((await c.insertMany([{ _id: 2, name: 'Grace', age: 85 }, { _id: 3, name: 'Alan', age: 41 }])).insertedCount, 2));
await step('a duplicate key', () => assert.rejects(c.insertOne({ _id: 1 }), fails(11000)));
await step('an ordered batch', () => assert.rejects(c.insertMany([{ _id: 4 }, { _id: 1 }, { _id: 5 }]), (e) => e.insertedCount === 1));
await step('an unordered batch', () => assert.rejects(c.insertMany([{ _id: 4 }, { _id: 6 }], { ordered: false }), (e) => e.insertedCount === 1));
await step('deleteMany', async () => same((await c.deleteMany({ _id: { $gte: 4 } })).deletedCount, 2));
await step('findOne', async () => same(await c.findOne({ _id: 1 }), { _id: 1, name: 'Ada', age: 36 }));
await step('findOne of nothing', async () => same(await c.findOne({ _id: 99 }), null));
await step('a sorted find', async () => same((await c.find().sort({ age: -1 }).toArray()).map((d) => d._id), [2, 3, 1]));
await step('limit and skip', async () => same((await c.find().sort({ _id: 1 }).skip(1).limit(1).toArray()).map((d) => d._id), [2]));
await step('a projection', async () => same(await c.findOne({ _id: 1 }, { projection: { _id: 0, name: 1 } }), { name: 'Ada' }));
await step('a hint', async () => same((await c.find({ _id: 1 }).hint('_id_').toArray()).length, 1));
await step('a bad hint', () => assert.rejects(c.find({}).hint('nope').toArray(), fails(2)));
await step('a collation', async () => same(await c.countDocuments({ name: 'ada' }, { collation: { locale: 'en', strength: 2 } }), 1));
await step('countDocuments', async () => same(await c.countDocuments({ age: { $gt: 40 } }), 2));
await step('estimatedDocumentCount', async () => same(await c.estimatedDocumentCount(), 3));
await step('distinct', async () => same((await c.distinct('name')).sort(), ['Ada', 'Alan', 'Grace']));
await step('updateOne', async () => same((await c.updateOne({ _id: 1 }, { $inc: { age: 1 } })).modifiedCount, 1));
await step('updateMany', async () => same((await c.updateMany({}, { $set: { seen: true } })).modifiedCount, 3));
await step('an update that changes nothing', async () => same((await c.updateOne({ _id: 1 }, { $set: { seen: true } })).modifiedCount, 0));
await step('an upsert', async () => same((await c.updateOne({ _id: 7 }, { $set: { name: 'Edsger' } }, { upsert: true })).upsertedId, 7));
await step('a pipeline update', async () => same((await c.updateOne({ _id: 7 }, [{ $set: { long: { $concat: ['$name', ' D'] } } }])).modifiedCount, 1));
await step('array filters', async () => {
  await c.updateOne({ _id: 7 }, { $set: { list: [1, 5, 9] } });
  await c.updateOne({ _id: 7 }, { $set: { 'list.$[x]': 0 } }, { arrayFilters: [{ x: { $gt: 4 } }] });
  same((await c.findOne({ _id: 7 })).list, [1, 0, 0]);
});
await step('replaceOne', async () => same((await c.replaceOne({ _id: 7 }, { name: 'E' })).modifiedCount, 1));
await step('deleteOne', async () => same((await c.deleteOne({ _id: 7 })).deletedCount, 1));
await step('findOneAndUpdate', async () => same((await c.findOneAndUpdate({ _id: 1 }, { $set: { age: 40 } }, { returnDocument: 'after' })).age, 40));
await step('findOneAndReplace', async () => same((await c.findOneAndReplace({ _id: 2 }, { name: 'G' })).name, 'Grace'));
await step('findOneAndDelete', async () => same((await c.findOneAndDelete({ _id: 3 })).name, 'Alan'));
await step('bulkWrite', async () => {
  const result = await c.bulkWrite([
    { insertOne: { document: { _id: 10 } } }, { updateOne: { filter: { _id: 10 }, update: { $set: { a: 1 } } } },
    { replaceOne: { filter: { _id: 11 }, replacement: { b: 1 }, upsert: true } }, { deleteOne: { filter: { _id: 10 } } },
    { updateMany: { filter: {}, update: { $set: { z: 1 } } } }, { deleteMany: { filter: { _id: 11 } } },
  ]);
  same([result.insertedCount, result.modifiedCount, result.upsertedCount, result.deletedCount], [1, 4, 1, 2]);
});
await step('a client bulk write', async () => {
  const result = await client.bulkWrite([
    { name: 'insertOne', namespace: 'node.b1', document: { _id: 1 } }, { name: 'insertOne', namespace: 'node.b2', document: { _id: 1 } },
    { name: 'updateOne', namespace: 'node.b1', filter: { _id: 1 }, update: { $set: { x: 1 } } },
  ], { verboseResults: true });
  same([result.insertedCount, result.modifiedCount], [2, 1]);
});

const types = { id: new ObjectId(), long: Long.fromString('9007199254740993'), decimal: Decimal128.fromString('1.10'), date: new Date(5), re: /a/i, buf: Buffer.from('x'), nil: null, nested: { a: [1, { b: 2 }] } };
await step('types', async () => {
  await db.collection('types').insertOne({ _id: 1, ...types });
  const back = await db.collection('types').findOne({ _id: 1 }, { promoteLongs: false });
  same(back.decimal.toString(), '1.10');
  same(back.long.toString(), '9007199254740993');
  same(back.date.getTime(), 5);
  same(back.nested, types.nested);
});
const many = db.collection('many');
await step('many documents', async () => same((await many.insertMany(Array.from({ length: 1000 }, (_, i) => ({ _id: i, k: i % 10, t: `word${i % 7}` })))).insertedCount, 1000));
await step('batches', async () => {
  let n = 0;
  for await (const d of many.find().batchSize(100)) n += d._id >= 0 ? 1 : 0;
  same(n, 1000);
});
await step('a cursor that is closed', async () => {
  const cursor = many.find().batchSize(10);
  await cursor.next();
  await cursor.close();
  assert(sent.includes('killCursors'));
});
await step('$group', async () => same((await many.aggregate([{ $group: { _id: '$k', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray()).length, 10));
await step('$lookup', async () => same((await many.aggregate([{ $match: { _id: 1 } }, { $lookup: { from: 'many', localField: 'k', foreignField: 'k', as: 'x' } }]).next()).x.length, 100));
await step('$facet', async () => same((await many.aggregate([{ $facet: { a: [{ $count: 'n' }], b: [{ $limit: 2 }] } }]).next()).b.length, 2));
await step('$bucket', async () => same((await many.aggregate([{ $bucket: { groupBy: '$_id', boundaries: [0, 500, 1000] } }]).toArray()).length, 2));
await step('$setWindowFields', async () => same((await many.aggregate([{ $setWindowFields: { sortBy: { _id: 1 }, output: { s: { $sum: '$k', window: { documents: ['unbounded', 'current'] } } } } }, { $match: { _id: 9 } }]).next()).s, 45));
await step('$unionWith', async () => same((await many.aggregate([{ $unionWith: 'c' }, { $count: 'n' }]).next()).n, 1000 + await c.countDocuments()));
await step('$out', async () => { await many.aggregate([{ $match: { k: 1 } }, { $out: 'outed' }]).toArray(); same(await db.collection('outed').countDocuments(), 100); });
await step('$merge', async () => { await many.aggregate([{ $match: { k: 2 } }, { $merge: 'outed' }]).toArray(); same(await db.collection('outed').countDocuments(), 200); });
await step('an aggregation that fails', () => assert.rejects(many.aggregate([{ $nope: 1 }]).toArray(), fails(40324)));
await step('explain', async () => assert((await many.find({ _id: 1 }).explain()).queryPlanner));
await step('maxTimeMS', () => assert.rejects(many.aggregate([{ $lookup: { from: 'many', pipeline: [], as: 'x' } }, { $unwind: '$x' }, { $lookup: { from: 'many', pipeline: [], as: 'y' } }, { $unwind: '$y' }, { $count: 'n' }], { maxTimeMS: 50 }).toArray(), fails(50)));

await step('createIndex', async () => same(await many.createIndex({ k: 1, t: -1 }), 'k_1_t_-1'));
await step('a unique index', async () => { await c.createIndex({ u: 1 }, { unique: true, sparse: true }); await c.insertOne({ u: 1 }); await assert.rejects(c.insertOne({ u: 1 }), fails(11000)); });
await step('a text index', async () => { await many.createIndex({ t: 'text' }); same(await many.countDocuments({ $text: { $search: 'word3' } }), 143); });
await step('a 2dsphere index', async () => {
  const places = db.collection('places');
  await places.createIndex({ at: '2dsphere' });
  await places.insertMany([{ _id: 'a', at: { type: 'Point', coordinates: [0, 0] } }, { _id: 'b', at: { type: 'Point', coordinates: [10, 10] } }]);
  same((await places.find({ at: { $near: { $geometry: { type: 'Point', coordinates: [1, 1] }, $maxDistance: 500000 } } }).toArray()).map((d) => d._id), ['a']);
});
await step('a TTL index', async () => same(await c.createIndex({ at: 1 }, { expireAfterSeconds: 60 }), 'at_1'));
await step('indexes', async () => same((await c.indexes()).map((i) => i.name).sort(), ['_id_', 'at_1', 'u_1']));
await step('indexExists', async () => same(await c.indexExists('u_1'), true));
await step('dropIndex', async () => { await c.dropIndex('u_1'); same(await c.indexExists('u_1'), false); });
await step('createCollection', async () => same((await db.createCollection('made')).collectionName, 'made'));
await step('a capped collection', async () => { await db.createCollection('capped', { capped: true, size: 4096, max: 2 }); const k = db.collection('capped'); await k.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]); same(await k.countDocuments(), 2); });
await step('a tailable cursor', async () => { const cursor = db.collection('capped').find({}, { tailable: true }); same((await cursor.next())._id, 2); await cursor.close(); });
await step('a validator', async () => { await db.createCollection('valid', { validator: { $jsonSchema: { required: ['a'] } } }); await assert.rejects(db.collection('valid').insertOne({}), fails(121)); });
await step('a view', async () => { await db.createCollection('view', { viewOn: 'many', pipeline: [{ $match: { k: 3 } }] }); same(await db.collection('view').countDocuments(), 100); });
await step('a write to a view', () => assert.rejects(db.collection('view').insertOne({}), fails(166)));
await step('a time series', async () => { await db.createCollection('series', { timeseries: { timeField: 't', metaField: 'm' } }); await db.collection('series').insertMany([{ t: new Date(1), m: 1, v: 1 }, { t: new Date(2), m: 1, v: 2 }]); same(await db.collection('series').countDocuments(), 2); });
await step('listCollections', async () => assert((await db.listCollections().toArray()).some((x) => x.name === 'view' && x.type === 'view')));
await step('listDatabases', async () => assert((await db.admin().listDatabases()).databases.some((x) => x.name === 'node')));
await step('rename', async () => same((await db.collection('made').rename('renamed')).collectionName, 'renamed'));
await step('drop', async () => same(await db.collection('renamed').drop(), true));
await step('stats', async () => same((await db.stats()).db, 'node'));
await step('serverStatus', async () => assert((await db.admin().serverStatus()).uptime >= 0));
await step('buildInfo', async () => assert((await db.admin().buildInfo()).version));
await step('a command that is unknown', () => assert.rejects(db.command({ nope: 1 }), fails(59)));

const bucket = new GridFSBucket(db, { chunkSizeBytes: 1000 });
await step('a GridFS upload', () => new Promise((resolve, reject) => { const up = bucket.openUploadStream('f', { metadata: { a: 1 } }); up.on('finish', resolve).on('error', reject); up.end(Buffer.alloc(3500, 7)); }));
await step('a GridFS download', async () => { let n = 0; for await (const chunk of bucket.openDownloadStreamByName('f')) n += chunk.length; same(n, 3500); });
await step('a range of it', async () => { let n = 0; for await (const chunk of bucket.openDownloadStreamByName('f', { start: 990, end: 2010 })) n += chunk.length; same(n, 1020); });
await step('a GridFS rename', async () => { const [f] = await bucket.find({}).toArray(); await bucket.rename(f._id, 'g'); same((await bucket.find({ filename: 'g' }).toArray()).length, 1); });
await step('a GridFS delete', async () => { const [f] = await bucket.find({}).toArray(); await bucket.delete(f._id); same(await db.collection('fs.chunks').countDocuments(), 0); });

await step('a fail point', async () => {
  await client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands: ['find'], errorCode: 13 } });
  await assert.rejects(c.findOne({}), fails(13));
});
await step('a retried read', async () => {
  await client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands: ['find'], closeConnection: true } });
  assert(await c.findOne({}));
});
if (!standalone) {
  await step('a retried write', async () => {
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands: ['insert'], errorCode: 11600, errorLabels: ['RetryableWriteError'] } });
    await c.insertOne({ _id: 'retried' });
    same(await c.countDocuments({ _id: 'retried' }), 1);
  });
  await step('a transaction', () => client.withSession((session) => session.withTransaction(async () => {
    await c.insertOne({ _id: 't1' }, { session });
    same(await c.countDocuments({ _id: 't1' }, { session }), 1);
    same(await c.countDocuments({ _id: 't1' }), 0);
  })));
  await step('its outcome', async () => same(await c.countDocuments({ _id: 't1' }), 1));
  await step('a transaction that is given up', async () => {
    await assert.rejects(client.withSession((session) => session.withTransaction(async () => { await c.insertOne({ _id: 't2' }, { session }); throw new Error('no'); })));
    same(await c.countDocuments({ _id: 't2' }), 0);
  });
  await step('a transient error', async () => {
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands: ['insert'], errorCode: 112, errorLabels: ['TransientTransactionError'] } });
    let tries = 0;
    await client.withSession((session) => session.withTransaction(async () => { tries++; await c.insertOne({ _id: 't3' }, { session }); }));
    same(tries, 2);
  });
  await step('a write conflict', () => client.withSession((one) => client.withSession(async (two) => {
    one.startTransaction(); two.startTransaction();
    await c.updateOne({ _id: 't1' }, { $set: { a: 1 } }, { session: one });
    await assert.rejects(c.updateOne({ _id: 't1' }, { $set: { a: 2 } }, { session: two }), (e) => e.hasErrorLabel('TransientTransactionError'));
    await two.abortTransaction(); await one.commitTransaction();
  })));
  await step('causal consistency', () => client.withSession({ causalConsistency: true }, async (session) => { await c.insertOne({ _id: 'causal' }, { session }); assert(await c.findOne({ _id: 'causal' }, { session, readPreference: ReadPreference.SECONDARY_PREFERRED })); }));
  await step('a snapshot session', () => client.withSession({ snapshot: true }, async (session) => { const n = await c.countDocuments({}, { session }); await c.insertOne({}); same(await c.countDocuments({}, { session }), n); }));
  await step('a change stream', async () => {
    const stream = c.watch([{ $match: { operationType: 'insert' } }], { fullDocument: 'updateLookup' });
    const first = stream.next();
    await new Promise((resolve) => stream.once('resumeTokenChanged', resolve).once('init', resolve) && setTimeout(resolve, 300));
    await c.insertOne({ _id: 'watched' });
    same((await first).documentKey._id, 'watched');
    await stream.close();
  });
  await step('a resumed change stream', async () => {
    const stream = db.watch();
    const next = stream.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await c.insertOne({ _id: 'one' });
    const token = (await next)._id;
    await stream.close();
    await c.insertOne({ _id: 'two' });
    const again = db.watch([], { resumeAfter: token });
    same((await again.next()).documentKey._id, 'two');
    await again.close();
  });
  await step('a write concern', async () => same((await c.insertOne({}, { writeConcern: { w: 'majority', wtimeoutMS: 1000 } })).acknowledged, true));
  await step('read concerns', async () => { for (const level of ['local', 'majority']) assert((await c.find({}, { readConcern: { level } }).toArray()).length); });
}
if (set) {
  await step('a read from a secondary', async () => assert((await c.find({}, { readPreference: 'secondary' }).toArray()).length));
  await step('a step-down', async () => {
    await client.db('admin').command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true });
    await c.insertOne({ _id: 'after the election' });
    same(await c.countDocuments({ _id: 'after the election' }), 1);
  });
}
await step('users', async () => {
  await db.command({ createUser: 'ada', pwd: 'secret', roles: ['readWrite'] });
  same((await db.command({ usersInfo: 'ada' })).users.length, 1);
  const other = new MongoClient(uri, { auth: { username: 'ada', password: 'secret' }, authSource: 'node' });
  same((await other.db('node').command({ connectionStatus: 1 })).authInfo.authenticatedUsers[0].user, 'ada');
  await other.close();
  await db.command({ dropUser: 'ada' });
});
await step('sessions end', async () => { const session = client.startSession(); await c.findOne({}, { session }); await session.endSession(); });

// mongoose
await mongoose.connect(uri, { dbName: 'goose', heartbeatFrequencyMS: 500 });
await mongoose.connection.dropDatabase();
const author = new mongoose.Schema({ name: { type: String, required: true, unique: true }, born: Number }, { timestamps: true });
author.virtual('shout').get(function () { return this.name.toUpperCase(); });
author.pre('save', function () { this.born ??= 1900; });
const Author = mongoose.model('Author', author);
const book = new mongoose.Schema({ title: String, by: { type: mongoose.Schema.Types.ObjectId, ref: 'Author' }, tags: [String], ratings: [{ by: String, stars: Number }], price: mongoose.Schema.Types.Decimal128 });
book.index({ title: 'text' });
book.index({ tags: 1 });
const Book = mongoose.model('Book', book);
await step('mongoose: init', () => Promise.all([Author.init(), Book.init()]));
let ada, dune;
await step('mongoose: create', async () => { ada = await Author.create({ name: 'Ada' }); same(ada.born, 1900); });
await step('mongoose: a virtual', () => same(ada.shout, 'ADA'));
await step('mongoose: validation', () => assert.rejects(Author.create({}), (e) => e.name === 'ValidationError'));
await step('mongoose: unique', () => assert.rejects(Author.create({ name: 'Ada' }), fails(11000)));
await step('mongoose: save', async () => { dune = new Book({ title: 'Dune', by: ada._id, tags: ['sand'], price: '9.99' }); await dune.save(); });
await step('mongoose: change and save', async () => { dune.tags.push('spice'); dune.ratings.push({ by: 'x', stars: 5 }); await dune.save(); same((await Book.findById(dune._id)).tags.length, 2); });
await step('mongoose: populate', async () => same((await Book.findOne({ title: 'Dune' }).populate('by')).by.name, 'Ada'));
await step('mongoose: a version conflict', async () => {
  const a = await Book.findById(dune._id), b = await Book.findById(dune._id);
  a.tags = ['one']; await a.save();
  b.tags.pull('sand'); b.tags.set(0, 'two'); b.tags.push('three');
  await assert.rejects(b.save(), (e) => e.name === 'VersionError');
});
await step('mongoose: insertMany', async () => same((await Book.insertMany([{ title: 'A', tags: ['x'] }, { title: 'B', tags: ['x', 'y'] }])).length, 2));
await step('mongoose: a query', async () => same((await Book.find().where('tags').equals('x').sort('-title').lean()).map((d) => d.title), ['B', 'A']));
await step('mongoose: a cursor', async () => { let n = 0; for await (const doc of Book.find().cursor()) n += doc.title ? 1 : 0; same(n, 3); });
await step('mongoose: text search', async () => same((await Book.find({ $text: { $search: 'dune' } })).length, 1));
await step('mongoose: findOneAndUpdate', async () => same((await Book.findOneAndUpdate({ title: 'A' }, { title: 'AA' }, { new: true })).title, 'AA'));
await step('mongoose: updateMany', async () => same((await Book.updateMany({ tags: 'x' }, { $addToSet: { tags: 'z' } })).modifiedCount, 2));
await step('mongoose: aggregate', async () => same((await Book.aggregate([{ $unwind: '$tags' }, { $group: { _id: '$tags', n: { $sum: 1 } } }, { $match: { _id: 'z' } }]))[0].n, 2));
await step('mongoose: bulkSave', async () => { const docs = await Book.find(); docs.forEach((d) => { d.title += '!'; }); await Book.bulkSave(docs); same(await Book.countDocuments({ title: /!$/ }), 3); });
await step('mongoose: distinct', async () => assert((await Book.distinct('tags')).includes('z')));
await step('mongoose: exists', async () => assert(await Book.exists({ title: 'B!' })));
await step('mongoose: syncIndexes', async () => same(Array.isArray(await Book.syncIndexes()), true));
await step('mongoose: a discriminator', async () => { const Comic = Book.discriminator('Comic', new mongoose.Schema({ artist: String })); await Comic.create({ title: 'C', artist: 'd' }); same(await Comic.countDocuments(), 1); });
await step('mongoose: deleteOne', async () => same((await Book.deleteOne({ title: 'B!' })).deletedCount, 1));
if (!standalone) {
  await step('mongoose: a transaction', () => mongoose.connection.transaction(async (session) => { await Author.create([{ name: 'T' }], { session }); }));
  await step('mongoose: a lost transaction', async () => {
    await assert.rejects(mongoose.connection.transaction(async (session) => { await Author.create([{ name: 'L' }], { session }); throw new Error('no'); }));
    same(await Author.countDocuments({ name: 'L' }), 0);
  });
}
await step('mongoose: disconnect', () => mongoose.disconnect());
await step('dropDatabase', async () => same(await db.dropDatabase(), true));
await client.close();
console.log(steps, 'steps');
