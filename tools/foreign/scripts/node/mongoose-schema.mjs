// mongoose's schemas, their types, virtuals and the arrays and maps of documents, as far as the scripts before leave them:
// mongoose-schema.mjs URI
import mongoose from 'mongoose';
import { assert, same, code, test, done } from './harness.mjs';
import { watch } from './names.mjs';
import { library } from './mongoose-library.mjs';

watch(library);
const { Schema } = mongoose;
const connection = await mongoose.createConnection(process.argv[2], { dbName: 'gooseSchema' }).asPromise();
await connection.dropDatabase();
let made = 0;
const model = async (schema) => {
  const m = connection.model(`S${made++}`, schema);
  await m.init();
  return m;
};
// wrong returns the messages of a document's validation.
const wrong = async (doc) => Object.fromEntries(Object.entries((await doc.validate().catch((e) => e))?.errors ?? {}).map(([path, e]) => [path, e.kind]));
const keys = async (M) => (await M.collection.indexes()).slice(1).map(({ key, unique, sparse, expireAfterSeconds }) => ({ key, unique, sparse, expireAfterSeconds }));

await test('methods of a string', async () => {
  const schema = new Schema({ kind: String, low: String, up: String, long: String, form: String });
  schema.path('kind').enum('a', 'b').enum({ values: ['c'], message: 'no {VALUE}' });
  schema.path('low').lowercase().trim();
  schema.path('up').uppercase();
  schema.path('long').minlength(2).maxlength(4);
  schema.path('form').match(/^x\d$/);
  const M = await model(schema);
  const d = await M.create({ kind: 'c', low: '  ABC ', up: 'abc', long: 'abc', form: 'x1' });
  const { kind, low, up } = await M.findById(d._id).lean();
  same([kind, low, up], ['c', 'abc', 'ABC']);
  same(await wrong(new M({ kind: 'z', long: 'a', form: 'y' })), { kind: 'enum', long: 'minlength', form: 'regexp' });
  same(await wrong(new M({ long: 'abcde' })), { long: 'maxlength' });
});
await test('methods of numbers and dates', async () => {
  const schema = new Schema({ n: Number, of: Number, at: Date, gone: Date });
  schema.path('n').min(2).max(5, 'too large');
  schema.path('of').enum(1, 3);
  schema.path('at').min('2020-01-01').max(new Date('2021-01-01'));
  schema.path('gone').expires('1h');
  const M = await model(schema);
  same(await wrong(new M({ n: 1, of: 2, at: '2019-01-01' })), { n: 'min', of: 'enum', at: 'min' });
  same(await wrong(new M({ n: 6, at: '2022-01-01' })), { n: 'max', at: 'max' });
  same(await keys(M), [{ key: { gone: 1 }, unique: undefined, sparse: undefined, expireAfterSeconds: 3600 }]);
});
await test('methods of other types', async () => {
  const schema = new Schema({ id: Schema.Types.ObjectId, bytes: Buffer, tags: [String], yes: Boolean });
  schema.path('id').auto(true);
  schema.path('bytes').subtype(0x80);
  schema.path('tags').enum('x', 'y');
  same([Schema.Types.Boolean.convertToTrue.has('yes'), Schema.Types.Boolean.convertToFalse.has('no')], [true, true]);
  Schema.Types.Boolean.convertToTrue.add('aye');
  const M = await model(schema);
  const d = await M.create({ bytes: Buffer.from('a'), tags: ['x'], yes: 'aye' });
  Schema.Types.Boolean.convertToTrue.delete('aye');
  const back = await M.findById(d._id).lean();
  same([back.id instanceof mongoose.Types.ObjectId, back.bytes.sub_type, back.yes], [true, 0x80, true]);
  same(Object.values(await wrong(new M({ tags: ['z'] }))), ['enum']);
});
await test('methods of every type', async () => {
  const schema = new Schema({ must: String, some: String, price: Number, day: Number, fixed: { type: String, immutable: true }, hidden: String, even: Number, both: Number, shown: String, ref: Schema.Types.ObjectId, list: [Number] });
  schema.path('must').required(true, 'it is needed');
  schema.path('some').allowNull(false);
  schema.path('price').get((v) => v / 100).set((v) => v * 100);
  schema.path('day').default(7);
  schema.path('hidden').select(false);
  schema.path('even').validate((v) => v % 2 === 0, 'odd {VALUE}', 'evenness');
  schema.path('both').validateAll([{ validator: (v) => v > 1, type: 'large' }, { validator: (v) => v < 9, type: 'small' }]);
  schema.path('shown').transform((v) => `<${v}>`);
  schema.path('ref').ref('Elsewhere');
  const M = await model(schema);
  const d = await M.create({ must: 'm', price: 5, fixed: 'f', hidden: 'h', shown: 's' });
  same([(await M.findById(d._id).lean()).price, (await M.findById(d._id)).price, d.day, d.toJSON().shown], [500, 5, 7, '<s>']);
  d.fixed = 'g';
  same(d.fixed, 'f');
  await d.save();
  const back = await M.findById(d._id).lean();
  same([back.fixed, 'hidden' in back, (await M.findById(d._id).select('+hidden').lean()).hidden], ['f', false, 'h']);
  same(M.schema.path('fixed').immutable(false).$immutable, false); // what is compiled already keeps its setter
  same(await wrong(new M({ some: null, even: 3, both: 9 })), { must: 'required', some: (await wrong(new M({ must: 1, some: null }))).some, even: 'evenness', both: 'small' });
  assert((await wrong(new M({ must: 'a', some: null }))).some);
  same([schema.path('ref').options.ref, schema.path('list').getEmbeddedSchemaType().instance, schema.path('day').toJSONSchema()], ['Elsewhere', 'Number', { type: ['number', 'null'] }]);
});
await test('indexes of paths', async () => {
  const schema = new Schema({ a: Number, b: Number, c: Number, t: String });
  schema.path('a').index(true);
  schema.path('b').unique(true);
  schema.path('c').index(true).sparse(true);
  schema.path('t').text(true);
  const M = await model(schema);
  const found = await keys(M);
  same(found.map(({ key }) => Object.keys(key)[0]).sort(), ['_fts', 'a', 'b', 'c']);
  same([found.find(({ key }) => key.b).unique, found.find(({ key }) => key.c).sparse], [true, true]);
  await M.create({ b: 1, t: 'red fox' });
  await assert.rejects(M.create({ b: 1 }), code(11000));
  same((await M.findOne({ $text: { $search: 'foxes' } })).b, 1);
});
await test('casting and requiring by type', async () => {
  const own = new mongoose.Mongoose();
  const before = own.Schema.Types.Number.cast();
  own.Schema.Types.Number.cast((v) => (v === 'one' ? 1 : before(v)));
  own.Schema.Types.String.checkRequired((v) => v != null);
  const D = own.model('Cast', new own.Schema({ n: Number, s: { type: String, required: true } }));
  const d = new D({ n: 'one', s: '' });
  same([d.n, d.validateSync()], [1, undefined]);
  own.Schema.Types.Number.cast(before);
  own.Schema.Types.String.checkRequired((v) => typeof v === 'string' && v.length > 0);
  same(Object.keys(new D({ n: 'one', s: '' }).validateSync().errors).sort(), ['n', 's']);
  const given = mongoose.SchemaType.checkRequired();
  same(mongoose.SchemaType.checkRequired((v) => v === 5)(5), true);
  mongoose.SchemaType.checkRequired(given);
  const caster = mongoose.SchemaType.cast();
  same(mongoose.SchemaType.cast((v) => v)(3), 3);
  mongoose.SchemaType.cast(caster);
});
await test('what a path does with a value', () => {
  const schema = new Schema({ n: Number, one: new Schema({ at: Number }, { _id: false }), any: {} });
  same([schema.path('n').cast('5'), schema.path('one').cast({ at: '5' }).toObject(), schema.path('any').cast('x')], [5, { at: 5 }, 'x']);
  same([schema.path('n').checkRequired(null), schema.path('any').checkRequired(null), schema.path('any').checkRequired(0), schema.path('n').getEmbeddedSchemaType()], [false, false, true, undefined]);
  assert.throws(() => new mongoose.SchemaType('x').cast(1), /cast/);
  assert.throws(() => new mongoose.SchemaType('x').toJSONSchema(), /toJSONSchema|JSON schema/i);
});
await test('schemas', async () => {
  const schema = Schema.create({ n: Number, long: { type: String, alias: 'l' }, gone: String });
  schema.alias('n', 'number');
  schema.index({ n: 1 });
  schema.remove('gone');
  schema.set('versionKey', false);
  schema.plugin((s, { by }) => { s.method('times', function () { return this.n * by; }); }, { by: 3 });
  schema.queryHelper('over', function (n) { return this.where({ n: { $gt: n } }); });
  schema.virtual('half').get(function () { return this.n / 2; }).set(function (v) { this.n = v * 2; });
  same([schema.path('gone'), schema.get('versionKey'), schema.virtualpath('half').path, schema.indexes()[0][0]], [undefined, false, 'half', { n: 1 }]);
  same([schema.virtualpath('half').applyGetters(undefined, { n: 8 }), schema.virtualpath('none') ?? null], [4, null]);
  const target = { n: 0 };
  schema.virtualpath('half').applySetters(5, target);
  same(target.n, 10);
  schema.clearIndexes();
  schema.searchIndex({ name: 'words', definition: { mappings: { dynamic: true } } });
  const M = connection.model(`S${made++}`, schema, undefined, { autoSearchIndex: false });
  await M.init();
  same(await keys(M), []);
  await M.create([{ number: 4, l: 'x' }, { half: 5 }]);
  same((await M.find().over(5)).map((d) => [d.number, d.times(), d.half]), [[10, 30, 5]]);
  same(await M.findOne({ n: 4 }).select('-_id').lean(), { n: 4, long: 'x' });
  await assert.rejects(M.createSearchIndexes(), (error) => error.code > 0);
});
await test('discriminators of schemas and of arrays', async () => {
  const part = (definition) => new Schema(definition, { _id: false });
  const schema = new Schema({ one: new Schema({ at: Number }, { discriminatorKey: 'kind', _id: false }), many: [new Schema({ at: Number }, { discriminatorKey: 'kind', _id: false })], grid: [[new Schema({ at: Number }, { discriminatorKey: 'kind', _id: false })]] }, { discriminatorKey: 'type' });
  schema.path('one').discriminator('Click', part({ x: Number }));
  schema.path('many').discriminator('Key', part({ key: String }));
  schema.path('grid').discriminator('Cell', part({ deep: Number }));
  schema.discriminator('Special', new Schema({ extra: Number }));
  const M = await model(schema);
  const d = await M.create({ one: { kind: 'Click', at: 1, x: '5' }, many: [{ kind: 'Key', at: 2, key: 9 }, { at: 3, key: 'dropped' }], grid: [[{ kind: 'Cell', deep: '6' }]] });
  const back = await M.findById(d._id).lean();
  same([back.one, back.many, back.grid], [{ at: 1, kind: 'Click', x: 5 }, [{ at: 2, kind: 'Key', key: '9' }, { at: 3 }], [[{ kind: 'Cell', deep: 6 }]]]);
  const special = await connection.model('Special').create({ extra: '3' });
  same([special.extra, (await M.findById(special._id).lean()).type, await connection.model('Special').countDocuments()], [3, 'Special', 1]);
});
await test('arrays', async () => {
  const M = await model(new Schema({ list: [Number], items: [{ a: Number }] }));
  const d = await M.create({ list: [1, 2, 3, 4], items: [{ a: 1 }, { a: 2 }, { a: 3 }] });
  same([d.list.$pop(), d.list.length], [4, 3]);
  await d.save();
  same([d.list.$shift(), d.list.length], [1, 2]);
  await d.save();
  d.list.remove(2);
  const made = d.items.create({ a: '9' });
  same([made.a, d.items.splice(0, 2, made).length, d.items.length], [9, 2, 2]);
  await d.save();
  const back = await M.findById(d._id).lean();
  same([back.list, back.items.map((x) => x.a)], [[3], [9, 3]]);
});
await test('maps', async () => {
  const M = await model(new Schema({ m: { type: Map, of: Number } }));
  const d = await M.create({ m: { a: 1, b: 2, c: 3 } });
  d.m.set('a', '5');
  same([d.m.has('b'), d.m.delete('b'), d.m.has('b'), d.m.toObject()], [true, true, false, new Map([['a', 5], ['c', 3]])]);
  await d.save();
  same([(await M.findById(d._id).lean()).m, Object.fromEntries((await M.findById(d._id)).m.toObject())], [{ a: 5, c: 3 }, { a: 5, c: 3 }]);
});
await test('documents inside documents', async () => {
  const M = await model(new Schema({ name: String, one: new Schema({ two: new Schema({ n: Number }) }), many: [new Schema({ n: Number })] }));
  const d = await M.create({ name: 'top', one: { two: { n: 1 } }, many: [{ n: 2 }] });
  same([d.one.two.ownerDocument().name, d.one.two.parent() === d.one, d.one.$parent() === d, d.many[0].parent().name], ['top', true, true, 'top']);
  same(d.$getAllSubdocs().length, 3);
});
await connection.close();
done();
