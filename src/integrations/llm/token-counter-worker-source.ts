/**
 * What the token counting worker runs, as text: a worker cannot load a TypeScript file, and a file beside this one would
 * lie elsewhere after the build than in the tests.
 *
 * The time to tokenize a run without breaks grows with the square of its length, so text is counted in slices. They end
 * before a blank between two words or before a Chinese or Japanese stop, where no token spans the cut and the sum stays
 * exact; only a run of `SLICE` characters without such a place is cut between any two, which may add a token.
 */
export const TOKEN_WORKER_SOURCE = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { countTokens, setMergeCacheSize } = require(workerData.tokenizer);
const SLICE = 1000;
const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
setMergeCacheSize(10000);

function isBoundary(before, character, after) {
  return character === ' '
    ? /\\S/.test(before) && /\\S/.test(after)
    : '，。！？；：、'.includes(character) && /\\p{L}/u.test(before);
}

function sliceEnd(text, start) {
  const limit = start + SLICE;
  if (limit >= text.length) {
    return text.length;
  }
  for (let end = limit; end > start + 1; end--) {
    if (isBoundary(text[end - 1], text[end], text[end + 1] ?? ' ')) {
      return end;
    }
  }
  return /[\\ud800-\\udbff]/.test(text[limit - 1]) ? limit - 1 : limit;
}

function count(text) {
  let tokens = 0;
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start);
    tokens += countTokens(text.slice(start, end), options);
    start = end;
  }
  return tokens;
}

parentPort.on('message', ({ id, texts }) => parentPort.postMessage({ id, counts: texts.map(count) }));
`;
