import { API_PREFIX } from '../../../common/http/api-prefix';
import { contentOf, type ImageDetail, type TextPart } from '../../../integrations/llm/port/message-parts';
import type { SentPartDto } from './sent-part.dto';

/** What a client says: its text, and its parts in their order; null when it named none. */
export interface SentMessage {
  content: string;
  parts: readonly SentPart[] | null;
}

/** A part of a message as a client sends it. */
export type SentPart = TextPart | SentFile;

/** An image or a file: a URL, or the hash of a file that the user has. */
export interface SentFile {
  type: 'image' | 'file';
  /** Where it stands in the request, as `parts[1]`. */
  field: string;
  url: string;
  hash: string | null;
  name: string | null;
  detail: ImageDetail | null;
}

/** Pages of the AI SDK send back the URLs that they were given. */
const OWN_FILE = new RegExp(`^/${API_PREFIX}/chat/\\d+/messages/\\d+/files/([0-9a-f]{64})$`);

/** The message that a body has: its content comes before its parts, unless these say the same. */
export function sentMessage({ content, parts }: { content?: string | null; parts?: SentPartDto[] }): SentMessage {
  if (parts === undefined) {
    return { content: content ?? '', parts: null };
  }
  const sent = parts.map(toSentPart).filter((part) => part.type !== 'text' || part.text !== '');
  const hasContent = (content ?? '') !== '' && content !== textsOf(sent);
  const all: SentPart[] = hasContent ? [{ type: 'text', text: content as string }, ...sent] : sent;
  return { content: textsOf(all), parts: all };
}

export function isSentFile(part: SentPart): part is SentFile {
  return part.type !== 'text';
}

function textsOf(parts: readonly SentPart[]): string {
  return contentOf(parts.filter((part) => part.type === 'text'));
}

function toSentPart({ type, text = '', url = '', file, ...more }: SentPartDto, index: number): SentPart {
  if (type === 'text') {
    return { type, text };
  }
  const isImage = type === 'image' || /^image\//i.test(more.mediaType ?? '') || /^data:image\//i.test(url.slice(0, 20));
  return {
    type: isImage ? 'image' : 'file',
    field: `parts[${index}]`,
    url,
    hash: file ?? OWN_FILE.exec(url)?.[1] ?? null,
    name: more.name ?? more.filename ?? null,
    detail: more.detail ?? null,
  };
}
