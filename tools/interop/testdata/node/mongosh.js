// What mongosh does with a deployment: every command that db.help(), rs.help() and sh.help() name. Each works, or fails with the
// code that a server of that kind has for it. It prints a line for each step, and the number of those that went wrong.
const d = db.getSiblingDB('shop');
const admin = db.getSiblingDB('admin');
const hello = admin.runCommand({ hello: 1 });
const kind = hello.msg === 'isdbgrid' ? 'sharded' : hello.setName ? 'set' : 'standalone';
d.c.insertMany([{ _id: 1, a: 1 }, { _id: 2, a: 2 }]);

const calls = {
  db: {
    getMongo: () => d.getMongo().getURI(),
    getName: () => d.getName(),
    getCollectionNames: () => d.getCollectionNames(),
    getCollectionInfos: () => d.getCollectionInfos().length,
    runCommand: () => d.runCommand({ping:1}).ok,
    adminCommand: () => d.adminCommand({ping:1}).ok,
    aggregate: () => db.getSiblingDB('admin').aggregate([{$currentOp:{}}]).toArray().length,
    getSiblingDB: () => d.getSiblingDB('x').getName(),
    getCollection: () => d.getCollection('c').countDocuments(),
    createUser: () => d.createUser({user:'u', pwd:'p', roles:['read']}),
    updateUser: () => d.updateUser('u', {roles:['readWrite']}),
    changeUserPassword: () => d.changeUserPassword('u', 'q'),
    auth: () => {admin.createUser({user:'keep', pwd:'k', roles:['root']}); return admin.auth('keep', 'k')},
    logout: () => d.logout(),
    grantRolesToUser: () => d.grantRolesToUser('u', ['dbAdmin']),
    revokeRolesFromUser: () => d.revokeRolesFromUser('u', ['dbAdmin']),
    getUser: () => d.getUser('u').roles,
    getUsers: () => d.getUsers().users.length,
    dropUser: () => d.dropUser('u'),
    dropAllUsers: () => d.dropAllUsers().n,
    createCollection: () => d.createCollection('n'),
    createView: () => d.createView('v', 'c', []),
    createEncryptedCollection: () => d.createEncryptedCollection('e', {}),
    createRole: () => d.createRole({role:'r', privileges:[], roles:[]}),
    updateRole: () => d.updateRole('r', {roles:['read']}),
    grantRolesToRole: () => d.grantRolesToRole('r', ['readWrite']),
    revokeRolesFromRole: () => d.revokeRolesFromRole('r', ['readWrite']),
    grantPrivilegesToRole: () => d.grantPrivilegesToRole('r', [{resource:{db:'shop', collection:''}, actions:['find']}]),
    revokePrivilegesFromRole: () => d.revokePrivilegesFromRole('r', [{resource:{db:'shop', collection:''}, actions:['find']}]),
    getRole: () => d.getRole('r'),
    getRoles: () => d.getRoles(),
    dropRole: () => d.dropRole('r'),
    dropAllRoles: () => d.dropAllRoles(),
    currentOp: () => d.currentOp().ok,
    killOp: () => d.killOp(123456),
    fsyncLock: () => db.fsyncLock(),
    fsyncUnlock: () => db.fsyncUnlock(),
    version: () => d.version(),
    serverBits: () => d.serverBits(),
    isMaster: () => d.isMaster().ok,
    hello: () => d.hello().ok,
    serverBuildInfo: () => d.serverBuildInfo().version,
    serverStatus: () => d.serverStatus().ok,
    stats: () => d.stats(),
    hostInfo: () => d.hostInfo().ok,
    serverCmdLineOpts: () => d.serverCmdLineOpts(),
    rotateCertificates: () => d.rotateCertificates(),
    printCollectionStats: () => d.printCollectionStats(),
    getProfilingStatus: () => d.getProfilingStatus(),
    setProfilingLevel: () => [d.setProfilingLevel(2), d.c.findOne(), d.setProfilingLevel(0), d.system.profile.countDocuments()],
    setLogLevel: () => d.setLogLevel(1, 'query'),
    getLogComponents: () => d.getLogComponents(),
    cloneDatabase: () => d.cloneDatabase('x'),
    cloneCollection: () => d.cloneCollection('x'),
    copyDatabase: () => d.copyDatabase('a', 'b'),
    commandHelp: () => d.commandHelp('find'),
    listCommands: () => Object.keys(d.listCommands()).length,
    getLastErrorObj: () => d.getLastErrorObj(),
    getLastError: () => d.getLastError(),
    printShardingStatus: () => d.printShardingStatus(),
    printSecondaryReplicationInfo: () => d.printSecondaryReplicationInfo(),
    getReplicationInfo: () => d.getReplicationInfo(),
    printReplicationInfo: () => d.printReplicationInfo(),
    printSlaveReplicationInfo: () => d.printSlaveReplicationInfo(),
    setSecondaryOk: () => d.setSecondaryOk(),
    watch: () => {const w=d.watch(); const x=w.tryNext(); w.close(); return x},
    sql: () => d.sql('select 1'),
    checkMetadataConsistency: () => d.checkMetadataConsistency(),
    dropDatabase: () => d.dropDatabase().ok,
    shutdownServer: () => 'the last step',
  },
  rs: {
    initiate: () => rs.initiate(),
    config: () => rs.config()._id,
    conf: () => rs.conf()._id,
    reconfig: () => rs.reconfig(rs.conf()),
    reconfigForPSASet: () => rs.reconfigForPSASet(0, rs.conf()),
    status: () => rs.status().ok,
    isMaster: () => rs.isMaster().ok,
    hello: () => rs.hello().ok,
    printSecondaryReplicationInfo: () => rs.printSecondaryReplicationInfo(),
    printSlaveReplicationInfo: () => rs.printSlaveReplicationInfo(),
    printReplicationInfo: () => rs.printReplicationInfo(),
    add: () => rs.add('nowhere.invalid:1'),
    addArb: () => rs.addArb('nowhere.invalid:1'),
    remove: () => rs.remove('nowhere.invalid:1'),
    freeze: () => rs.freeze(1),
    syncFrom: () => rs.syncFrom('nowhere.invalid:1'),
    secondaryOk: () => rs.secondaryOk(),
    stepDown: () => rs.stepDown(1),
  },
  sh: {
    enableSharding: () => sh.enableSharding('shop'),
    shardCollection: () => sh.shardCollection('shop.s', {k:1}),
    commitReshardCollection: () => sh.commitReshardCollection('shop.s'),
    abortReshardCollection: () => sh.abortReshardCollection('shop.s'),
    reshardCollection: () => sh.reshardCollection('shop.s', {j:1}),
    status: () => sh.status(),
    addShard: () => sh.addShard('x/nowhere.invalid:1'),
    addShardToZone: () => sh.addShardToZone('shard0', 'z'),
    addShardTag: () => sh.addShardTag('shard0', 'z2'),
    updateZoneKeyRange: () => sh.updateZoneKeyRange('shop.s', {k:0}, {k:10}, 'z'),
    addTagRange: () => sh.addTagRange('shop.s', {k:10}, {k:20}, 'z2'),
    removeRangeFromZone: () => sh.removeRangeFromZone('shop.s', {k:0}, {k:10}),
    removeTagRange: () => sh.removeTagRange('shop.s', {k:10}, {k:20}, 'z2'),
    removeShardFromZone: () => sh.removeShardFromZone('shard0', 'z'),
    removeShardTag: () => sh.removeShardTag('shard0', 'z2'),
    enableAutoSplit: () => sh.enableAutoSplit(),
    disableAutoSplit: () => sh.disableAutoSplit(),
    splitAt: () => sh.splitAt('shop.s', {k:5}),
    splitFind: () => sh.splitFind('shop.s', {k:7}),
    moveChunk: () => sh.moveChunk('shop.s', {k:5}, 'shard0'),
    moveRange: () => sh.moveRange('shop.s', 'shard0', {k:5}),
    balancerCollectionStatus: () => sh.balancerCollectionStatus('shop.s'),
    enableBalancing: () => sh.enableBalancing('shop.s'),
    disableBalancing: () => sh.disableBalancing('shop.s'),
    enableMigrations: () => sh.enableMigrations('shop.s'),
    disableMigrations: () => sh.disableMigrations('shop.s'),
    getBalancerState: () => sh.getBalancerState(),
    isBalancerRunning: () => sh.isBalancerRunning(),
    startBalancer: () => sh.startBalancer(),
    stopBalancer: () => sh.stopBalancer(),
    setBalancerState: () => sh.setBalancerState(true),
    getShardedDataDistribution: () => sh.getShardedDataDistribution().toArray().length,
    startAutoMerger: () => sh.startAutoMerger(),
    stopAutoMerger: () => sh.stopAutoMerger(),
    isAutoMergerEnabled: () => sh.isAutoMergerEnabled(),
    disableAutoMerger: () => sh.disableAutoMerger('shop.s'),
    enableAutoMerger: () => sh.enableAutoMerger('shop.s'),
    checkMetadataConsistency: () => sh.checkMetadataConsistency(),
    shardAndDistributeCollection: () => sh.shardAndDistributeCollection('shop.sd', {k:1}),
    moveCollection: () => sh.moveCollection('shop.c', 'shard0'),
    abortMoveCollection: () => sh.abortMoveCollection('shop.c'),
    unshardCollection: () => sh.unshardCollection('shop.s', 'shard0'),
    abortUnshardCollection: () => sh.abortUnshardCollection('shop.s'),
    listShards: () => sh.listShards().length,
    isConfigShardEnabled: () => sh.isConfigShardEnabled(),
    shardDrainingStatus: () => sh.shardDrainingStatus('shard0'),
    getTransitionToDedicatedConfigServerStatus: () => sh.getTransitionToDedicatedConfigServerStatus(),
  },
};

