// The public names of mongoose, and those that no script calls.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import mongoose from 'mongoose';

const require = createRequire(import.meta.url);
const types = path.join(path.dirname(require.resolve('mongoose/package.json')), 'types');
const { Schema } = mongoose;

export const library = {
  types: fs.readdirSync(types).filter((name) => name.endsWith('.d.ts')).map((name) => path.join(types, name)),
  owners: {
    '': [mongoose, mongoose.Mongoose], // the package makes some functions properties of its own instance
    ...mongoose,
    Cursor: require('mongoose/lib/cursor/queryCursor'),
    Connection: [require('mongoose/lib/drivers/node-mongodb-native/connection'), require('mongoose/lib/connection')],
    ...Object.fromEntries(Object.entries(Schema.Types).map(([name, type]) => [`Schema.Types.${name}`, type])),
    ...Object.fromEntries(Object.entries(mongoose.Types).map(([name, type]) => [`Types.${name}`, type])),
    'Types.Array': require('mongoose/lib/types/array/methods'),
    'Types.DocumentArray': require('mongoose/lib/types/documentArray/methods'),
    ...Object.fromEntries(Object.entries(mongoose.Error).map(([name, type]) => [`Error.${name}`, type])),
  },
  uncalled: [
    ['it puts another driver into the place of the Node driver', 'setDriver'],
    ['it needs the package mongodb-client-encryption, whose part in C++ npm does not bring here', 'Model.clientEncryption'],
    ['another name of the type Schema.Types.ObjectId', 'Schema.ObjectId'],
  ],
};
