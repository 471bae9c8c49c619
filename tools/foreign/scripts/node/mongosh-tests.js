// What the scripts for mongosh share: comparisons, a test's line of output, and what the deployment is. Scripts load it and do not
// require it, because the shell makes calls wait for their results only in what it loads itself.
require('./mongosh-library.js').watch(globalThis);
const same = (got, want) => assert.deepStrictEqual(JSON.parse(EJSON.stringify(got)), JSON.parse(EJSON.stringify(want)));
const fails = (number, body) => {
  try {
    body();
  } catch (error) {
    if (error.code !== number && error.codeName !== number) throw new Error(`code ${error.code}, not ${number}: ${error.message}`);
    return;
  }
  throw new Error('it did not fail');
};
const refused = (body) => {
  try {
    body();
  } catch {
    return;
  }
  throw new Error('it did not fail');
};
let count = 0;
function test(name, body) {
  count++;
  try {
    body();
    print(`ok - ${name}`);
  } catch (error) {
    print(`not ok - ${name}`);
    for (const line of String(error.stack ?? error).split('\n').slice(0, 15)) print(`# ${line}`);
  }
}
function skip(name, why) {
  count++;
  print(`ok - ${name} # SKIP ${why}`);
}

const hello = db.hello();
const kind = hello.msg === 'isdbgrid' ? 'sharded' : hello.setName ? 'set' : 'standalone';
let made = 0;
// collectionsOf returns a function that makes a new collection of a database, with documents if there are any.
const collectionsOf = (database) => (docs) => {
  const c = database.getCollection(`c${made++}`);
  if (docs) c.insertMany(docs);
  return c;
};
const numbers = (n) => Array.from({ length: n }, (_, i) => ({ _id: i, n: i, k: i % 3 }));
