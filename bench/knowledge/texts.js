/** So many words of a made-up language, whose frequencies fall as in natural languages (Zipf). */
const VOCABULARY = 20_000;

/** The words of the measured searches, and in which passages they are. */
const WORDS = {
  rare: { word: 'quetzal', every: 3_000 },
  common: { word: 'common', every: 3 },
};

/**
 * Texts of 100 words each, the same in each run.
 *
 * @param {number} seed
 * @returns {() => string} the next text
 */
function textsFrom(seed) {
  const random = numbersFrom(seed);
  let number = 0;
  return () => {
    const words = Array.from({ length: 98 }, () => wordOf(Math.floor(VOCABULARY ** random())));
    for (const { word, every } of Object.values(WORDS)) {
      words.push(number % every === 1 ? word : wordOf(Math.floor(VOCABULARY ** random())));
    }
    number++;
    return words.join(' ');
  };
}

/** @returns {() => number} numbers from 0 to 1, the same in each run */
function numbersFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

function wordOf(rank) {
  const letters = (rank * 7_919 + 13).toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[digit]);
  return rank % 4 === 0 ? `${letters}ing` : letters;
}

module.exports = { WORDS, numbersFrom, textsFrom };