// What fails, with its code: of the server, or of the shell, which asks the server first. Where two kinds of deployment differ
// the code stands by the kind; a kind that is not named succeeds.
const fails = {
  'db.checkMetadataConsistency': { standalone: 59, set: 59 },
  'sh.checkMetadataConsistency': { standalone: 59, set: 59 },
  'db.createEncryptedCollection': 'SHAPI-10005',
  'db.rotateCertificates': 96,
  'db.cloneDatabase': 'COMMON-10003',
  'db.cloneCollection': 'COMMON-10003',
  'db.copyDatabase': 'COMMON-10003',
  'db.printShardingStatus': { standalone: 'SHAPI-10003', set: 'SHAPI-10003' },
  'db.printSecondaryReplicationInfo': { standalone: 'SHAPI-10002', sharded: 'SHAPI-10002' },
  'db.getReplicationInfo': { standalone: 'SHAPI-10002', sharded: 'SHAPI-10002' },
  'db.printReplicationInfo': { standalone: 'SHAPI-10002', sharded: 'SHAPI-10002' },
  'db.printSlaveReplicationInfo': 'COMMON-10003',
  'db.watch': { standalone: 40573 },
  'db.sql': 'COMMON-10004',
  'rs.initiate': { standalone: 76, set: 23, sharded: 59 },
  'rs.config': { standalone: 76, sharded: 'COMMON-10004' },
  'rs.conf': { standalone: 76, sharded: 'COMMON-10004' },
  'rs.reconfig': { standalone: 76, sharded: 'COMMON-10004' },
  'rs.reconfigForPSASet': { standalone: 76, set: 'COMMON-10001', sharded: 'COMMON-10004' },
  'rs.status': { standalone: 76, sharded: '' },
  'rs.printSecondaryReplicationInfo': { standalone: 'SHAPI-10002', sharded: 'SHAPI-10002' },
  'rs.printSlaveReplicationInfo': 'COMMON-10003',
  'rs.printReplicationInfo': { standalone: 'SHAPI-10002', sharded: 'SHAPI-10002' },
  'rs.add': { standalone: 76, set: 74, sharded: 'COMMON-10004' },
  'rs.addArb': { standalone: 76, set: 74, sharded: 'COMMON-10004' },
  'rs.remove': { standalone: 76, set: 'COMMON-10001', sharded: 'COMMON-10004' },
  'rs.freeze': { standalone: 76, set: 95, sharded: 59 },
  'rs.syncFrom': { standalone: 76, set: 95, sharded: 59 },
  'rs.stepDown': { standalone: 76, set: 2, sharded: 59 },
  'sh.enableSharding': { standalone: 59, set: 59 },
  'sh.shardCollection': { standalone: 59, set: 59 },
  'sh.commitReshardCollection': { standalone: 59, set: 59, sharded: 330 },
  'sh.abortReshardCollection': { standalone: 59, set: 59, sharded: 330 },
  'sh.reshardCollection': { standalone: 59, set: 59 },
  'sh.status': { standalone: 'SHAPI-10003', set: 'SHAPI-10003' },
  'sh.addShard': { standalone: 59, set: 59, sharded: 133 },
  'sh.addShardToZone': { standalone: 59, set: 59 },
  'sh.addShardTag': { standalone: 59, set: 59 },
  'sh.updateZoneKeyRange': { standalone: 59, set: 59 },
  'sh.addTagRange': { standalone: 59, set: 59 },
  'sh.removeRangeFromZone': { standalone: 59, set: 59 },
  'sh.removeTagRange': { standalone: 59, set: 59 },
  'sh.removeShardFromZone': { standalone: 59, set: 59 },
  'sh.removeShardTag': { standalone: 59, set: 59 },
  'sh.splitAt': { standalone: 59, set: 59 },
  'sh.splitFind': { standalone: 59, set: 59, sharded: 87 },
  'sh.moveChunk': { standalone: 59, set: 59 },
  'sh.moveRange': { standalone: 59, set: 59 },
  'sh.balancerCollectionStatus': { standalone: 59, set: 59 },
  'sh.enableMigrations': { standalone: 59, set: 59 },
  'sh.disableMigrations': { standalone: 59, set: 59 },
  'sh.isBalancerRunning': { standalone: 59, set: 59 },
  'sh.startBalancer': { standalone: 59, set: 59 },
  'sh.stopBalancer': { standalone: 59, set: 59 },
  'sh.setBalancerState': { standalone: 59, set: 59 },
  'sh.getShardedDataDistribution': { standalone: 6789100, set: 6789100 },
  'sh.shardAndDistributeCollection': { standalone: 59, set: 59 },
  'sh.moveCollection': { standalone: 59, set: 59, sharded: 26 },
  'sh.abortMoveCollection': { standalone: 59, set: 59, sharded: 330 },
  'sh.unshardCollection': { standalone: 59, set: 59 },
  'sh.abortUnshardCollection': { standalone: 59, set: 59, sharded: 330 },
  'sh.listShards': { standalone: 59, set: 59 },
  'sh.isConfigShardEnabled': { standalone: 59, set: 59 },
  'sh.shardDrainingStatus': 59,
  'sh.getTransitionToDedicatedConfigServerStatus': 59,
  'db.setProfilingLevel': { sharded: 2 },
};

