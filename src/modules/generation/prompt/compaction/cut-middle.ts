import { beginningOf, characterStart } from '../../../../common/text/surrogate-pairs';
import { estimateTokens } from '../../../../integrations/llm/counting/token-estimate';

/** More UTF-16 units than any token has by estimate: a long text is cut to what may fit before it is counted. */
const UNITS_PER_TOKEN = 4;

const CUT = '\n[…]\n';

/** Beginning and end of a text that has more tokens. */
export function cutMiddle(text: string, tokens: number): string {
  let cut = halves(text, (tokens * UNITS_PER_TOKEN) / 2);
  for (let length = cut.length / 2; length > 1 && estimateTokens(cut) > tokens;) {
    length = Math.floor(length * 0.75);
    cut = halves(text, length);
  }
  return cut;
}

function halves(text: string, length: number): string {
  return text.length <= 2 * length
    ? text
    : beginningOf(text, Math.floor(length)) + CUT + text.slice(characterStart(text, text.length - Math.floor(length)));
}
