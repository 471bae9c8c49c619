// What of a library the scripts call: the type declarations of its package say which names are public, watch() notes those
// that a script calls by itself, and judge() compares them with the table of those that none calls. The runner gives all
// scripts of a run one file for their notes, in CALLED; without it nothing is noted.
//
// A library is {types, owners, uncalled}: files with declarations, the object that holds the functions of each declared owner,
// and rows [why, ...names]. A name counts when it is a method, a getter or a function, when its owner has it at run time, and when
// it is not sealed, so that it can be watched: fields, constructors and mere types are nothing that can be called.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { same, test, skip, done, kindOf } from './harness.mjs';

const require = createRequire(import.meta.url);
const here = path.dirname(fileURLToPath(import.meta.url));
const notes = process.env.CALLED;

// declared returns the public names of the declarations as a map from owners to sets of names.
function declared(files) {
  const ts = require('typescript');
  const owners = new Map();
  const add = (owner, node) => {
    const name = node.name?.text;
    const closed = (node.modifiers ?? []).some((m) => m.kind === ts.SyntaxKind.PrivateKeyword || m.kind === ts.SyntaxKind.ProtectedKeyword);
    if (!name || closed || /^[_]|^\$__/.test(name) || ts.getJSDocTags(node).some((tag) => tag.tagName.text === 'internal')) return;
    owners.set(owner, (owners.get(owner) ?? new Set()).add(name));
  };
  const visit = (node, space) => {
    if (ts.isModuleDeclaration(node) && node.body) {
      const inner = ts.isStringLiteral(node.name) ? space : [...space, node.name.text];
      node.body.forEachChild((child) => visit(child, inner));
    } else if ((ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.name) {
      for (const member of node.members) add([...space, node.name.text].join('.'), member);
    } else if (ts.isFunctionDeclaration(node)) add(space.join('.'), node);
  };
  for (const file of files) ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true).forEachChild((child) => visit(child, []));
  return owners;
}

// find returns the object that has the name itself, and its property, or nothing when it can't be called. An owner is an object
// or a class with its prototype, or a list of them.
function find(owner, name) {
  for (const object of [owner].flat().flatMap((one) => [one?.prototype, one])) {
    const property = object && Object.getOwnPropertyDescriptor(object, name);
    if (property?.configurable && (property.get || typeof property.value === 'function' && !/^class\b/.test(Function.prototype.toString.call(property.value)))) return { object, property };
  }
  return undefined;
}

// names yields each public name that can be called.
function* names(library) {
  for (const [owner, set] of declared(library.types)) {
    const object = library.owners[owner];
    for (const name of object ? set : []) {
      const found = find(object, name);
      if (found) yield { owner, name, full: owner ? `${owner}.${name}` : name, ...found };
    }
  }
}

// byScript reports whether the caller of what is watched, behind functions that have no file, belongs to a script.
function byScript() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 8;
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName());
  const { stack } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  if (!Array.isArray(stack)) return false; // inside the making of another stack
  const caller = stack.find((file) => file && file !== import.meta.url);
  return caller !== undefined && path.dirname(caller.startsWith('file:') ? fileURLToPath(caller) : caller) === here;
}

// watch notes what scripts call from now on.
export function watch(library) {
  if (!notes) return;
  const called = new Set();
  for (const { object, name, full, property } of names(library)) {
    const note = () => { if (!called.has(full) && byScript()) called.add(full); };
    const changed = property.get
      ? { get() { note(); return Reflect.apply(property.get, this, []); } }
      : { value: new Proxy(property.value, { apply(target, self, args) { note(); return Reflect.apply(target, self, args); } }) };
    Object.defineProperty(object, name, { ...property, ...changed });
  }
  process.on('exit', () => fs.appendFileSync(notes, [...called].map((full) => `${full}\n`).join('')));
}

// judge holds the names against the notes: every one is called or has a row, and no row is about a name that is called or gone.
export async function judge(library, uri) {
  const client = await new MongoClient(uri).connect();
  const kind = await kindOf(client.db('admin')), [major] = (await client.db('admin').admin().buildInfo()).versionArray;
  await client.close();
  const all = [...names(library)].map(({ full }) => full);
  const called = new Set(fs.readFileSync(notes, 'utf8').split('\n'));
  const rows = library.uncalled.flatMap(([, ...list]) => list);
  console.error(`${all.length} public names, ${all.filter((full) => called.has(full)).length} called by a script, ${rows.length} with a reason why none calls them`);
  if (kind !== 'set' || major < 8) skip('every public name is called', 'only a replica set of the newest version runs every script');
  else await test('every public name is called', () => same(all.filter((full) => !called.has(full) && !rows.includes(full)).join(', '), ''));
  await test('what is said to be uncalled is', () => same(rows.filter((full) => called.has(full) || !all.includes(full)).join(', '), ''));
  done();
}
