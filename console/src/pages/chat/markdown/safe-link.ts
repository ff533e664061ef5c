/** An address in a model's text that is safe to open, with facts that the user should know. */
export interface SafeLink {
  href: string;
  /** Its target: the host or the mail address. */
  place: string;
  /** Whether the address contains more than a target. Then the user sees the whole address before it opens. */
  carriesData: boolean;
}

/** Longer paths may contain text from the chat. */
const LONG_PATH = 100;

/** Returns null for other than web and mail addresses: `javascript:`, `data:`, paths of this service. */
export function safeLink(address: string): SafeLink | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === 'mailto:') {
    return { href: url.href, place: withoutBidi(decoded(url.pathname)), carriesData: url.search !== '' };
  }
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null;
  const carriesData = url.search !== '' || url.hash.length > LONG_PATH || url.pathname.length > LONG_PATH;
  // The part before an @ could imitate another host.
  url.username = '';
  url.password = '';
  return { href: url.href, place: url.host, carriesData };
}

/** Whether the text of a link already shows its target. */
export function showsAddress(words: string, { href, place }: SafeLink): boolean {
  const bare = (address: string): string => address.replace(/^(https?:\/\/|mailto:)/, '').replace(/\/$/, '');
  const text = bare(words.trim());
  return text === place || text === bare(href) || text === decoded(bare(href));
}

/** Removes direction marks, which can disguise a text as another. */
export function withoutBidi(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
