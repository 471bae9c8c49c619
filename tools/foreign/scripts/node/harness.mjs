// How the scripts print their results: main.go of this tool says in which form. A test has a collection of its own, and goes on
// whatever happens in the tests before it.
import assert from 'node:assert/strict';

export { assert };
export const same = assert.deepStrictEqual;
export const code = (number) => (error) => {
  if (error.code !== number) throw new assert.AssertionError({ message: `code ${error.code}, not ${number}: ${error.message}` });
  return true;
};

let count = 0;
const only = (text) => String(text).split('\n').slice(0, 15).map((line) => `# ${line}`).join('\n');

// test runs body, which has a minute.
export async function test(name, body) {
  count++;
  let timer;
  try {
    await Promise.race([
      (async () => body())(),
      new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('it took longer than a minute')), 60_000); }),
    ]);
    console.log(`ok - ${name}`);
  } catch (error) {
    console.log(`not ok - ${name}\n${only(error.stack ?? error)}`);
  } finally {
    clearTimeout(timer);
  }
}

// skip records a test that this deployment cannot have.
export function skip(name, why) {
  count++;
  console.log(`ok - ${name} # SKIP ${why}`);
}

export function done() {
  console.log(`1..${count}`);
}

// kindOf says what hello tells about the deployment: standalone, set or sharded.
export async function kindOf(db) {
  const hello = await db.admin().command({ hello: 1 });
  return hello.msg === 'isdbgrid' ? 'sharded' : hello.setName ? 'set' : 'standalone';
}
