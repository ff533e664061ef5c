// Prints the errors in the types of a packed npm package, for each module resolution mode.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

const { types, problems } = await checkPackage(createPackageFromTarballData(readFileSync(process.argv[2])));
process.stdout.write(JSON.stringify(types ? problems : ['There are no types.']));
