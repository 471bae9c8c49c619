// Which public names of mongosh the scripts before this one called: mongosh URI mongosh-names.js
const assert = require('node:assert/strict');
const { left } = require('./mongosh-library.js');

const hello = db.hello(), sharded = hello.msg === 'isdbgrid';
const found = left(globalThis, sharded); // names of shards on a sharded cluster, the others on a replica set
let count = 0;
function test(name, missing) {
  count++;
  print(missing.length === 0 ? `ok - ${name}` : `not ok - ${name}\n# ${missing.join(', ')}`);
}
process.stderr.write(`${found.count[0]} public names, ${found.count[1]} called by a script, ${found.count[2]} with a reason why none calls them\n`);
assert(found.count[0] > 300);
if ((hello.setName || sharded) && hello.maxWireVersion >= 25) test('every public name is called', found.missing);
test('what is said to be uncalled is', hello.setName || sharded ? found.stale : []);
print(`1..${count}`);
