import { fileURLToPath } from 'node:url';

/** The call in a line of a stack: `at Object.<anonymous> (/path/file.js:1:2)`, `at file:///path/file.mjs:1:2`. */
const PLACE = /(?:\(|at )(\/[^(]*|file:[^(]*|[A-Z]:[^(]*):\d+:\d+\)?$/;

/** The file that called the function which calls this one; undefined if the stack does not show it. */
export function callerFile(): string | undefined {
  const [, , , line = ''] = (new Error().stack ?? '').split('\n');
  const [, place] = PLACE.exec(line) ?? [];
  return place?.startsWith('file:') ? fileURLToPath(place) : place;
}
