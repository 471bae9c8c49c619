// What the Node driver has besides: the values that it returns of bulk writes, errors, concerns, preferences and descriptions,
// files by name, streams of a database and of a client: driver-values.mjs URI
import * as driver from 'mongodb';
import { assert, same, test, skip, done, kindOf } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './driver-library.mjs';

const { MongoClient, GridFSBucket, ReadConcern, ReadPreference, WriteConcern } = driver;
watch(library);
const uri = process.argv[2];
const client = await new MongoClient(uri, { monitorCommands: true }).connect();
const db = client.db('driverValues');
await db.dropDatabase();
const kind = await kindOf(db);
let made = 0;
const fresh = async (docs) => {
  const c = await db.createCollection(`c${made++}`);
  if (docs) await c.insertMany(docs);
  return c;
};
const numbers = (n) => Array.from({ length: n }, (_, i) => ({ _id: i, n: i }));

await test('the result of a bulk operation', async () => {
  const bulk = (await fresh(numbers(3))).initializeOrderedBulkOp();
  bulk.find({ _id: 7 }).upsert().replaceOne({ a: 1 });
  bulk.find({ _id: 0 }).delete();
  bulk.find({ n: { $gt: 0 } }).collation({ locale: 'en' }).hint({ _id: 1 }).update({ $set: { list: [1, 5] } });
  bulk.find({ list: { $exists: true } }).arrayFilters([{ big: { $gt: 4 } }]).update({ $set: { 'list.$[big]': 9 } });
  same([bulk.bsonOptions.promoteValues, bulk.writeConcern?.w], [true, undefined]);
  const r = await bulk.execute();
  same([r.ok, r.upsertedCount, r.deletedCount, r.matchedCount, r.modifiedCount], [1, 1, 1, 4, 4]);
  same([r.getUpsertedIdAt(0), r.getUpsertedIdAt(9)], [{ index: 0, _id: 7 }, undefined]);
  same([r.hasWriteErrors(), r.getWriteErrorCount(), r.getWriteErrors(), r.getWriteErrorAt(0), r.getWriteConcernError()], [false, 0, [], undefined, undefined]);
  same([r.getRawResponse().nUpserted, r.getRawResponse().nModified, /^BulkWriteResult\(/.test(r.toString())], [1, 4, true]);
});
await test('the result of a bulk operation that fails', async () => {
  const c = await fresh(numbers(3));
  const error = await c.bulkWrite([
    { insertOne: { document: { _id: 8 } } }, { insertOne: { document: { _id: 1 } } }, { updateOne: { filter: { _id: 2 }, update: { $inc: { n: 1 } } } },
    { updateOne: { filter: { _id: 9 }, update: { $set: { n: 1 } }, upsert: true } }, { deleteOne: { filter: { _id: 0 } } },
  ], { ordered: false }).catch((e) => e);
  same([error.name, error.insertedCount, error.matchedCount, error.modifiedCount, error.deletedCount, error.upsertedCount], ['MongoBulkWriteError', 1, 1, 1, 1, 1]);
  same([error.insertedIds, error.upsertedIds], [{ 0: 8 }, { 3: 9 }]);
  const [wrong] = error.writeErrors;
  same([wrong.code, wrong.index, /^E11000 /.test(wrong.errmsg), wrong.getOperation()], [11000, 1, true, { _id: 1 }]);
  same([wrong.toJSON().code, /^WriteError\(\{"code":11000/.test(wrong.toString())], [11000, true]);
  same([error.result.hasWriteErrors(), error.result.getWriteErrorAt(0).code, error.result.getWriteErrors().length], [true, 11000, 1]);
});
await test('what a validator says of a document', async () => {
  const c = await db.createCollection('validated', { validator: { n: { $type: 'string' } } });
  const error = await c.insertMany([{ _id: 1, n: 1 }]).catch((e) => e);
  same([error.writeErrors[0].code, error.writeErrors[0].errInfo.failingDocumentId, error.writeErrors[0].errInfo.details.operatorName], [121, 1, '$type']);
});
if (kind === 'standalone') skip('a write concern that cannot be met', 'a standalone server refuses the command');
else {
  await test('a write concern that cannot be met', async () => {
    const c = await fresh();
    const error = await c.bulkWrite([{ insertOne: { document: { _id: 1 } } }], { writeConcern: { w: 40, wtimeoutMS: 200 } }).catch((e) => e);
    const wrong = error.result.getWriteConcernError();
    same([wrong.code, wrong.toJSON().code, /^WriteConcernError\(/.test(wrong.toString()), typeof wrong.errmsg], [100, 100, true, 'string']);
    same([wrong.errInfo.writeConcern.w, wrong.errInfo.writeConcern.provenance, await c.countDocuments()], [40, 'clientSupplied', 1]);
  });
}
await test('each class of errors has its name', () => {
  for (const [name, type] of Object.entries(driver)) if (/Error$/.test(name) && typeof type === 'function') same(type.prototype.name, name);
});
await test('labels and text of an error', async () => {
  const error = await db.command({ insert: 'x', documents: 5 }).catch((e) => e);
  same([error.name, error.errorLabels, error.errmsg === error.message, error.code], ['MongoServerError', [], true, 14]);
  error.addErrorLabel('ours');
  same([error.hasErrorLabel('ours'), error.hasErrorLabel('theirs'), error.errorLabels], [true, false, ['ours']]);
});
await test('events of commands', async () => {
  const seen = [];
  for (const name of ['commandStarted', 'commandSucceeded', 'commandFailed']) client.on(name, (e) => { seen.push([name, e.commandName, e.hasServiceId]); });
  await db.command({ ping: 1 });
  await db.command({ nope: 1 }).catch(() => {});
  for (const name of ['commandStarted', 'commandSucceeded', 'commandFailed']) client.removeAllListeners(name);
  same(seen, [['commandStarted', 'ping', false], ['commandSucceeded', 'ping', false], ['commandStarted', 'nope', false], ['commandFailed', 'nope', false]]);
});
await test('concerns', async () => {
  same([ReadConcern.MAJORITY, ReadConcern.AVAILABLE, ReadConcern.LINEARIZABLE, ReadConcern.SNAPSHOT], ['majority', 'available', 'linearizable', 'snapshot']);
  same([ReadConcern.fromOptions({ level: 'local' }).toJSON(), ReadConcern.fromOptions({ readConcern: { level: 'majority' } }).toJSON(), ReadConcern.fromOptions({})], [{ level: 'local' }, { level: 'majority' }, undefined]);
  same([WriteConcern.fromOptions({ writeConcern: { w: 1 } }).w, WriteConcern.fromOptions('majority').w, WriteConcern.fromOptions({})], [1, 'majority', undefined]);
  const command = WriteConcern.apply({ insert: (await fresh()).collectionName, documents: [{ _id: 1 }] }, new WriteConcern(1, 500, true));
  same(command.writeConcern, { w: 1, wtimeout: 500, j: true });
  same((await db.command(command)).n, 1);
});
await test('preferences', async () => {
  const near = ReadPreference.fromOptions({ readPreference: { mode: 'nearest', tags: [{ a: 'b' }, {}], maxStalenessSeconds: 120 } });
  same([near.preference, near.toJSON(), near.secondaryOk(), near.isValid()], ['nearest', { mode: 'nearest', tags: [{ a: 'b' }, {}], maxStalenessSeconds: 120 }, true, true]);
  same([ReadPreference.isValid('secondary'), ReadPreference.isValid('x'), near.isValid('x'), ReadPreference.primary.secondaryOk()], [true, false, false, false]);
  same([ReadPreference.fromString('secondary').equals(ReadPreference.secondary), ReadPreference.translate({ readPreference: 'secondaryPreferred' }).readPreference.mode], [true, 'secondaryPreferred']);
  same((await db.command({ ping: 1 }, { readPreference: ReadPreference.fromString('primaryPreferred') })).ok, 1);
});
await test('descriptions of the deployment', async () => {
  const other = new MongoClient(uri);
  let last;
  other.on('topologyDescriptionChanged', (e) => { last = e.newDescription; });
  await other.connect();
  await other.db('x').command({ ping: 1 });
  same([last.error, last.hasKnownServers, last.hasDataBearingServers, last.toJSON().type], [null, true, true, last.type]);
  const server = [...last.servers.values()].find((s) => s.isWritable);
  same([server.isReadable, server.isDataBearing, server.hostAddress.toString(), server.equals(server)], [true, true, server.address, true]);
  same([`${server.host}:${server.port}`, server.equals(undefined)], [server.address, false]);
  same(server.allHosts.includes(server.address), kind === 'set');
  await other.close();
});
await test('helpers of a database', async () => {
  const c = await fresh([{ a: 1 }]);
  same(await db.createIndex(c.collectionName, { a: 1 }, { unique: true }), 'a_1');
  same(await db.indexInformation(c.collectionName), { _id_: [['_id', 1]], a_1: [['a', 1]] });
  same(await db.aggregate([{ $documents: [{ a: 1 }, { a: 2 }] }, { $match: { a: 2 } }]).toArray(), [{ a: 2 }]);
  same([db.options?.writeConcern, db.timeoutMS, c.timeoutMS, client.timeoutMS], [undefined, undefined, undefined, undefined]);
});
await test('hint, count and drop', async () => {
  const c = await fresh(numbers(4));
  c.hint = { _id: 1 };
  same([c.hint, await c.count({ n: { $gt: 1 } }), await c.find({ n: 3 }).count()], [{ _id: 1 }, 2, 1]);
  same([await c.drop(), await db.listCollections({ name: c.collectionName }).toArray()], [true, []]);
});
await test('map and a limit of time', async () => {
  const c = await fresh(numbers(4));
  same(await c.find().sort('_id').map((d) => d.n * 2).map((n) => `${n}`).toArray(), ['0', '2', '4', '6']);
  same(await c.aggregate([{ $sort: { _id: 1 } }]).maxTimeMS(5000).map((d) => d.n).toArray(), [0, 1, 2, 3]);
  same(await c.listIndexes().map((i) => i.name).toArray(), ['_id_']);
});
if (kind === 'standalone') skip('a session counts its transactions', 'a standalone server has no retryable writes');
else {
  await test('a session counts its transactions', async () => {
    const c = await fresh(), session = client.startSession(), seen = [];
    client.on('commandStarted', (e) => { seen.push(e.command.txnNumber); });
    await c.insertOne({ _id: 1 }, { session });
    session.incrementTransactionNumber();
    await c.insertOne({ _id: 2 }, { session });
    client.removeAllListeners('commandStarted');
    same([seen.length, Number(seen[1]) - Number(seen[0])], [2, 2]);
    await session.endSession();
  });
}
await test('files by name', async () => {
  const bucket = new GridFSBucket(db, { bucketName: 'named' });
  const put = (text) => new Promise((resolve, reject) => { const up = bucket.openUploadStream('f'); up.on('error', reject).on('finish', () => resolve(up.id)).end(text); });
  const get = async (stream) => { const parts = []; for await (const part of stream) parts.push(part); return Buffer.concat(parts).toString(); };
  const ids = [await put('one'), await put('two')];
  same([await get(bucket.openDownloadStreamByName('f')), await get(bucket.openDownloadStreamByName('f', { revision: 0 }))], ['two', 'one']);
  same((await bucket.find({ filename: 'f' }).sort({ uploadDate: 1 }).toArray()).map((f) => f.length), [3, 3]);
  await bucket.rename(ids[0], 'g');
  same(await get(bucket.openDownloadStreamByName('g')), 'one');
  await bucket.delete(ids[0]);
  await assert.rejects(get(bucket.openDownloadStreamByName('g')), /FileNotFound/);
  await assert.rejects(bucket.delete(ids[0]), /File not found/);
  await bucket.drop();
  same((await db.listCollections({ name: /^named\./ }).toArray()).length, 0);
});
if (kind === 'standalone') skip('streams of a database and of a client', 'a standalone server has no change streams');
else {
  await test('streams of a database and of a client', async () => {
    const c = await fresh();
    for (const watched of [db, client]) {
      const stream = watched.watch([{ $match: { operationType: 'insert', 'ns.db': 'driverValues' } }]);
      const _id = watched === db ? 1 : 2;
      await stream.tryNext(); // it is open now
      await c.insertOne({ _id });
      same([await stream.hasNext(), (await stream.next()).fullDocument._id], [true, _id]);
      await c.insertOne({ _id: _id + 10 });
      const [event] = await stream.stream().take(1).toArray();
      same(event.fullDocument._id, _id + 10);
      await stream.close();
    }
  });
}
await client.close();
done();
