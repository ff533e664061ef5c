let variantsOf: Map<string, string> | undefined;

/** The letters that are the same one but for their case, the letter itself among them: `σ`, `ς` and `Σ`. */
export function caseVariants(letter: string): string {
  variantsOf ??= allVariants();
  return variantsOf.get(folded(letter)) ?? letter;
}

/**
 * All letters but those of ASCII, which databases know. Made when the first search comes: it takes some hundredths of a
 * second.
 */
function allVariants(): Map<string, string> {
  const variants = new Map<string, string>();
  for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint++) {
    const letter = String.fromCodePoint(codePoint);
    const key = /\p{Changes_When_Casemapped}/u.test(letter) ? folded(letter) : 's';
    // The long s of old prints stays a letter of its own: every search for an s would pay for it.
    if (key !== 's') {
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
