let variantsOf: Map<string, string> | undefined;

/** All forms of a letter that differ only in case, including the letter itself: `σ`, `ς` and `Σ`. */
export function caseVariants(letter: string): string {
  variantsOf ??= allVariants();
  const variants = variantsOf.get(folded(letter));
  return variants?.includes(letter) ? variants : letter;
}

/**
 * The long s and similar Cyrillic letters. They count as different letters, because they would make every search for an
 * s slower.
 */
const OF_OLD_PRINTS = /[ſᲀ-ᲈ]/u;

/**
 * All letters except ASCII, which databases know themselves. The table is made at the first search; it takes some
 * hundredths of a second.
 */
function allVariants(): Map<string, string> {
  const variants = new Map<string, string>();
  for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint++) {
    const letter = String.fromCodePoint(codePoint);
    if (/\p{Changes_When_Casemapped}/u.test(letter) && !OF_OLD_PRINTS.test(letter)) {
      const key = folded(letter);
      variants.set(key, (variants.get(key) ?? key) + (letter === key ? '' : letter));
    }
  }
  return variants;
}

/** Goes through the capital letter, because `ς` and `σ` share one, and so do `ı` and `i`. */
function folded(letter: string): string {
  const small = letter === 'İ' ? 'i' : letter.toLowerCase();
  const again = small.toUpperCase().toLowerCase();
  return Array.from(again).length === 1 ? again : small;
}
