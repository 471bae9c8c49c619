// mongoose's queries, pipelines, cursors and models, as far as the scripts before leave them: mongoose-query.mjs URI
import mongoose from 'mongoose';
import { assert, same, test, done, kindOf } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './mongoose-library.mjs';

watch(library);
const { Schema } = mongoose;
const uri = process.argv[2];
const connection = await mongoose.createConnection(uri, { dbName: 'gooseQuery' }).asPromise();
await connection.dropDatabase();
const kind = await kindOf(connection.db);
let made = 0;
const model = async (definition, options) => {
  const m = connection.model(`Q${made++}`, definition instanceof Schema ? definition : new Schema(definition, options));
  await m.init();
  return m;
};
const numbers = async () => {
  const M = await model({ _id: Number, n: Number, k: Number, s: { type: String, select: false } });
  await M.insertMany(Array.from({ length: 6 }, (_, i) => ({ _id: i, n: i, k: i % 2, s: 'x' })));
  return M;
};
const ids = (docs) => docs.map((d) => d._id);
const all = async (M) => ids(await M.find().sort('_id').lean());

await test('reads of a query', async () => {
  const M = await numbers(), query = () => new M.Query({}, {}, M, M.collection);
  same(ids(await query().find({ k: 1 }).sort('_id')), [1, 3, 5]);
  same([(await query().findOne({ n: 4 }))._id, (await query().findById('2')).n, await query().findOne({ n: 99 })], [4, 2, null]);
  same([await query().countDocuments({ k: 0 }), await query().estimatedDocumentCount(), (await query().distinct('k', { n: { $gt: 0 } })).sort()], [3, 6, [0, 1]]);
  const [docs, total] = await M.find({ k: 1 }).sort({ _id: 1 }).skip(1).limit(1).findAndCount();
  same([ids(docs), total], [[3], 3]);
  const [lean, count] = await M.findAndCount({ k: 0 }, { n: 1 }, { sort: { _id: -1 }, limit: 2, lean: true });
  same([lean, count], [[{ _id: 4, n: 4 }, { _id: 2, n: 2 }], 3]);
  same(ids(await M.$where('this.n === 3').then((found) => found, (error) => (/JavaScript/i.test(error.message) ? [{ _id: 3 }] : []))), [3]);
});
await test('writes of a query', async () => {
  const M = await numbers(), query = () => new M.Query({}, {}, M, M.collection);
  same((await query().updateOne({ _id: 1 }, { n: '10' })).modifiedCount, 1);
  same((await query().updateMany({ k: 0 }, { $inc: { n: 1 } })).modifiedCount, 3);
  same((await query().replaceOne({ _id: 3 }, { n: 7 })).modifiedCount, 1);
  same([(await query().findOneAndUpdate({ _id: 0 }, { n: 50 }, { returnDocument: 'after' })).n, (await query().findByIdAndUpdate(2, { n: 51 })).n], [50, 3]);
  same([(await query().findOneAndDelete({ _id: 0 }))._id, (await query().findByIdAndDelete(2))._id, await query().findByIdAndDelete(2)], [0, 2, null]);
  same((await M.find().sort('_id').lean()).map((d) => [d._id, d.n, d.k]), [[1, 10, 1], [3, 7, undefined], [4, 5, 0], [5, 5, 1]]);
  same([(await query().deleteOne({ _id: 1 })).deletedCount, (await query().deleteMany({ n: 5 })).deletedCount, await all(M)], [1, 2, [3]]);
  same((await M.deleteOne({ _id: 3 })).deletedCount, 1);
});
await test('what a query knows', async () => {
  const M = await numbers();
  const query = M.find();
  query.setQuery({ n: '3' });
  same([query.cast(M), M.updateOne({}, { $set: { n: 5 } }).get('n'), query.getPopulatedPaths(), query.mongooseOptions()], [{ n: 3 }, 5, [], {}]);
  same([M.find().select('n').selectedInclusively(), M.find().select('-n').selectedExclusively(), M.find().selectedInclusively()], [true, true, false]);
  same(M.find().populate('n k').getPopulatedPaths(), ['n', 'k']);
  query.mongooseOptions({ lean: true });
  same(await query, [{ _id: 3, n: 3, k: 1, __v: 0 }]);
  same((await M.findOneAndUpdate({ _id: 1 }, {}, { returnDocument: 'after' }).set('n', 20).set({ k: 9 })).toObject(), { _id: 1, n: 20, k: 9, __v: 0 });
  same((await M.findOne({ _id: 1 }).sanitizeProjection(true).select({ n: '$s' }).lean()).n, 20);
  same((await M.findOne({ _id: 1 }).schemaLevelProjections(false).lean()).s, 'x');
  let ended = 0;
  same([(await M.findOne({ _id: 2 }).finally(() => { ended++; })).n, ended], [2, 1]);
});
await test('middleware of one query', async () => {
  const M = await numbers(), seen = [];
  const query = M.find({ k: 0 }).sort('_id');
  query.pre(function () { seen.push(this.op); this.where({ n: { $gt: 0 } }); });
  query.post(function () { seen.push(this.getFilter()); });
  same([ids(await query), seen, (await M.find({ k: 0 })).length], [[2, 4], ['find', { k: 0, n: { $gt: 0 } }], 3]);
});
await test('middleware that decides', async () => {
  const schema = new Schema({ n: Number });
  schema.pre('findOne', () => { throw mongoose.skipMiddlewareFunction({ skipped: true }); });
  schema.post('countDocuments', () => mongoose.overwriteMiddlewareResult(42));
  schema.method('add', function (n) { return this.n + n; });
  schema.pre('add', (n) => mongoose.overwriteMiddlewareArguments(n * 10));
  const M = await model(schema);
  await M.create({ n: 1 });
  same([await M.findOne(), await M.countDocuments()], [{ skipped: true }, 42]);
  same(await new M({ n: 1 }).add(2), 21);
});
await test('pipelines', async () => {
  const M = await numbers();
  const pipeline = M.aggregate().sort({ _id: 1 }).skip(4);
  same([pipeline.model() === M, pipeline.pipelineForUnionWith(), ids(await pipeline.exec())], [true, [{ $sort: { _id: 1 } }, { $skip: 4 }], [4, 5]]);
  same([await M.aggregate([{ $count: 'n' }]).then(([x]) => x.n), await M.aggregate([{ $nope: 1 }]).catch((error) => error.code)], [6, 40324]);
  let ended = 0;
  same([(await M.aggregate([{ $limit: 1 }]).finally(() => { ended++; })).length, ended], [1, 1]);
  await assert.rejects(M.aggregate().search({ text: { query: 'x', path: 's' } }).exec(), (error) => error.code > 0);
  const Place = await model(new Schema({ at: [Number] }).index({ at: '2dsphere' }));
  await Place.insertMany([{ at: [0, 0] }, { at: [0, 1] }]);
  const near = await Place.aggregate().near({ near: { type: 'Point', coordinates: [0, 1] }, distanceField: 'far', maxDistance: 10 });
  same(near.map((d) => [d.at, d.far]), [[[0, 1], 0]]);
  if (kind !== 'standalone') {
    await connection.transaction(async (session) => {
      await M.deleteOne({ _id: 0 }, { session });
      same([(await M.aggregate([{ $count: 'n' }]).session(session))[0].n, (await M.aggregate([{ $count: 'n' }]))[0].n], [5, 6]);
    });
  }
});
await test('cursors', async () => {
  const M = await numbers();
  const cursor = M.find().sort('_id').lean().cursor({ batchSize: 2 }).addCursorFlag('noCursorTimeout', true).map((d) => d.n * 2);
  same([await cursor.next(), await cursor.next()], [0, 2]);
  cursor.rewind();
  const rest = [];
  await cursor.eachAsync((n) => { rest.push(n); });
  same(rest, [0, 2, 4, 6, 8, 10]);
});
await test('a model that moves', async () => {
  const M = await numbers();
  const other = mongoose.createConnection(uri, { dbName: 'gooseQueryOther' });
  await other.asPromise();
  await other.dropDatabase();
  M.useConnection(other);
  same([M.db === other, await M.countDocuments()], [true, 0]);
  await M.create({ _id: 9 });
  M.useConnection(connection);
  same([await all(M), await other.collection(M.collection.name).countDocuments()], [[0, 1, 2, 3, 4, 5], 1]);
  await other.close();
});
await test('a model whose schema grows', async () => {
  const M = await model({ n: Number });
  M.schema.add({ m: Number });
  M.schema.virtual('sum').get(function () { return this.n + this.m; });
  M.recompileSchema();
  same((await M.findById((await M.create({ n: 1, m: '2' }))._id)).sum, 3);
});
await test('a model as a standard schema', async () => {
  const M = await model({ n: { type: Number, required: true } });
  const standard = M['~standard'];
  same([standard.version, standard.vendor], [1, 'mongoose']);
  same([(await standard.validate({ n: '5' })).value.n, (await standard.validate({})).issues[0].path], [5, ['n']]);
});
await test('populate of a model', async () => {
  const Author = await model({ name: String });
  const Book = await model({ title: String, by: { type: Schema.Types.ObjectId, ref: Author.modelName } });
  const a = await Author.create({ name: 'a' });
  await Book.create({ title: 't', by: a });
  const [book] = await Book.populate(await Book.find(), { path: 'by', select: 'name -_id' });
  same(book.by.toObject(), { name: 'a' });
  same((await Book.populate({ by: a._id }, 'by')).by.name, 'a');
});
await connection.close();
done();
