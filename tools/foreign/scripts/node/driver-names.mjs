// Which public names of the Node driver the scripts before this one called: driver-names.mjs URI
import { judge } from './names.mjs';
import { library } from './driver-library.mjs';

await judge(library, process.argv[2]);
