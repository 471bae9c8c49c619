// What of mongosh the scripts call: the shell lists the names of its types, watch() notes those that a script calls by itself,
// and left() says which neither a script calls nor a row explains. names.mjs does the same for libraries; here calls are told apart
// by depth, because the shell rewrites scripts, and runs them one call after the other.
const fs = require('node:fs');
const path = require('node:path');
const { isPromise } = require('node:util').types; // a collection has a property of every name, then included

const notes = process.env.CALLED;

// Rows of names that no script calls, with the reason.
const uncalled = [
  ['it needs the package mongodb-client-encryption, whose part in C++ npm does not bring here', 'ClientEncryption.encrypt', 'ClientEncryption.decrypt', 'ClientEncryption.encryptExpression',
    'ClientEncryption.createEncryptedCollection', 'KeyVault.createKey', 'KeyVault.getKey', 'KeyVault.getKeyByAltName', 'KeyVault.getKeys', 'KeyVault.deleteKey', 'KeyVault.addKeyAlternateName',
    'KeyVault.removeKeyAlternateName', 'KeyVault.rewrapManyDataKey', 'KeyVault.createDataKey', 'KeyVault.removeKeyAltName', 'KeyVault.addKeyAltName', 'Mongo.getClientEncryption', 'Mongo.getKeyVault',
    'Database.createEncryptedCollection', 'Collection.compactStructuredEncryptionData'],
  ['it needs servers outside the deployment', 'ReplicaSet.add', 'ReplicaSet.addArb', 'ReplicaSet.remove', 'ReplicaSet.reconfigForPSASet'],
  ['it ends the server, or changes its certificates', 'Database.shutdownServer', 'Database.rotateCertificates'],
  ['it is for a person at a terminal', 'exit', 'quit', 'passwordPrompt', 'cls', 'snippet', 'edit'],
  ['it is for Atlas SQL', 'Database.sql'],
  ['it is about a shard that leaves the cluster, and mongotest has none that can', 'Shard.shardDrainingStatus', 'Shard.getTransitionToDedicatedConfigServerStatus'],
];

// prototypes are those of the shell's types, by name.
function prototypes() {
  const found = {};
  const folder = path.dirname(require.resolve('@mongosh/shell-api'));
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    for (const type of Object.values(require(path.join(folder, file)))) if (typeof type === 'function' && type.prototype) found[type.name] = type.prototype;
  }
  return found;
}

// names maps each public name, with the type that has it itself, to the object that holds the function.
function names(shell) {
  const all = new Map(), types = prototypes(), { signatures } = require('@mongosh/shell-api');
  for (const [type, { attributes = {} }] of Object.entries(signatures)) {
    for (const name of Object.keys(attributes).filter((key) => attributes[key].type === 'function')) {
      if (type === 'ShellApi') all.set(name, { object: shell, name }); // they are global functions
      let object = types[type];
      while (object && !Object.hasOwn(object, name)) object = Object.getPrototypeOf(object);
      if (type !== 'ShellApi' && object) all.set(`${object.constructor.name}.${name}`, { object, name });
    }
  }
  return all;
}

// watch notes what the script calls from now on. The shell's global object is where its functions are.
function watch(shell) {
  if (!notes) return;
  const called = new Set();
  let depth = 0;
  for (const [full, { object, name }] of names(shell)) {
    if (typeof object[name] !== 'function') continue;
    const watched = new Proxy(object[name], {
      construct(target, args) {
        if (depth === 0) fs.appendFileSync(notes, `${full}\n`);
        return Reflect.construct(target, args);
      },
      apply(target, self, args) {
        if (depth === 0 && !called.has(full)) fs.appendFileSync(notes, `${full}\n`);
        if (depth++ === 0) called.add(full);
        let result;
        try {
          result = Reflect.apply(target, self, args);
        } finally {
          if (!isPromise(result)) depth--;
        }
        const end = () => { depth--; };
        if (isPromise(result)) result.then(end, end);
        return result;
      },
    });
    Object.defineProperty(object, name, { ...Object.getOwnPropertyDescriptor(object, name), value: watched });
  }
}

// sharded are the names that need shards.
const sharded = (full) => /^Shard\.|Shard|ueryAnalyzer|checkMetadata/.test(full) && !/HashedShard|ToHashed/.test(full);

// left returns the names that lack a call and a row, the rows that are no longer true, and how many there are of each.
function left(shell, wantSharded) {
  const called = new Set(fs.readFileSync(notes, 'utf8').split('\n')), all = [...names(shell).keys()], rows = uncalled.flatMap(([, ...list]) => list);
  return {
    missing: all.filter((full) => sharded(full) === wantSharded && !called.has(full) && !rows.includes(full)), stale: rows.filter((full) => called.has(full) || !all.includes(full)),
    count: [all.length, all.filter((full) => called.has(full)).length, rows.length],
  };
}

module.exports = { watch, left };
