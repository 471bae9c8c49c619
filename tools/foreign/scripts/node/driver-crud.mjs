// The Node driver's reads and writes, as its documentation describes them: driver-crud.mjs URI
import { MongoClient, ObjectId, Binary, Long, Int32, Double, Decimal128, Timestamp, MinKey, MaxKey, UUID, BSONRegExp, Code } from 'mongodb';
import { assert, same, code, test, skip, done } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './driver-library.mjs';

watch(library);
const client = await new MongoClient(process.argv[2]).connect();
const db = client.db('driverCrud');
await db.dropDatabase();
let made = 0;
const fresh = async (docs) => {
  const c = db.collection(`c${made++}`);
  if (docs) await c.insertMany(docs);
  return c;
};
const numbers = (n) => Array.from({ length: n }, (_, i) => ({ _id: i, n: i, odd: i % 2 === 1 }));
const ids = async (cursor) => (await cursor.toArray()).map((d) => d._id);

await test('insertOne makes an ObjectId', async () => {
  const c = await fresh();
  const { acknowledged, insertedId } = await c.insertOne({ a: 1 });
  assert(acknowledged && insertedId instanceof ObjectId);
  same(await c.findOne({ _id: insertedId }), { _id: insertedId, a: 1 });
});
await test('insertMany returns the ids by index', async () => {
  const c = await fresh();
  same((await c.insertMany([{ _id: 'a' }, { _id: 'b' }])).insertedIds, { 0: 'a', 1: 'b' });
});
await test('an ordered insertMany ends at the first error', async () => {
  const c = await fresh([{ _id: 1 }]);
  await assert.rejects(c.insertMany([{ _id: 0 }, { _id: 1 }, { _id: 2 }]), (e) => e.code === 11000 && e.insertedCount === 1 && e.writeErrors.length === 1);
  same(await c.countDocuments(), 2);
});
await test('an unordered insertMany goes on', async () => {
  const c = await fresh([{ _id: 1 }]);
  await assert.rejects(c.insertMany([{ _id: 0 }, { _id: 1 }, { _id: 2 }, { _id: 1 }], { ordered: false }), (e) => e.insertedCount === 2 && e.writeErrors.length === 2 && e.writeErrors[1].index === 3);
});
await test('a duplicate key says which', async () => {
  const c = await fresh([{ _id: 1 }]);
  await assert.rejects(c.insertOne({ _id: 1 }), (e) => e.code === 11000 && e.keyPattern._id === 1 && e.keyValue._id === 1);
});
await test('every BSON type comes back', async () => {
  const c = await fresh();
  const doc = {
    _id: 1, double: new Double(1.5), text: 'grüß', object: { a: { b: null } }, list: [1, [2], {}], binary: new Binary(Buffer.from([1, 2]), 0x80),
    uuid: new UUID(), id: new ObjectId(), yes: true, date: new Date(-1), nothing: null, regexp: new BSONRegExp('a/b', 'im'), code: new Code('x', { y: 1 }),
    int: new Int32(-5), stamp: new Timestamp({ t: 7, i: 8 }), long: Long.MIN_VALUE, decimal: Decimal128.fromString('-1.230E+5'), min: new MinKey(), max: new MaxKey(),
  };
  await c.insertOne(doc);
  same(await c.findOne({ _id: 1 }, { promoteValues: false, bsonRegExp: true }), { ...doc, _id: new Int32(1), list: [new Int32(1), [new Int32(2)], {}], code: new Code('x', { y: new Int32(1) }) });
});
await test('a zero timestamp at the top gets the time of the server', async () => {
  const c = await fresh();
  await c.insertOne({ _id: 1, at: new Timestamp({ t: 0, i: 0 }), in: { at: new Timestamp({ t: 0, i: 0 }) } });
  const back = await c.findOne();
  assert(back.at.t > 0);
  same(back.in.at.t, 0);
});
await test('find with sort, skip and limit', async () => same(await ids((await fresh(numbers(10))).find().sort({ n: -1 }).skip(2).limit(3)), [7, 6, 5]));
await test('find with a projection', async () => same(await (await fresh([{ _id: 1, a: { b: 1, c: 2 }, d: [1, 2, 3] }])).findOne({}, { projection: { 'a.b': 1, d: { $slice: -1 } } }), { _id: 1, a: { b: 1 }, d: [3] }));
await test('find with a projection that computes', async () => same(await (await fresh([{ _id: 1, a: 2 }])).findOne({}, { projection: { twice: { $multiply: ['$a', 2] } } }), { _id: 1, twice: 4 }));
await test('a projection of both kinds is an error', async () => assert.rejects((await fresh([{ a: 1 }])).findOne({}, { projection: { a: 1, b: 0 } }), code(31254)));
await test('operators of comparison', async () => {
  const c = await fresh(numbers(6));
  for (const [filter, want] of [
    [{ n: { $gt: 3 } }, [4, 5]], [{ n: { $gte: 4 } }, [4, 5]], [{ n: { $lt: 1 } }, [0]], [{ n: { $lte: 1 } }, [0, 1]], [{ n: { $ne: 0 }, odd: false }, [2, 4]],
    [{ n: { $in: [1, 5, 9] } }, [1, 5]], [{ n: { $nin: [0, 1, 2, 3] } }, [4, 5]], [{ n: { $mod: [3, 0] } }, [0, 3]], [{ n: { $not: { $gt: 1 } } }, [0, 1]],
    [{ $or: [{ n: 1 }, { n: 2 }] }, [1, 2]], [{ $nor: [{ odd: true }, { n: 0 }] }, [2, 4]], [{ $expr: { $eq: ['$n', { $add: [1, 1] }] } }, [2]],
    [{ n: { $type: 'int' }, $comment: 'why' }, [0, 1, 2, 3, 4, 5]], [{ none: { $exists: false }, n: 5 }, [5]], [{ n: { $bitsAllSet: 5 } }, [5]],
  ]) same([filter, await ids(c.find(filter).sort({ _id: 1 }))], [filter, want]);
});
await test('operators of arrays and texts', async () => {
  const c = await fresh([{ _id: 1, a: [1, 2, 3], s: 'Abc' }, { _id: 2, a: [{ x: 1, y: 2 }, { x: 3, y: 4 }], s: 'abd' }, { _id: 3, a: [], s: '' }]);
  for (const [filter, want] of [
    [{ a: 2 }, [1]], [{ a: { $all: [1, 3] } }, [1]], [{ a: { $size: 0 } }, [3]], [{ a: { $elemMatch: { x: 1, y: 2 } } }, [2]], [{ a: { $elemMatch: { x: 1, y: 4 } } }, []],
    [{ 'a.x': 3 }, [2]], [{ 'a.1': 2 }, [1]], [{ s: /^ab/i }, [1, 2]], [{ s: { $regex: 'B', $options: 'i' } }, [1, 2]], [{ s: { $in: [/^A/, ''] } }, [1, 3]],
    [{ $jsonSchema: { properties: { s: { minLength: 1 } } } }, [1, 2]],
  ]) same([filter, await ids(c.find(filter).sort({ _id: 1 }))], [filter, want]);
});
await test('an unknown operator is an error', async () => assert.rejects((await fresh()).findOne({ a: { $nope: 1 } }), code(2)));
await test('a collation', async () => same(await ids((await fresh([{ _id: 'b' }, { _id: 'A' }, { _id: 'a' }])).find().collation({ locale: 'en' }).sort({ _id: 1 })), ['a', 'A', 'b']));
await test('numeric order', async () => same(await ids((await fresh([{ _id: '10' }, { _id: '9' }])).find().collation({ locale: 'en', numericOrdering: true }).sort({ _id: 1 })), ['9', '10']));
await test('countDocuments, estimatedDocumentCount, distinct', async () => {
  const c = await fresh(numbers(9));
  same([await c.countDocuments({ odd: true }), await c.countDocuments({}, { skip: 2, limit: 3 }), await c.estimatedDocumentCount(), await c.distinct('odd')], [4, 3, 9, [false, true]]);
});
await test('distinct looks into arrays', async () => same((await (await fresh([{ a: [1, 2] }, { a: [2, 3] }, { a: 4 }])).distinct('a')).sort(), [1, 2, 3, 4]));
await test('updateOne', async () => {
  const { matchedCount, modifiedCount, upsertedId } = await (await fresh(numbers(3))).updateOne({ n: { $gt: 0 } }, { $inc: { n: 10 } });
  same([matchedCount, modifiedCount, upsertedId], [1, 1, null]);
});
await test('an update that changes nothing', async () => same((await (await fresh([{ a: 1 }])).updateOne({}, { $set: { a: 1 } })).modifiedCount, 0));
await test('a replacement that equals the document', async () => {
  const { matchedCount, modifiedCount } = await (await fresh([{ _id: 1, a: 1 }])).replaceOne({ _id: 1 }, { a: 1 });
  same([matchedCount, modifiedCount], [1, 1]);
});
await test('updateMany', async () => same((await (await fresh(numbers(5))).updateMany({ odd: true }, { $set: { seen: true } })).modifiedCount, 2));
await test('operators of updates', async () => {
  for (const [before, update, after] of [
    [{ a: 1 }, { $inc: { a: 2, b: 1 } }, { a: 3, b: 1 }], [{ a: 3 }, { $mul: { a: 2 } }, { a: 6 }], [{ a: 3 }, { $min: { a: 2 } }, { a: 2 }], [{ a: 3 }, { $max: { a: 9 } }, { a: 9 }],
    [{ a: 1 }, { $rename: { a: 'b' } }, { b: 1 }], [{ a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }], [{ a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
    [{ a: [3] }, { $push: { a: { $each: [1, 2], $sort: 1, $slice: 2 } } }, { a: [1, 2] }], [{ a: [1, 4] }, { $push: { a: { $each: [2, 3], $position: 1 } } }, { a: [1, 2, 3, 4] }],
    [{ a: [1] }, { $addToSet: { a: { $each: [1, 2] } } }, { a: [1, 2] }], [{ a: [1, 2, 3] }, { $pop: { a: -1 } }, { a: [2, 3] }], [{ a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
    [{ a: [1, 2, 3] }, { $pullAll: { a: [1, 3] } }, { a: [2] }], [{ a: 5 }, { $bit: { a: { and: 4 } } }, { a: 4 }], [{ a: [1, 2] }, { $set: { 'a.3': 4 } }, { a: [1, 2, null, 4] }],
    [{ a: [{ x: 1 }, { x: 2 }] }, { $set: { 'a.$[].y': 0 } }, { a: [{ x: 1, y: 0 }, { x: 2, y: 0 }] }], [{ a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }, { $unset: 'a' }], { b: 2 }],
  ]) {
    const c = await fresh([{ _id: 1, ...before }]);
    await c.updateOne({ _id: 1 }, update);
    same([update, await c.findOne({}, { projection: { _id: 0 } })], [update, after]);
  }
});
await test('the positional operator', async () => {
  const c = await fresh([{ _id: 1, a: [{ x: 1 }, { x: 2 }] }]);
  await c.updateOne({ 'a.x': 2 }, { $set: { 'a.$.y': 1 } });
  same((await c.findOne()).a, [{ x: 1 }, { x: 2, y: 1 }]);
});
await test('array filters', async () => {
  const c = await fresh([{ _id: 1, a: [1, 5, 9] }]);
  await c.updateOne({}, { $set: { 'a.$[big]': 0 } }, { arrayFilters: [{ big: { $gte: 5 } }] });
  same((await c.findOne()).a, [1, 0, 0]);
  await assert.rejects(c.updateOne({}, { $set: { 'a.$[none]': 0 } }), code(2));
});
await test('currentDate and setOnInsert', async () => {
  const c = await fresh();
  await c.updateOne({ _id: 1 }, { $currentDate: { at: true, stamp: { $type: 'timestamp' } }, $setOnInsert: { first: true } }, { upsert: true });
  const d = await c.findOne();
  assert(d.at instanceof Date && d.stamp instanceof Timestamp && d.first);
});
await test('updates that contradict themselves', async () => {
  const c = await fresh([{ _id: 1, a: 'x' }]);
  await assert.rejects(c.updateOne({}, { $set: { a: 1 }, $inc: { a: 1 } }), code(40));
  await assert.rejects(c.updateOne({}, { $inc: { a: 1 } }), code(14));
  await assert.rejects(c.updateOne({}, { $set: { _id: 2 } }), code(66));
  await assert.rejects(c.updateOne({}, { $push: { a: 1 } }), code(2));
});
await test('an upsert takes what the filter says', async () => {
  const c = await fresh();
  const { upsertedId, upsertedCount } = await c.updateOne({ _id: 7, k: { $eq: 1 }, z: { $gt: 1 } }, { $set: { a: 1 } }, { upsert: true });
  same([upsertedId, upsertedCount, await c.findOne()], [7, 1, { _id: 7, k: 1, a: 1 }]);
});
await test('replaceOne', async () => {
  const c = await fresh([{ _id: 1, a: 1 }]);
  same((await c.replaceOne({ a: 1 }, { b: 2 })).modifiedCount, 1);
  same(await c.findOne(), { _id: 1, b: 2 });
});
await test('deleteOne and deleteMany', async () => {
  const c = await fresh(numbers(6));
  same([(await c.deleteOne({ odd: true })).deletedCount, (await c.deleteMany({ odd: true })).deletedCount, await c.countDocuments()], [1, 2, 3]);
});
await test('findOneAndUpdate', async () => {
  const c = await fresh([{ _id: 1, n: 1 }]);
  same(await c.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }), { _id: 1, n: 1 });
  same(await c.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after', projection: { _id: 0 } }), { n: 3 });
  same(await c.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } }), null);
  const raw = await c.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } }, { upsert: true, includeResultMetadata: true });
  same([raw.value, raw.lastErrorObject.updatedExisting, raw.lastErrorObject.upserted], [null, false, 2]);
});
await test('findOneAndReplace and findOneAndDelete', async () => {
  const c = await fresh(numbers(3));
  same((await c.findOneAndReplace({ _id: 0 }, { x: 1 }, { returnDocument: 'after' })), { _id: 0, x: 1 });
  same((await c.findOneAndDelete({}, { sort: { _id: -1 } }))._id, 2);
});
await test('bulkWrite', async () => {
  const c = await fresh(numbers(3));
  const r = await c.bulkWrite([
    { insertOne: { document: { _id: 10 } } }, { updateOne: { filter: { _id: 10 }, update: { $set: { a: 1 } } } }, { updateMany: { filter: { odd: false }, update: { $set: { e: 1 } } } },
    { replaceOne: { filter: { _id: 11 }, replacement: { b: 1 }, upsert: true } }, { deleteOne: { filter: { _id: 10 } } }, { deleteMany: { filter: { odd: true } } },
  ]);
  same([r.insertedCount, r.matchedCount, r.modifiedCount, r.deletedCount, r.upsertedCount, r.upsertedIds], [1, 3, 3, 2, 1, { 3: 11 }]);
});
await test('a bulk write that fails says where', async () => {
  const c = await fresh([{ _id: 1 }]);
  await assert.rejects(c.bulkWrite([{ insertOne: { document: { _id: 0 } } }, { insertOne: { document: { _id: 1 } } }, { deleteMany: { filter: {} } }]), (e) => e.code === 11000 && e.result.insertedCount === 1 && e.result.deletedCount === 0);
});
await test('the old bulk builder', async () => {
  const c = await fresh(numbers(3));
  const bulk = c.initializeOrderedBulkOp();
  bulk.insert({ _id: 9 });
  bulk.find({ odd: true }).update({ $set: { x: 1 } });
  bulk.find({ _id: 0 }).deleteOne();
  bulk.find({ _id: 50 }).upsert().updateOne({ $set: { x: 2 } });
  const r = await bulk.execute();
  same([r.insertedCount, r.modifiedCount, r.deletedCount, r.upsertedCount], [1, 1, 1, 1]);
});
await test('many operations in one bulk write', async () => {
  const c = await fresh();
  const r = await c.bulkWrite(Array.from({ length: 5000 }, (_, i) => ({ insertOne: { document: { _id: i } } })), { ordered: false });
  same(r.insertedCount, 5000);
});
await test('cursors', async () => {
  const c = await fresh(numbers(250));
  const cursor = c.find().batchSize(100);
  assert(await cursor.hasNext());
  same((await cursor.next())._id, 0);
  same((await cursor.toArray()).length, 249);
  cursor.rewind();
  let n = 0;
  for await (const d of cursor) n += d._id >= 0 ? 1 : 0;
  same(n, 250);
  const early = c.find().batchSize(10);
  for await (const d of early) if (d._id === 12) break;
  assert(early.killed);
  same((await c.find().map((d) => d._id).limit(2).toArray()), [0, 1]);
  same((await c.find().batchSize(10).stream().take(33).toArray()).length, 33);
});
await test('a large document', async () => {
  const c = await fresh();
  await c.insertOne({ _id: 1, text: 'x'.repeat(15 << 20) });
  same((await c.findOne()).text.length, 15 << 20);
  await assert.rejects(c.insertOne({ text: 'x'.repeat(17 << 20) }));
});
await test('hints', async () => {
  const c = await fresh(numbers(5));
  await c.createIndex({ n: 1 });
  same(await ids(c.find({ n: 3 }).hint({ n: 1 })), [3]);
  await assert.rejects(c.find({}).hint('nope').toArray(), code(2));
});
await test('min and max', async () => {
  const c = await fresh(numbers(9));
  await c.createIndex({ n: 1 });
  same(await ids(c.find().hint({ n: 1 }).min({ n: 3 }).max({ n: 6 })), [3, 4, 5]);
});
await test('returnKey and showRecordId', async () => {
  const c = await fresh([{ _id: 1, n: 5 }]);
  await c.createIndex({ n: 1 });
  same(await c.find({ n: 5 }).hint({ n: 1 }).returnKey(true).toArray(), [{ n: 5 }]);
  assert('$recordId' in (await c.find().showRecordId(true).next()));
});
await test('variables with let', async () => {
  const c = await fresh(numbers(3));
  same(await ids(c.find({ $expr: { $eq: ['$n', '$$want'] } }, { let: { want: 2 } })), [2]);
  same((await c.deleteMany({ $expr: { $lt: ['$n', '$$most'] } }, { let: { most: 2 } })).deletedCount, 2);
});
if ((await db.admin().command({ hello: 1 })).maxWireVersion < 25) {
  skip('a client bulk write', 'it needs a server of version 8.0');
} else {
  await test('a client bulk write', async () => {
    const r = await client.bulkWrite([
      { name: 'insertOne', namespace: 'driverCrud.b1', document: { _id: 1 } }, { name: 'updateOne', namespace: 'driverCrud.b1', filter: { _id: 1 }, update: { $set: { x: 1 } } },
      { name: 'replaceOne', namespace: 'driverCrud.b2', filter: { _id: 2 }, replacement: { y: 1 }, upsert: true }, { name: 'deleteOne', namespace: 'driverCrud.b1', filter: {} },
    ], { verboseResults: true });
    same([r.insertedCount, r.modifiedCount, r.upsertedCount, r.deletedCount], [1, 1, 1, 1]);
  });
}
await test('unacknowledged writes', async () => same((await (await fresh()).insertOne({ _id: 1 }, { writeConcern: { w: 0 } })).acknowledged, false));
await test('comments and time limits', async () => same((await (await fresh(numbers(2))).find({}, { comment: { who: 'me' }, maxTimeMS: 5000 }).toArray()).length, 2));
await client.close();
done();
