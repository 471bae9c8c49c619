// Which public names of mongoose the scripts before this one called: mongoose-names.mjs URI
import { judge } from './names.mjs';
import { library } from './mongoose-library.mjs';

await judge(library, process.argv[2]);
