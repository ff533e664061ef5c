import { describeBuild } from '../common/build-facts';

/** `node dist/main.js --version`. It is the first import of the program, so nothing else is loaded. */
if (process.argv[2] === '--version') {
  process.stdout.write(`${describeBuild()}\n`);
  process.exit(0);
}
