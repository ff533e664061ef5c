let variantsOf: Map<string, string> | undefined;

/** The letters that are the same one but for their case, the letter itself among them: `σ`, `ς` and `Σ`. */
export function caseVariants(letter: string): string {
  variantsOf ??= allVariants();
  const variants = variantsOf.get(folded(letter));
  return variants?.includes(letter) ? variants : letter;
}

/** The long s and its Cyrillic likes: they stay letters of their own, since every search for an s would pay for them. */
const OF_OLD_PRINTS = /[ſᲀ-ᲈ]/u;

/**
 * All letters but those of ASCII, which databases know. Made when the first search comes: it takes some hundredths of a
 * second.
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

/** By way of the capital, in which `ς` and `σ` are one letter, and `ı` and `i`. */
function folded(letter: string): string {
  const small = letter === 'İ' ? 'i' : letter.toLowerCase();
  const again = small.toUpperCase().toLowerCase();
  return Array.from(again).length === 1 ? again : small;
}
