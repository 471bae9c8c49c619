// mongoose's documents, connections and the functions of the module, as far as the scripts before leave them:
// mongoose-document.mjs URI
import mongoose from 'mongoose';
import { assert, same, test, skip, done, kindOf } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './mongoose-library.mjs';

watch(library);
const { Schema } = mongoose;
const uri = process.argv[2];
const connection = await mongoose.createConnection(uri, { dbName: 'gooseDocument' }).asPromise();
await connection.dropDatabase();
const kind = await kindOf(connection.db);
let made = 0;
const model = async (definition, options) => {
  const m = connection.model(`D${made++}`, definition instanceof Schema ? definition : new Schema(definition, options));
  await m.init();
  return m;
};
const stored = (M, d) => M.findById(d._id).select('-__v -_id').lean();

await test('set, update and replace a document', async () => {
  const M = await model({ a: Number, b: { c: String } });
  const d = await M.create({ a: 1, b: { c: 'x' } });
  same([d.$set('a', '2') === d, d.a, d.$set({ 'b.c': 'y' }).$getChanges()], [true, 2, { $set: { a: 2, 'b.c': 'y' } }]);
  await d.save();
  same((await d.updateOne({ $inc: { a: 5 } })).modifiedCount, 1);
  same(await stored(M, d), { a: 7, b: { c: 'y' } });
  same((await d.replaceOne({ a: 9 })).modifiedCount, 1);
  same(await stored(M, d), { a: 9 });
});
await test('what a document knows of its changes', async () => {
  const M = await model({ a: Number, b: Number, s: String });
  const d = await M.create({ a: 1, b: 1, s: 's' });
  const before = d.$createModifiedPathsSnapshot();
  d.a = 2;
  same([d.modifiedPaths(), d.isModified('a')], [['a'], true]);
  d.$restoreModifiedPathsSnapshot(before);
  same([d.modifiedPaths(), d.a], [[], 2]);
  d.b = 5;
  same([d.modifiedPaths(), d.$clearModifiedPaths() === d, d.modifiedPaths()], [['b'], true, []]);
  await d.save();
  same((await stored(M, d)).b, 1);
  Object.assign(d, { a: 50, s: 't' });
  d.$ignore('a');
  await d.save();
  same(await stored(M, d), { a: 1, b: 1, s: 't' });
  const some = await M.findById(d._id).select('a');
  same([some.isInit('a'), some.isInit('s'), some.isDirectSelected('a'), some.isDirectSelected('s')], [true, false, true, false]);
  same([d.$isDeleted(), d.$isDeleted(true), d.$isDeleted()], [false, d, true]);
});
await test('what a document knows of its errors', async () => {
  const M = await model({ a: { type: Number, max: 5 }, b: Number });
  const d = new M({ a: 9, b: 'x' });
  await assert.rejects(d.validate(), (error) => Object.keys(error.errors).sort().join() === 'a,b');
  d.invalidate('a', 'too much');
  same([d.$isValid('a'), d.$isValid('b')], [false, false]);
  d.$markValid('b');
  same([d.$isValid('b'), Object.keys(d.errors)], [true, ['a']]);
  const wrong = new mongoose.Error.ValidationError(d);
  wrong.addError('z', new mongoose.Error.ValidatorError({ path: 'z', message: 'bad z' }));
  same([wrong.errors.z.message, /z: bad z/.test(wrong.message)], ['bad z', true]);
});
await test('an operation and what belongs to it', async () => {
  const schema = new Schema({ n: Number }), seen = [];
  schema.pre('save', function () { seen.push(this.$op, this.$locals.who, this.isNew); });
  const M = await model(schema);
  const d = new M({ n: 1 });
  d.$locals.who = 'me';
  await d.save();
  same([seen, d.$op, d.isNew, d.$parent() === d], [['save', 'me', true], null, false, true]);
  same(new M().init({ _id: d._id, n: 5 }).isNew, false);
});
await test('a document and what it is populated with', async () => {
  const A = await model({ name: String });
  const B = await model({ by: { type: Schema.Types.ObjectId, ref: A.modelName }, all: [{ type: Schema.Types.ObjectId, ref: A.modelName }] });
  const [x, y] = await A.create([{ name: 'x' }, { name: 'y' }]);
  const d = await B.create({ by: x._id, all: [x._id, y._id] });
  assert.throws(() => d.$assertPopulated('by'), /"by" to be populated/);
  await d.populate(['by', { path: 'all', options: { sort: { name: -1 } } }]);
  same([d.$assertPopulated('by') === d, d.by.name, d.all.map((one) => one.name), d.$getPopulatedDocs().map((one) => one.name).sort()], [true, 'x', ['y', 'x'], ['x', 'x', 'y']]);
  d.depopulate('by');
  same([d.by.equals(x._id), d.populated('by'), d.populated('all').length], [true, undefined, 2]);
});

