import type { ModelMessage, ModelParameters } from '../port/language-model-provider';
import type {
  BinaryPart,
  CompactionPart,
  MessagePart,
  ResponseFormat,
  SearchedFile,
  ToolDefinition,
} from '../port/message-parts';
import { estimateTokens } from './token-estimate';

/** Tokens of a prompt that are reserved for the sentences that the service itself adds. */
export const ADDED_TOKENS = 40;

/** Tokens that the chat format adds to each message. */
const TOKENS_PER_MESSAGE = 4;

/**
 * An image of unknown size. Anthropic counts width × height / 750, and shrinks larger images to about 1,600 tokens
 * (docs: Vision). OpenAI counts 85, and 170 for each tile of 512 pixels: 765 for a square, 1,445 for a long image
 * (docs: Images and vision, Calculating costs).
 */
const TOKENS_PER_IMAGE = 1_600;
/** An image with `detail: low`: 85 at OpenAI. Other providers ignore `detail`. */
const TOKENS_PER_LOW_IMAGE = 100;

/** A page of a PDF is both text and image: 1,500 to 3,000 tokens (Anthropic, PDF support). */
const TOKENS_PER_PAGE = 3_000;
/** Assumed for a PDF whose pages cannot be counted. Anthropic accepts no more (PDF support). */
const UNREADABLE_PAGES = 100;
/** Most tokens of a PDF with unknown pages. */
export const TOKENS_PER_UNREADABLE = UNREADABLE_PAGES * TOKENS_PER_PAGE;
/**
 * Whether a prompt fits must not depend on pages: providers that read only the text of a PDF use far fewer tokens per
 * page.
 */
const TOKENS_PER_DOCUMENT = 3_000;
/**
 * A large document usually has more images, not more text. With a lower value, few documents of 10 MiB would fit any
 * window.
 */
const DOCUMENT_BYTES_PER_TOKEN = 250;
/** Text files are not read for an estimate. No script uses fewer bytes per token. */
const TEXT_BYTES_PER_TOKEN = 3;
/** A sealed text is encoded as base64. */
const CHARACTERS_PER_SEALED_BYTE = 4 / 3;

/** A part as it is sent, or as it is stored: then its size is known, but not its bytes. */
export type EstimatedPart = Exclude<MessagePart, BinaryPart> | EstimatedFile | CompactionPart | SearchedFile;

type EstimatedFile = Omit<BinaryPart, 'data'> & ({ data: Uint8Array } | { bytes: number });

/** Estimated tokens of a prompt, rather too many than too few. */
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

/** Estimated tokens of the functions that are offered to a model. */
export function estimateTools(tools: readonly ToolDefinition[]): number {
  return tools.reduce((sum, tool) => sum + estimateTokens(toolDefinitionText(tool)), 0);
}

/**
 * The text of a part that a model reads; empty for images, files, sealed texts, and reasoning, which is not sent again.
 */
export function partText(part: EstimatedPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool_call':
      return `${part.name} ${part.arguments}`;
    case 'tool_result':
      return part.content;
    case 'searched_file':
      return part.note ?? part.name;
    default:
      return '';
  }
}

/** The text that a model reads of its response schema, because providers put the schema into the prompt. */
export function formatText(format: ResponseFormat | undefined): string {
  return format?.type === 'json_schema'
    ? `${format.name} ${format.description ?? ''} ${JSON.stringify(format.schema)}`
    : '';
}

/** The text that a model reads of a function. */
export function toolDefinitionText({ name, description, parameters }: ToolDefinition): string {
  return `${name} ${description ?? ''} ${JSON.stringify(parameters ?? {})}`;
}

/**
 * Estimated tokens of an image or another file. Providers count their own internal representation, which the service
 * cannot know.
 */
export function binaryTokens(file: EstimatedFile): number {
  if (file.type === 'image') {
    return file.detail === 'low' ? TOKENS_PER_LOW_IMAGE : TOKENS_PER_IMAGE;
  }
  const bytes = 'data' in file ? file.data.length : file.bytes;
  return file.media_type.startsWith('text/')
    ? Math.ceil(bytes / TEXT_BYTES_PER_TOKEN)
    : TOKENS_PER_DOCUMENT + Math.ceil(bytes / DOCUMENT_BYTES_PER_TOKEN);
}

/** Tokens that the pages of PDFs may use beyond `binaryTokens`. */
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

/** Tokens reserved for the reply if no limit is set; at most a quarter of the window. */
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
