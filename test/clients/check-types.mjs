// Prints what is wrong with the types of a packed npm package, for each way in which programs resolve modules.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

const { types, problems } = await checkPackage(createPackageFromTarballData(readFileSync(process.argv[2])));
process.stdout.write(JSON.stringify(types ? problems : ['There are no types.']));