await test('options and plugins of a connection', async () => {
  const other = mongoose.createConnection();
  other.plugin((schema) => { schema.add({ plugged: { type: Number, default: 3 } }); });
  same([other.readyState, other.set('maxTimeMS', 20_000), other.get('maxTimeMS')], [0, 20_000, 20_000]);
  await other.openUri(uri, { dbName: 'gooseDocument' });
  const M = other.model('Plugged', new Schema({ n: { type: Number, max: 5 } }));
  const d = await M.create({ n: 1 });
  same([other.readyState, d.plugged, await other.collection(M.collection.name).countDocuments()], [1, 3, 1]);
  same([other.getClient() === other.client, other.getClient() instanceof mongoose.mongo.MongoClient], [true, true]);
  same([other.modelNames(), other.deleteModel('Plugged').modelNames()], [['Plugged'], []]);
  await other.close();
});
await test('collections of a connection', async () => {
  const A = await model({ n: Number }, { autoCreate: false, collation: { locale: 'en', strength: 1 } });
  same((await connection.createCollections())[A.modelName] !== undefined, true);
  const [info] = await connection.db.listCollections({ name: A.collection.name }).toArray();
  same([info.options.collation.locale, info.options.collation.strength], ['en', 1]);
  same(await connection.aggregate([{ $documents: [{ n: 1 }, { n: 2 }] }, { $match: { n: 2 } }]), [{ n: 2 }]);
  assert((await connection.listDatabases()).databases.some(({ name }) => name === 'gooseDocument'));
});
await test('bulk writes of a connection', async () => {
  const A = await model({ n: { type: Number, max: 5 }, s: { type: String, lowercase: true } });
  const writes = [{ model: A.modelName, name: 'insertOne', document: { _id: '0'.repeat(24), n: '1', s: 'ABC' } }, { model: A, name: 'updateOne', filter: { n: 1 }, update: { $set: { n: '2' } } }];
  const result = await connection.bulkWrite(writes).catch((error) => error);
  if ((await connection.db.admin().buildInfo()).versionArray[0] < 8) return assert(result instanceof Error); // they have no such command
  same([result.insertedCount, result.modifiedCount, await stored(A, { _id: '0'.repeat(24) })], [1, 1, { n: 2, s: 'abc' }]);
});
await test('a client that is given', async () => {
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  const given = mongoose.createConnection();
  given.setClient(client);
  same([given.readyState, given.getClient() === client], [1, true]);
  await client.close();
});
if (kind === 'standalone') skip('a stream of a connection', 'a standalone server has no change streams');
else {
  await test('a stream of a connection', async () => {
    const A = await model({ n: Number });
    const stream = connection.watch([{ $match: { 'ns.coll': A.collection.name } }]);
    const next = new Promise((resolve, reject) => { stream.on('change', resolve); stream.on('error', reject); });
    await new Promise((resolve) => { stream.driverChangeStream?.cursor?.on?.('init', resolve) ?? stream.on('ready', resolve); });
    await A.create({ n: 8 });
    const event = await next;
    same([event.operationType, event.fullDocument.n], ['insert', 8]);
    await stream.close();
  });
}

await test('settings of the module', () => {
  same([mongoose.get('strictPopulate'), mongoose.set('strictPopulate', false) === mongoose, mongoose.get('strictPopulate')], [undefined, true, false]);
  mongoose.set('strictPopulate', undefined);
  const given = mongoose.pluralize();
  same([given('Person'), given('Mouse')], ['people', 'mice']);
  mongoose.pluralize((name) => `${name}_all`);
  same(connection.model('Plural', new Schema({})).collection.name, 'Plural_all');
  mongoose.pluralize(given);
  connection.deleteModel('Plural');
});
await test('ids, filters and times of the module', () => {
  same([mongoose.isValidObjectId(5), mongoose.isValidObjectId('x'), mongoose.isObjectIdOrHexString(5), mongoose.isObjectIdOrHexString('a'.repeat(24))], [false, false, false, true]);
  const filter = mongoose.sanitizeFilter({ a: { $gt: 1 }, b: 2, c: mongoose.trusted({ $gt: 3 }) });
  same(JSON.parse(JSON.stringify(filter)), { a: { $eq: { $gt: 1 } }, b: 2, c: { $gt: 3 } });
  assert(Math.abs(mongoose.now() - Date.now()) < 60_000);
});
await test('the connection of the module', async () => {
  mongoose.plugin((schema) => { schema.add({ plugged: { type: Number, default: 1 } }); });
  const M = mongoose.model('Default', new Schema({ n: { type: Number, index: true } }));
  await mongoose.connect(uri, { dbName: 'gooseDocument' });
  await M.init();
  await M.collection.createIndex({ other: 1 });
  same(await mongoose.syncIndexes(), { Default: ['other_1'] });
  const session = await mongoose.startSession();
  const [d] = await M.create([{ n: 5 }], { session });
  same([d.plugged, (await M.findOne().session(session)).n, session.hasEnded, mongoose.modelNames()], [1, 5, false, ['Default']]);
  await session.endSession();
  same([(await d.deleteOne()).deletedCount, await M.countDocuments()], [1, 0]);
  mongoose.deleteModel('Default');
  await mongoose.disconnect();
});
await connection.close();
done();