let steps = 0, wrong = 0;
function report(name, ok, what) {
  steps++;
  if (!ok) wrong++;
  print(name, ok ? 'ok' : 'FAILED', ok ? '' : what);
}

for (const [object, methods] of [['db', db], ['rs', rs], ['sh', sh]]) {
  const listed = methods.help().attr.map((a) => a.name);
  for (const name of listed) {
    if (!calls[object][name]) report(`${object}.${name}`, false, 'help names it and this script does not call it');
  }
  for (const name of Object.keys(calls[object])) {
    const expected = fails[`${object}.${name}`];
    const want = typeof expected === 'object' ? expected[kind] : expected;
    try {
      const result = calls[object][name]();
      if (result && typeof result.toArray === 'function') result.toArray();
      report(`${object}.${name}`, want === undefined, `it works, want ${want}`);
    } catch (error) {
      report(`${object}.${name}`, want !== undefined && String(error.code ?? '') === String(want), error.message);
    }
  }
}
report('show dbs', db.adminCommand({ listDatabases: 1, nameOnly: true }).ok === 1);
report('a cursor that goes on', db.getSiblingDB('more').c.insertMany(Array.from({ length: 300 }, (_, i) => ({ _id: i }))).acknowledged &&
  db.getSiblingDB('more').c.find().toArray().length === 300);
try {
  admin.shutdownServer({ force: true });
  report('shutdownServer', true);
} catch (error) {
  report('shutdownServer', /closed|ECONN|network|socket/i.test(error.message), error.message);
}
print(steps, 'steps,', wrong, 'wrong');
if (wrong > 0) quit(1);
