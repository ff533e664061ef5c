import type { ImageDetail } from '../../../integrations/llm/port/message-parts';

/** An image or a file as a request names it. */
export interface FileReference {
  /** The parameter, as `messages[0].content[1].image_url.url`. */
  field: string;
  type: 'image' | 'file';
  /** A data URL in base64, or an http(s) URL. Of a file also bare base64 (`file_data`). */
  url: string;
  /** The name that the client gave it. */
  name: string | null;
  detail: ImageDetail | null;
  /** Gets the content of a file that is here already; absent: the URL has it, or leads to it. */
  load?: () => Promise<FoundContent>;
}

/** What a reference leads to. */
export interface FoundContent {
  bytes: Buffer;
  /** The media type that the source names, with its parameters; it may be wrong. */
  declaredType: string | null;
  /** A name that the source suggests. */
  name: string | null;
}

/** The largest image or file. */
export const FILE_LIMIT_BYTES = 10 * 1_048_576;
