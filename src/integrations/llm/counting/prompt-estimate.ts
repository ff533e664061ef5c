import type { ModelMessage, ModelParameters } from '../port/language-model-provider';
import type { BinaryPart, CompactionPart, MessagePart, ResponseFormat, ToolDefinition } from '../port/message-parts';
import { estimateTokens } from './token-estimate';

/** Tokens of a prompt that are kept free for the sentences that the service itself adds to it. */
export const ADDED_TOKENS = 40;

/** Tokens that the chat format adds to each message. */
const TOKENS_PER_MESSAGE = 4;

/**
 * An image whose size is not known. Anthropic takes width × height / 750, and makes larger images smaller to about 1,600
 * (docs: Vision). OpenAI takes 85, and 170 for each tile of 512 pixels: 765 for a square, 1,445 for a long image (docs:
 * Images and vision, Calculating costs).
 */
const TOKENS_PER_IMAGE = 1_600;
/** The same with `detail: low`: 85 at OpenAI. Other providers do not look at `detail`. */
const TOKENS_PER_LOW_IMAGE = 100;

/** A page of a PDF is text and image at once: 1,500 to 3,000 tokens (Anthropic, PDF support). */
const TOKENS_PER_PAGE = 3_000;
/** Of a PDF whose pages cannot be counted. Anthropic takes no more (PDF support). */
const UNREADABLE_PAGES = 100;
/** What a PDF of unknown pages may take at most. */
export const TOKENS_PER_UNREADABLE = UNREADABLE_PAGES * TOKENS_PER_PAGE;
/** Whether a prompt fits must not depend on pages: providers that read only the text of a PDF take far less for each. */
const TOKENS_PER_DOCUMENT = 3_000;
/** A large document mostly has more images, not more text: with less, few of 10 MiB would fit any window. */
const DOCUMENT_BYTES_PER_TOKEN = 250;
/** Text files are not read for an estimate: no script needs fewer bytes for a token. */
const TEXT_BYTES_PER_TOKEN = 3;
/** A sealed text is in base64. */
const CHARACTERS_PER_SEALED_BYTE = 4 / 3;

/** A part as it is sent, or as it is stored: then its size is known, and not its bytes. */
export type EstimatedPart = Exclude<MessagePart, BinaryPart> | EstimatedFile | CompactionPart;

type EstimatedFile = Omit<BinaryPart, 'data'> & ({ data: Uint8Array } | { bytes: number });

/** Estimated tokens of a prompt; rather too many than too few. */
export function estimatePrompt(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

export function estimateMessage({ content, parts }: ModelMessage): number {
  return (parts === undefined ? estimateTokens(content) : estimateParts(parts)) + TOKENS_PER_MESSAGE;
}

/** Estimated tokens of the parts of a message. */
export function estimateParts(parts: readonly EstimatedPart[]): number {
  return parts.reduce((sum, part) => sum + estimatePart(part), 0);
}

/** Estimated tokens of functions that a model is told of. */
export function estimateTools(tools: readonly ToolDefinition[]): number {
  return tools.reduce((sum, tool) => sum + estimateTokens(toolText(tool)), 0);
}

/** The text of a part that a model reads; empty for images, files, sealed texts, and reasoning, which is not sent again. */
export function partText(part: EstimatedPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool_call':
      return `${part.name} ${part.arguments}`;
    case 'tool_result':
      return part.content;
    default:
      return '';
  }
}

/** What a model reads of the schema that its reply must follow: providers put it into the prompt. */
export function formatText(format: ResponseFormat | undefined): string {
  return format?.type === 'json_schema'
    ? `${format.name} ${format.description ?? ''} ${JSON.stringify(format.schema)}`
    : '';
}

/** What a model reads of a function. */
export function toolText({ name, description, parameters }: ToolDefinition): string {
  return `${name} ${description ?? ''} ${JSON.stringify(parameters ?? {})}`;
}

/** Tokens of an image or another file: providers count what they make of it, which nobody else can. */
export function binaryTokens(file: EstimatedFile): number {
  if (file.type === 'image') {
    return file.detail === 'low' ? TOKENS_PER_LOW_IMAGE : TOKENS_PER_IMAGE;
  }
  const bytes = 'data' in file ? file.data.length : file.bytes;
  return file.media_type.startsWith('text/')
    ? Math.ceil(bytes / TEXT_BYTES_PER_TOKEN)
    : TOKENS_PER_DOCUMENT + Math.ceil(bytes / DOCUMENT_BYTES_PER_TOKEN);
}

/** Tokens that the pages of PDFs may take beyond `binaryTokens`. */
export function pageTokens(parts: readonly EstimatedPart[]): number {
  return parts.reduce(
    (sum, part) => sum + (isPdf(part) ? Math.max(0, tokensOfPages(part) - binaryTokens(part)) : 0),
    0,
  );
}

function isPdf(part: EstimatedPart): part is EstimatedFile {
  return part.type === 'file' && part.media_type === 'application/pdf';
}

function tokensOfPages({ pages = UNREADABLE_PAGES }: EstimatedFile): number {
  return pages * TOKENS_PER_PAGE;
}

function estimatePart(part: EstimatedPart): number {
  switch (part.type) {
    case 'image':
    case 'file':
      return binaryTokens(part);
    case 'compaction':
      return Math.ceil(part.encrypted_content.length / CHARACTERS_PER_SEALED_BYTE / TEXT_BYTES_PER_TOKEN);
    default:
      return estimateTokens(partText(part));
  }
}

/** Tokens for the reply when nobody names a limit; at most a quarter of the window. */
const REPLY_TOKENS = 1_024;

/**
 * Tokens that a window leaves for the prompt.
 *
 * @param window tokens of prompt and reply together
 */
export function promptRoom(window: number, { max_completion_tokens, max_tokens }: ModelParameters): number {
  const reply = max_completion_tokens ?? max_tokens ?? REPLY_TOKENS;
  return window - Math.min(reply, Math.floor(window / 4));
}
