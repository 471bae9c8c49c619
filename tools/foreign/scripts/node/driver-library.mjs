// The public names of the Node driver, and those that no script calls.
import { createRequire } from 'node:module';
import * as driver from 'mongodb';

const require = createRequire(import.meta.url);

export const library = {
  types: [require.resolve('mongodb/mongodb.d.ts')],
  owners: {
    ...driver, // without those that it exports as types alone
    ...require('mongodb/lib/bulk/common'),
    ...require('mongodb/lib/sdam/server_description'),
    ...require('mongodb/lib/sdam/topology_description'),
    ...require('mongodb/lib/mongo_types'),
  },
  uncalled: [
    ['it needs the package mongodb-client-encryption, whose part in C++ npm does not bring here', 'ClientEncryption.createDataKey', 'ClientEncryption.rewrapManyDataKey',
      'ClientEncryption.deleteKey', 'ClientEncryption.getKeys', 'ClientEncryption.getKey', 'ClientEncryption.getKeyByAltName', 'ClientEncryption.addKeyAltName', 'ClientEncryption.removeKeyAltName',
      'ClientEncryption.createEncryptedCollection', 'ClientEncryption.encrypt', 'ClientEncryption.encryptExpression', 'ClientEncryption.decrypt', 'ClientEncryption.libmongocryptVersion'],
    ['a bulk operation calls it of itself', 'OrderedBulkOperation.addToOperationsList', 'UnorderedBulkOperation.addToOperationsList', 'UnorderedBulkOperation.handleWriteError'],
  ],
};
