// mongoose's models, queries and documents, as its documentation describes them: mongoose.mjs URI
import mongoose from 'mongoose';
import { assert, same, code, test, skip, done, kindOf } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './mongoose-library.mjs';

watch(library);
const { Schema } = mongoose;
const uri = process.argv[2];
await mongoose.connect(uri, { dbName: 'goose', heartbeatFrequencyMS: 500 });
const connection = mongoose.connection;
await connection.dropDatabase();
const kind = await kindOf(connection.db);
let made = 0;
const model = async (definition, options) => {
  const name = `M${made++}`;
  const m = connection.model(name, definition instanceof Schema ? definition : new Schema(definition, options));
  await m.init();
  return m;
};
const named = (name) => (error) => { same(error.name, name); return true; };

await test('create, find, lean', async () => {
  const M = await model({ name: String, n: Number });
  const [a] = await M.create([{ name: 'a', n: 1 }, { name: 'b', n: 2 }]);
  same((await M.findById(a.id)).name, 'a');
  same((await M.find({ n: { $gte: 1 } }).sort('-n').lean()).map((d) => d.name), ['b', 'a']);
  assert(!((await M.findOne().lean()) instanceof mongoose.Document));
});
await test('casting', async () => {
  const M = await model({ n: Number, at: Date, yes: Boolean, id: Schema.Types.ObjectId, list: [Number], big: BigInt, decimal: Schema.Types.Decimal128, map: { type: Map, of: Number }, buffer: Buffer, uuid: Schema.Types.UUID, any: Schema.Types.Mixed });
  const d = await M.create({ n: '5', at: '2024-01-01', yes: 'true', id: '0'.repeat(24), list: ['1', 2], big: '9007199254740993', decimal: '1.50', map: { a: '1' }, buffer: 'xy', uuid: '09190f70-3d30-11e5-8814-0f4df9a59c41', any: { b: [1] } });
  const back = await M.findById(d._id);
  same([back.n, back.at.getUTCFullYear(), back.yes, [...back.list], back.big, back.decimal.toString(), back.map.get('a'), back.buffer.toString(), back.uuid.toString(), back.any], [5, 2024, true, [1, 2], 9007199254740993n, '1.50', 1, 'xy', '09190f70-3d30-11e5-8814-0f4df9a59c41', { b: [1] }]);
  await assert.rejects(M.find({ n: 'x' }), named('CastError'));
});
await test('validation', async () => {
  const M = await model({ name: { type: String, required: true, minlength: 2, match: /^[a-z]+$/ }, age: { type: Number, min: 0, max: 150 }, kind: { type: String, enum: ['a', 'b'] }, even: { type: Number, validate: (v) => v % 2 === 0 } });
  for (const bad of [{}, { name: 'x' }, { name: 'AB' }, { name: 'ab', age: 200 }, { name: 'ab', kind: 'c' }, { name: 'ab', even: 3 }]) await assert.rejects(M.create(bad), named('ValidationError'));
  await assert.rejects(M.updateOne({}, { age: -1 }, { runValidators: true }), named('ValidationError'));
  assert((await M.create({ name: 'ab' })).id);
});
await test('unique indexes', async () => {
  const M = await model({ name: { type: String, unique: true } });
  await M.create({ name: 'a' });
  await assert.rejects(M.create({ name: 'a' }), code(11000));
});
await test('defaults, setters, getters, virtuals, methods, statics', async () => {
  const schema = new Schema({ first: { type: String, trim: true, lowercase: true }, n: { type: Number, default: () => 7 }, price: { type: Number, get: (v) => v / 100, set: (v) => v * 100 } });
  schema.virtual('loud').get(function () { return this.first.toUpperCase(); });
  schema.method('twice', function () { return this.n * 2; });
  schema.static('named', function (first) { return this.findOne({ first }); });
  const M = await model(schema);
  await M.create({ first: '  Ada ', price: 5 });
  const d = await M.named('ada');
  same([d.first, d.n, d.price, d.loud, d.twice(), (await M.findOne().lean()).price], ['ada', 7, 5, 'ADA', 14, 500]);
});
await test('middleware', async () => {
  const seen = [];
  const schema = new Schema({ n: Number });
  schema.pre('save', () => { seen.push('pre save'); });
  schema.post('save', () => { seen.push('post save'); });
  schema.pre('updateOne', () => { seen.push('pre update'); });
  schema.post('find', (docs) => { seen.push(`found ${docs.length}`); });
  schema.pre('aggregate', function () { this.pipeline().unshift({ $match: { n: 1 } }); });
  const M = await model(schema);
  await M.create([{ n: 1 }, { n: 2 }]);
  await M.updateOne({ n: 2 }, { n: 3 });
  await M.find();
  same((await M.aggregate([{ $count: 'c' }]))[0].c, 1);
  same(seen.sort(), ['found 2', 'post save', 'post save', 'pre save', 'pre save', 'pre update']);
});
await test('timestamps', async () => {
  const M = await model({ n: Number }, { timestamps: true });
  const d = await M.create({ n: 1 });
  const before = d.updatedAt.getTime();
  d.n = 2;
  await d.save();
  await M.updateOne({ _id: d._id }, { n: 3 });
  const back = await M.findById(d._id);
  assert(back.createdAt instanceof Date && back.updatedAt.getTime() >= before && back.createdAt.getTime() === d.createdAt.getTime());
});
await test('populate', async () => {
  const Author = await model({ name: String });
  const Book = await model({ title: String, by: { type: Schema.Types.ObjectId, ref: Author.modelName }, also: [{ type: Schema.Types.ObjectId, ref: Author.modelName }] });
  const [a, b] = await Author.create([{ name: 'a' }, { name: 'b' }]);
  await Book.create({ title: 't', by: a, also: [a, b] });
  const d = await Book.findOne().populate('by').populate({ path: 'also', match: { name: 'b' }, select: 'name' });
  same([d.by.name, d.also.map((x) => x.name)], ['a', ['b']]);
  same((await Book.findOne()).populated('by'), undefined);
});
await test('virtual populate', async () => {
  const Book = await model({ title: String, by: Schema.Types.ObjectId });
  const schema = new Schema({ name: String });
  schema.virtual('books', { ref: Book.modelName, localField: '_id', foreignField: 'by' });
  schema.virtual('count', { ref: Book.modelName, localField: '_id', foreignField: 'by', count: true });
  const Author = await model(schema);
  const a = await Author.create({ name: 'a' });
  await Book.create([{ title: 'x', by: a._id }, { title: 'y', by: a._id }]);
  const d = await Author.findOne().populate('books count');
  same([d.books.map((x) => x.title).sort(), d.count], [['x', 'y'], 2]);
});
await test('subdocuments and arrays', async () => {
  const M = await model({ items: [{ name: String, n: Number }], one: new Schema({ a: Number }), tags: [String] });
  const d = await M.create({ items: [{ name: 'x', n: 1 }], one: { a: 1 }, tags: ['t'] });
  d.items.push({ name: 'y', n: 2 });
  d.items.id(d.items[0]._id).n = 5;
  d.one.a = 9;
  d.tags.addToSet('t', 'u');
  await d.save();
  d.items.pull(d.items[1]._id);
  d.tags.pull('t');
  await d.save();
  const back = await M.findById(d._id).lean();
  same([back.items.map((x) => [x.name, x.n]), back.one.a, back.tags], [[['x', 5]], 9, ['u']]);
});
await test('versions', async () => {
  const M = await model({ list: [Number] });
  const { _id } = await M.create({ list: [1, 2, 3] });
  const [a, b] = [await M.findById(_id), await M.findById(_id)];
  a.list = [9];
  await a.save();
  b.list.set(1, 7);
  await assert.rejects(b.save(), named('VersionError'));
});
await test('optimistic concurrency', async () => {
  const M = await model({ n: Number }, { optimisticConcurrency: true });
  const { _id } = await M.create({ n: 1 });
  const [a, b] = [await M.findById(_id), await M.findById(_id)];
  a.n = 2;
  await a.save();
  b.n = 3;
  await assert.rejects(b.save(), named('VersionError'));
});
await test('a document that is gone', async () => {
  const M = await model({ n: Number });
  const d = await M.create({ n: 1 });
  await M.deleteOne({ _id: d._id });
  d.n = 2;
  await assert.rejects(d.save(), named('DocumentNotFoundError'));
  await assert.rejects(M.findById(d._id).orFail(), named('DocumentNotFoundError'));
});
await test('helpers of queries', async () => {
  const M = await model({ n: Number, s: String, a: [Number] });
  await M.insertMany([{ n: 1, s: 'x', a: [1] }, { n: 2, s: 'y', a: [1, 2] }, { n: 3, s: 'xy', a: [] }]);
  const n = async (query) => (await query.sort('n')).map((d) => d.n);
  same([await n(M.where('n').gt(1).lte(3)), await n(M.find().where('s').in(['x', 'y'])), await n(M.find().or([{ n: 1 }, { n: 3 }])), await n(M.find().where('a').size(2)), await n(M.find({ s: /x/ }).skip(1).limit(1)), await n(M.find().where('a').all([1])), await n(M.find().where('n').ne(2).select('n'))], [[2, 3], [1, 2], [1, 3], [2], [3], [1, 2], [1, 3]]);
  same([await M.countDocuments({ n: { $gt: 1 } }), await M.estimatedDocumentCount(), (await M.distinct('s')).sort(), Boolean(await M.exists({ n: 9 }))], [2, 3, ['x', 'xy', 'y'], false]);
  same((await M.findOne().select('-s -_id -__v -a').lean()), { n: 1 });
});
await test('updates', async () => {
  const M = await model({ n: Number, s: String, a: [Number] });
  await M.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
  same((await M.updateMany({ n: { $gt: 1 } }, { s: 'big' })).modifiedCount, 2);
  same((await M.updateOne({ n: 1 }, { $push: { a: { $each: [3, 1], $sort: 1 } } })).modifiedCount, 1);
  same([...(await M.findOne({ n: 1 })).a], [1, 3]);
  same((await M.replaceOne({ n: 1 }, { n: 10 })).modifiedCount, 1);
  same((await M.updateOne({ n: 99 }, { s: 'new' }, { upsert: true })).upsertedCount, 1);
  same((await M.updateMany({ n: { $lt: 3 } }, [{ $set: { n: { $add: ['$n', 100] } } }], { updatePipeline: true })).modifiedCount, 1);
  same([(await M.deleteOne({ n: 102 })).deletedCount, (await M.deleteMany({ s: 'big' })).deletedCount], [1, 1]);
});
await test('findOneAnd', async () => {
  const M = await model({ n: Number });
  const d = await M.create({ n: 1 });
  same((await M.findOneAndUpdate({ n: 1 }, { $inc: { n: 1 } })).n, 1);
  same((await M.findByIdAndUpdate(d._id, { n: 5 }, { returnDocument: 'after' })).n, 5);
  same((await M.findOneAndReplace({ n: 5 }, { n: 6 }, { returnDocument: 'after' })).n, 6);
  same((await M.findOneAndUpdate({ n: 70 }, {}, { upsert: true, returnDocument: 'after' })).n, 70);
  same((await M.findByIdAndDelete(d._id)).n, 6);
  same(await M.findOneAndDelete({ n: 1000 }), null);
});
await test('insertMany and bulkWrite', async () => {
  const M = await model({ n: { type: Number, unique: true } });
  same((await M.insertMany([{ n: 1 }, { n: 2 }])).length, 2);
  await assert.rejects(M.insertMany([{ n: 3 }, { n: 1 }, { n: 4 }], { ordered: false }), code(11000));
  same(await M.countDocuments(), 4);
  const r = await M.bulkWrite([{ insertOne: { document: { n: 5 } } }, { updateOne: { filter: { n: 5 }, update: { n: 6 } } }, { deleteOne: { filter: { n: 1 } } }]);
  same([r.insertedCount, r.modifiedCount, r.deletedCount], [1, 1, 1]);
  const docs = await M.find();
  docs.forEach((d) => { d.n += 100; });
  await M.bulkSave(docs);
  same(await M.countDocuments({ n: { $gt: 100 } }), 4);
});
await test('cursors', async () => {
  const M = await model({ n: Number });
  await M.insertMany(Array.from({ length: 250 }, (_, n) => ({ n })));
  let sum = 0;
  for await (const d of M.find().cursor({ batchSize: 50 })) sum += d.n;
  await M.find().cursor().eachAsync((d) => { sum -= d.n; }, { parallel: 5 });
  same(sum, 0);
  let count = 0;
  for await (const d of M.aggregate([{ $match: { n: { $lt: 10 } } }]).cursor()) count += d ? 1 : 0;
  same(count, 10);
});
await test('aggregations', async () => {
  const M = await model({ k: String, n: Number });
  await M.insertMany([{ k: 'a', n: 1 }, { k: 'a', n: 2 }, { k: 'b', n: 5 }]);
  same(await M.aggregate().match({ n: { $gt: 0 } }).group({ _id: '$k', n: { $sum: '$n' } }).sort('_id'), [{ _id: 'a', n: 3 }, { _id: 'b', n: 5 }]);
  same((await M.aggregate().facet({ all: [{ $count: 'n' }] }))[0].all, [{ n: 3 }]);
  same((await M.aggregate().sortByCount('k')).map((x) => x.count), [2, 1]);
});
await test('discriminators', async () => {
  const Event = await model({ at: Date }, { discriminatorKey: 'kind' });
  const Click = Event.discriminator(`Click${made}`, new Schema({ x: Number }));
  const Key = Event.discriminator(`Key${made}`, new Schema({ key: String }));
  await Click.create({ x: 1 });
  await Key.create({ key: 'k' });
  same([await Event.countDocuments(), await Click.countDocuments(), (await Event.findOne({ kind: Key.modelName })).key], [2, 1, 'k']);
});
await test('indexes', async () => {
  const schema = new Schema({ a: Number, b: { type: String, index: true } });
  schema.index({ a: 1, b: -1 }, { name: 'both' });
  const M = await model(schema);
  same((await M.listIndexes()).map((x) => x.name).sort(), ['_id_', 'b_1', 'both']);
  await M.collection.createIndex({ a: -1 });
  same(await M.syncIndexes(), ['a_-1']);
  same(await M.diffIndexes(), { toDrop: [], toCreate: [] });
});
await test('text and geo', async () => {
  const M = await model(new Schema({ t: String, at: { type: { type: String }, coordinates: [Number] } }).index({ t: 'text' }).index({ at: '2dsphere' }));
  await M.create([{ t: 'red apple', at: { type: 'Point', coordinates: [0, 0] } }, { t: 'green pear', at: { type: 'Point', coordinates: [30, 30] } }]);
  same((await M.find({ $text: { $search: 'apples' } })).length, 1);
  same((await M.find().where('at').near({ center: { type: 'Point', coordinates: [1, 1] }, maxDistance: 500000, spherical: true })).map((d) => d.t), ['red apple']);
});
await test('collections with options', async () => {
  const M = await model(new Schema({ n: Number }, { capped: { size: 4096, max: 2 }, autoCreate: false }));
  await M.createCollection();
  await M.create([{ n: 1 }, { n: 2 }, { n: 3 }], { ordered: true });
  same((await M.find()).map((d) => d.n), [2, 3]);
  const T = await model(new Schema({ at: Date, meta: String }, { timeseries: { timeField: 'at', metaField: 'meta' }, autoCreate: false }));
  await T.createCollection();
  await T.insertMany([{ at: new Date(), meta: 'm' }]);
  same(await T.countDocuments(), 1);
});
await test('several connections', async () => {
  const other = await mongoose.createConnection(uri, { dbName: 'goose2' }).asPromise();
  const M = other.model('Other', new Schema({ n: Number }));
  await M.create({ n: 1 });
  same([await M.countDocuments(), (await other.listCollections()).map((x) => x.name), other.useDb('goose3').name], [1, ['others'], 'goose3']);
  await other.dropDatabase();
  await other.close();
});
const replicated = (name, body) => (kind === 'standalone' ? skip(name, 'it needs a replica set') : test(name, body));
await replicated('transactions', async () => {
  const M = await model({ n: Number });
  await connection.transaction(async (session) => { const d = (await M.create([{ n: 1 }], { session }))[0]; d.n = 2; await d.save(); });
  same((await M.findOne()).n, 2);
  const d = await M.findOne();
  await assert.rejects(connection.transaction(async (session) => { d.n = 3; await d.save({ session }); throw new Error('no'); }), /no/);
  same([(await M.findOne()).n, d.isModified('n')], [2, true]);
});
await replicated('sessions', async () => {
  const M = await model({ n: Number });
  const session = await connection.startSession();
  session.startTransaction();
  await M.insertMany([{ n: 1 }], { session });
  same([await M.countDocuments().session(session), await M.countDocuments()], [1, 0]);
  await session.abortTransaction();
  await session.endSession();
  same(await M.countDocuments(), 0);
});
await replicated('watch', async () => {
  const M = await model({ n: Number });
  const stream = M.watch();
  const change = new Promise((resolve, reject) => stream.once('change', resolve).once('error', reject));
  await new Promise((resolve) => stream.once('ready', resolve));
  await M.create({ n: 1 });
  same((await change).fullDocument.n, 1);
  await stream.close();
});
await connection.dropDatabase();
await mongoose.disconnect();
done();
