/** An address of model text that a person may open, with what they should know about it. */
export interface SafeLink {
  href: string;
  /** Where it leads: the host, or the address of a mail. */
  place: string;
  /** Whether it sends along more than a place: then the person sees the whole address before it is opened. */
  carriesData: boolean;
}

/** Longer paths may hold text of the chat. */
const LONG_PATH = 100;

/** Null for what is no web or mail address: `javascript:`, `data:`, paths of this service. */
export function safeLink(address: string): SafeLink | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === 'mailto:') {
    return { href: url.href, place: withoutBidi(decoded(url.pathname)), carriesData: url.search !== '' };
  }
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null;
  const carriesData = url.search !== '' || url.hash.length > LONG_PATH || url.pathname.length > LONG_PATH;
  // Before an @ could stand another host, for eyes only.
  url.username = '';
  url.password = '';
  return { href: url.href, place: url.host, carriesData };
}

/** Whether the words of a link already say where it leads. */
export function showsAddress(words: string, { href, place }: SafeLink): boolean {
  const bare = (address: string): string => address.replace(/^(https?:\/\/|mailto:)/, '').replace(/\/$/, '');
  const text = bare(words.trim());
  return text === place || text === bare(href) || text === decoded(bare(href));
}

/** Without the marks that turn the direction of writing around, which can make a text read as another. */
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
