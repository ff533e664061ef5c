/* The tokens of the service's counter (o200k_base), in the process that cuts. Loading takes a tenth of a second. */

type CountTokens = (text: string) => number;

let loaded: CountTokens | undefined;

/** Counts the tokens of a short text. A long run without breaks takes quadratic time. */
export function tokenCounting(): CountTokens {
  if (loaded === undefined) {
    // oxlint-disable-next-line typescript/no-require-imports
    const { countTokens, setMergeCacheSize } = require('gpt-tokenizer/encoding/o200k_base') as {
      countTokens: (text: string, options: object) => number;
      setMergeCacheSize: (size: number) => void;
    };
    const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
    setMergeCacheSize(100_000);
    loaded = (text) => countTokens(text, options);
  }
  return loaded;
}
