import { type Hooks, Tokenizer, type Tokens } from 'marked';
import { readFence } from './fence';
import { endOfAddress, marksAsLetters, touchesWord } from './unspaced-scripts';

/**
 * The mask in which delimiter runs are matched. Importing the `Hooks` class would add the HTML renderer to the bundle.
 */
export const chatHooks = { emStrongMask: marksAsLetters } as Hooks;

/** Tokenizes syntax that models use but CommonMark does not define. */
export class ChatTokenizer extends Tokenizer {
  override fences(source: string): Tokens.Code | undefined {
    return readFence(source);
  }

  override emStrong(source: string, masked: string, previous = ''): Tokens.Em | Tokens.Strong | undefined {
    return super.emStrong(source, masked, source.startsWith('*') ? before(source, masked, previous) : previous);
  }

  /** A single `~` does not strike text through, as in `10~20`. */
  override del(source: string, masked: string, previous = ''): Tokens.Del | undefined {
    return source.startsWith('~~') ? super.del(source, masked, before(source, masked, previous)) : undefined;
  }

  override url(source: string): Tokens.Link | undefined {
    const address = /^(?:(?:https?|ftp):\/\/|www\.)[^\s<]*/i.exec(source)?.[0];
    return super.url(address === undefined ? source : address.slice(0, endOfAddress(address)));
  }
}

/** The character before a run. A space is returned if that character must not prevent the run from opening emphasis. */
function before(source: string, masked: string, previous: string): string {
  return touchesWord(masked, masked.length - source.length) ? ' ' : previous;
}
