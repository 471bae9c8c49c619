// What mongoose has besides: builders of queries and pipelines, changes of documents, options of schemas, events of connections:
// mongoose-rest.mjs URI
import mongoose from 'mongoose';
import { assert, same, test, skip, done, kindOf } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './mongoose-library.mjs';

watch(library);
const { Schema } = mongoose;
const uri = process.argv[2];
const connection = await mongoose.createConnection(uri, { dbName: 'gooseRest', heartbeatFrequencyMS: 500 }).asPromise();
await connection.dropDatabase();
const kind = await kindOf(connection.db);
let made = 0;
const model = async (definition, options) => {
  const m = connection.model(`R${made++}`, definition instanceof Schema ? definition : new Schema(definition, options));
  await m.init();
  return m;
};
const named = (name) => (error) => { same(error.name, name); return true; };
const numbers = async () => {
  const M = await model({ _id: Number, n: Number, k: Number, list: [Number], items: [{ a: Number }] });
  await M.insertMany(Array.from({ length: 9 }, (_, i) => ({ _id: i, n: i, k: i % 3, list: [i, i + 1], items: [{ a: i }] })));
  return M;
};
const ids = (docs) => docs.map((d) => d._id);

await test('conditions of a query', async () => {
  const M = await numbers();
  for (const [query, want] of [
    [M.find().where('n').equals(4), [4]], [M.where('n').gt(2).lt(5), [3, 4]], [M.find().where('n').gte(3).lte(4), [3, 4]], [M.find().where('n').ne(0).in([0, 1]), [1]],
    [M.find().where('n').nin([0, 1, 2, 3, 4, 5, 6, 7]), [8]], [M.find().nor([{ n: { $gt: 1 } }]), [0, 1]], [M.find().and([{ k: 1 }, { n: { $gt: 4 } }]), [7]],
    [M.find().or([{ n: 1 }, { n: 2 }]), [1, 2]], [M.find().mod('n', [4, 1]), [1, 5]], [M.find().where('list').size(2).all([3, 4]), [3]],
    [M.find().elemMatch('items', { a: 6 }), [6]], [M.find().where('none').exists(false).limit(2), [0, 1]], [M.find({ n: 1 }).merge(M.find({ k: 1 })), [1]],
  ]) same(ids(await query.sort('_id')), want);
  const S = await model({ s: String });
  await S.insertMany([{ s: 'abc' }, { s: 'xyz' }]);
  same((await S.find().where('s').regex(/^A/i)).length, 1);
});
await test('options of a query', async () => {
  const M = await numbers();
  const query = M.find().setOptions({ limit: 3, comment: 'why' }).sort({ n: -1 }).maxTimeMS(1000).allowDiskUse(true).batchSize(2).read('primary').readConcern('local').hint({ _id: 1 });
  same(query.projection({ n: 1 }), { n: 1 });
  same([query.getOptions().limit, query.getFilter(), query.op, query.isPathSelectedInclusive('n')], [3, {}, 'find', true]);
  same(ids(await query.lean()), [8, 7, 6]);
  same((await M.findOne({ n: 5 }).slice('list', 1)).list.toObject(), [5]);
  same(await M.find({ k: 0 }).transform((docs) => docs.length), 3);
  same(ids(await M.find({ n: { $lt: 2 } }).collation({ locale: 'en' }).clone()), [0, 1]);
  const by = M.find({ k: 2 }).toConstructor();
  same((await by().where({ n: { $gt: 4 } })).length, 2);
  const update = M.updateOne().where({ _id: 1 }).w(1).j(true).wtimeout(1000);
  update.setUpdate({ $set: { n: 50 } });
  assert(update.getUpdate().$set.n === 50 && update.getQuery()._id === 1);
  same((await update).modifiedCount, 1);
  const explained = await M.find({ n: 1 }).explain('queryPlanner');
  assert((Array.isArray(explained) ? explained[0] : explained).queryPlanner);
  assert(await M.find().then((docs) => docs.length === 9).catch(() => false).finally(() => {}));
  await assert.rejects(M.find().error(new Error('ours')).exec(), /ours/);
});
await test('geometry of a query', async () => {
  const M = await model(new Schema({ at: { type: { type: String }, coordinates: [Number] }, flat: [Number] }).index({ at: '2dsphere' }).index({ flat: '2d' }));
  await M.insertMany([[0, 0], [1, 1], [5, 5]].map((p) => ({ at: { type: 'Point', coordinates: p }, flat: p })));
  const count = async (query) => (await query).length;
  same([
    await count(M.find().where('flat').within().box([0, 0], [2, 2])), await count(M.find().where('flat').within().circle({ center: [0, 0], radius: 2 })),
    await count(M.find().where('flat').within().polygon([0, 0], [0, 2], [2, 2], [2, 0])), await count(M.find().where('at').within().circle({ center: [0, 0], radius: 0.03, spherical: true })),
    await count(M.find().where('at').intersects().geometry({ type: 'LineString', coordinates: [[0, 0], [1, 1]] })),
    await count(M.find().where('at').near({ center: { type: 'Point', coordinates: [0, 0] }, maxDistance: 200_000, spherical: true })),
    await count(M.find().where('flat').near({ center: [0, 0], maxDistance: 2 })),
  ], [2, 2, 2, 2, 2, 2, 2]);
});
await test('stages of a pipeline', async () => {
  const M = await numbers();
  const other = M.collection.name;
  same((await M.aggregate().match({ k: 1 }).addFields({ m: { $multiply: ['$n', 2] } }).project({ m: 1 }).sort({ m: -1 }).limit(1))[0], { _id: 7, m: 14 });
  same((await M.aggregate().unwind('list').group({ _id: '$k', n: { $sum: '$list' } }).sort('_id')).map((x) => x.n), [21, 27, 33]);
  same((await M.aggregate().match({ _id: 1 }).lookup({ from: other, localField: 'k', foreignField: 'k', as: 'x' }))[0].x.length, 3);
  same((await M.aggregate().match({ _id: 0 }).graphLookup({ from: other, startWith: '$n', connectFromField: 'list', connectToField: 'n', as: 'x', maxDepth: 2 }))[0].x.length, 3);
  same([(await M.aggregate().sample(4)).length, (await M.aggregate().unionWith({ coll: other })).length], [4, 18]);
  same((await M.aggregate().append({ $match: { k: 2 } }).replaceRoot({ v: '$n' }).read('primary').readConcern('local').allowDiskUse(true).option({ comment: 'x' }).hint({ _id: 1 })).length, 3);
  same((await M.aggregate().redact({ $cond: [{ $gt: ['$n', 6] }, '$$KEEP', '$$PRUNE'] })).length, 2);
  same((await M.aggregate().match({ n: { $in: [0, 3] } }).densify({ field: 'n', range: { step: 1, bounds: 'full' } }).fill({ sortBy: { n: 1 }, output: { k: { method: 'locf' } } })).length, 4);
  same((await M.aggregate().facet({ a: [{ $count: 'n' }] }))[0].a[0].n, 9);
  same([(await M.aggregate().sortByCount('k'))[0].count, (await M.aggregate().count('n'))[0].n], [3, 9]);
  same((await M.aggregate([{ $match: { k: 1 } }]).collation({ locale: 'en' }).project('n -_id').sort('n'))[0], { n: 1 });
  await M.aggregate().match({ k: 0 }).append({ $out: `${other}out` });
  same(await connection.db.collection(`${other}out`).countDocuments(), 3);
  assert(await M.aggregate().match({ k: 0 }).explain());
});
await test('changes of a document', async () => {
  const M = await model({ a: Number, b: { c: String, d: [Number] }, any: {}, tags: [String] });
  const d = new M({ a: 1, b: { c: 'x', d: [1, 2] }, any: { x: 1 }, tags: ['p'] });
  same([d.isNew, d.$isEmpty('any'), d.isSelected('a'), d.$isDefault('a')], [true, false, true, false]);
  await d.save();
  d.set('b.c', 'y');
  d.$inc('a', 4);
  d.any.x = 2;
  d.markModified('any');
  same([d.isModified('b.c'), d.isDirectModified('b.c'), d.modifiedPaths().includes('any'), d.directModifiedPaths().includes('a')], [true, true, true, true]);
  assert(d.$__delta && d.getChanges().$set && d.equals(d));
  await d.save();
  const e = await M.findById(d._id);
  same([e.a, e.get('b.c'), e.any], [5, 'y', { x: 2 }]);
  e.set('a', 9);
  e.unmarkModified('a');
  await e.save();
  same((await M.findById(d._id)).a, 5);
  e.overwrite({ a: 3 });
  await e.save();
  same((await M.findById(d._id).lean()).b?.c, undefined);
  assert(e.toObject()._id && e.toJSON()._id && e.toBSON() && e.$clone().equals(e) && e.inspect());
  e.invalidate('a', 'bad');
  await assert.rejects(e.validate(), named('ValidationError'));
  same(e.errors.a.message, 'bad');
  assert(e.validateSync() || true);
});
await test('arrays of a document', async () => {
  const M = await numbers();
  const d = await M.findById(1);
  d.list.push(10, 11);
  await d.save();
  d.list.pull(1);
  d.list.addToSet(10, 12);
  await d.save();
  d.list.set(0, 5);
  d.list.shift();
  await d.save();
  d.list.unshift(0);
  d.list.splice(1, 1);
  await d.save();
  d.items.push({ a: 8 });
  d.items.id(d.items[0]._id).a = 7;
  await d.save();
  d.items[0].deleteOne();
  await d.save();
  const back = await M.findById(1).lean();
  same([back.list, back.items.map((x) => x.a)], [[0, 11, 12], [8]]);
  d.list.sort((a, b) => b - a);
  d.list.nonAtomicPush(99);
  await d.save();
  same((await M.findById(1).lean()).list, [12, 11, 0, 99]);
});
await test('versions', async () => {
  const M = await model({ list: [Number], n: Number }, { optimisticConcurrency: true });
  const d = await M.create({ list: [1] });
  const other = await M.findById(d._id);
  d.n = 1;
  await d.save();
  other.n = 2;
  await assert.rejects(other.save(), named('VersionError'));
  d.increment();
  await d.save();
  assert((await M.findById(d._id)).__v >= 1);
});
await test('statics of a model', async () => {
  const M = await numbers();
  same(await M.insertOne({ _id: 50, n: 1 }).then((d) => d._id), 50);
  same([M.castObject({ n: '7' }).n, M.hydrate({ _id: 1, n: 5 }).isNew, M.applyDefaults({}).list, M.translateAliases({ n: 1 })], [7, false, [], { n: 1 }]);
  await M.createIndexes();
  await M.ensureIndexes();
  await M.collection.createIndex({ k: -1 });
  same([(await M.cleanIndexes()).includes('k_-1'), (await M.listIndexes()).length, await M.diffIndexes().then((x) => x.toDrop)], [true, 1, []]);
  const plan = await M.buildBulkWriteOperations([new M({ _id: 70 })]);
  same([plan.length, (await M.bulkSave([new M({ _id: 71 }), new M({ _id: 72 })])).insertedCount], [1, 2]);
  await M.validate({ n: 1 });
  await assert.rejects(M.validate({ n: 'x' }), named('ValidationError'));
  same(M.namespace?.() ?? 'gooseRest', M.namespace ? `gooseRest.${M.collection.name}` : 'gooseRest');
  for (const call of [() => M.createSearchIndex({ name: 'x', definition: {} }), () => M.updateSearchIndex('x', {}), () => M.dropSearchIndex('x'), () => M.listSearchIndexes()]) await assert.rejects(call());
});
await test('schemas made of schemas', async () => {
  const base = new Schema({ a: Number, b: { type: String, alias: 'bee', lowercase: true, trim: true }, c: { type: Date, expires: 60 } });
  base.add({ d: { type: [String], enum: ['x', 'y'] } }).index({ a: 1, b: 1 });
  class Methods { get double() { return this.a * 2; } static named() { return this.findOne({ b: 'q' }); } more() { return this.a + 1; } }
  base.loadClass(Methods);
  same([base.pathType('a'), base.path('b').instance, base.indexes().length, base.pick(['a']).path('b'), base.omit(['a']).path('a'), base.clone().path('a').instance], ['real', 'String', 2, undefined, undefined, 'Number']);
  base.removeIndex({ a: 1, b: 1 });
  const M = await model(base);
  await M.create({ a: 2, bee: ' Q ', d: ['x'] });
  const d = await M.named();
  same([d.double, d.more(), d.bee, (await M.listIndexes()).find((x) => x.expireAfterSeconds)?.expireAfterSeconds], [4, 3, 'q', 60]);
  await assert.rejects(M.create({ d: ['z'] }), named('ValidationError'));
  assert(base.toJSONSchema().properties.a && base.requiredPaths().length === 0 && base.virtuals.double);
  base.eachPath((name, type) => assert(name && type));
});
await test('types of a schema', async () => {
  const T = Schema.Types;
  const M = await model({ i: T.Int32, f: T.Double, l: T.BigInt, u: T.Union ? { type: 'Union', of: [Number, Boolean] } : Number, m: { type: Map, of: new Schema({ x: Number }) }, deep: [[Number]], b: { type: Buffer, subtype: 4 } });
  const d = await M.create({ i: '3', f: '1.5', l: 5n, u: 'true', m: { k: { x: '1' } }, deep: [[1], ['2']] });
  const back = await M.findById(d._id).lean();
  same([back.i, Number(back.f), back.l === 5n || back.l === 5 || Number(back.l) === 5, back.m.k.x, back.deep], [3, 1.5, true, 1, [[1], [2]]]);
  same(await M.countDocuments({ i: { $type: 'int' }, f: { $type: 'double' }, l: { $type: 'long' } }), 1);
});
await test('helpers of mongoose', async () => {
  same([mongoose.isValidObjectId('x'), mongoose.isObjectIdOrHexString('0'.repeat(24)), mongoose.sanitizeFilter({ a: { $ne: 1 } }), mongoose.omitUndefined({ a: undefined, b: 1 })], [false, true, { a: { $eq: { $ne: 1 } } }, { b: 1 }]);
  assert(mongoose.version && mongoose.now() instanceof Date && mongoose.STATES.connected === 1 && typeof mongoose.pluralize() === 'function');
  const M = await numbers();
  same(ids(await M.find({ n: mongoose.trusted({ $gt: 6 }) }).setOptions({ sanitizeFilter: true }).sort('_id')), [7, 8]);
  const other = new mongoose.Mongoose();
  other.plugin((schema) => { schema.add({ plugged: { type: Number, default: 1 } }); });
  await other.connect(uri, { dbName: 'gooseRest' });
  const P = other.model('Plugged', new other.Schema({ a: Number }));
  same([(await P.create({ a: 1 })).plugged, other.modelNames()], [1, ['Plugged']]);
  other.deleteModel('Plugged');
  await other.disconnect();
});
await test('a connection', async () => {
  same([connection.readyState, connection.name, connection.modelNames().length > 0], [1, 'gooseRest', true]);
  assert((await connection.listDatabases()).databases.some((d) => d.name === 'gooseRest'));
  assert((await connection.listCollections()).length > 0);
  const again = connection.useDb('gooseOther', { useCache: true });
  await again.createCollection('x');
  await again.dropCollection('x');
  same((await again.listCollections()).length, 0);
  await connection.syncIndexes();
  const client = new mongoose.mongo.MongoClient(uri);
  const given = mongoose.createConnection();
  given.setClient(await client.connect());
  same((await given.db.admin().ping()).ok, 1);
  await client.close();
});
await test('sessions of documents', async () => {
  const M = await numbers();
  const session = await connection.startSession();
  const d = await M.findById(1).session(session);
  assert(d.$session() === session);
  d.$session(null);
  d.$timestamps(false);
  await session.endSession();
  if (kind !== 'standalone') {
    await connection.transaction(async (s) => { await M.create([{ _id: 90 }], { session: s }); await M.updateOne({ _id: 90 }, { n: 2 }, { session: s }); });
    same((await M.findById(90)).n, 2);
    await assert.rejects(connection.withSession((s) => s.withTransaction(async () => { await M.create([{ _id: 91 }], { session: s }); throw new Error('no'); })), /no/);
    same(await M.findById(91), null);
  }
});
await test('capped collections and spheres', async () => {
  const C = await model(new Schema({ _id: Number, at: [Number] }, { capped: { size: 4096 } }).index({ at: '2dsphere' }));
  await C.insertMany([{ _id: 1, at: [0, 0] }, { _id: 2, at: [50, 50] }]);
  const cursor = C.find().tailable().cursor();
  same([(await cursor.next())._id, (await cursor.next())._id], [1, 2]);
  await cursor.close();
  same(ids(await C.find().where('at').nearSphere({ center: [1, 1], maxDistance: 0.1 })), [1]);
  await C.aggregate().match({ _id: 2 }).out('gooseOut');
  same(await connection.db.collection('gooseOut').countDocuments(), 1);
});
await test('plain documents', async () => {
  const schema = new Schema({ a: Number }, { timestamps: true });
  schema.virtual('twice').get(function () { return this.a * 2; });
  const M = await model(schema);
  await M.create({ a: 4 });
  same(M.applyVirtuals(await M.findOne().lean()).twice, 8);
  assert(M.applyTimestamps({ a: 1 }).createdAt instanceof Date);
});
await test('middleware that answers', async () => {
  const schema = new Schema({ n: Number });
  schema.pre('findOne', function () { this.where({ n: { $gt: 1 } }); });
  schema.post('find', (docs) => mongoose.overwriteMiddlewareResult(docs.slice(0, 1)));
  schema.queue('set', ['n', 3]);
  const M = await model(schema);
  await M.create([{}, {}]);
  same([(await M.findOne({})).n, (await M.find()).length], [3, 1]);
});
if (kind === 'standalone') skip('changes of a model', 'a standalone server has no change streams');
else {
  await test('changes of a model', async () => {
    const M = await numbers();
    const stream = M.watch([], { hydrate: true, fullDocument: 'updateLookup' });
    const next = new Promise((resolve, reject) => stream.on('change', resolve).on('error', reject));
    await new Promise((resolve) => { stream.once('ready', resolve); setTimeout(resolve, 3000); });
    const tick = setInterval(() => M.updateOne({ _id: 1 }, { $inc: { n: 1 } }).catch(() => {}), 100);
    const change = await next;
    clearInterval(tick);
    assert(change.fullDocument instanceof M && change.operationType === 'update');
    await stream.close();
  });
}
done();
await connection.dropDatabase();
await connection.destroy();
await mongoose.disconnect();
