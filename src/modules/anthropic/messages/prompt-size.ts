import { countPdfPages } from '../../../integrations/llm/counting/pdf-pages';
import { binaryTokens, type EstimatedPart, pageTokens } from '../../../integrations/llm/counting/prompt-estimate';
import { estimateTokens } from '../../../integrations/llm/counting/token-estimate';
import type { PromptSize } from '../../generation/generation.api';
import type { MessageBody } from './message-request';

/** Tokens that the format adds to each message. */
const TOKENS_PER_MESSAGE = 4;

/** The members of a body that a model reads. */
const READ = ['system', 'messages', 'tools', 'output_config', 'mcp_servers'];

/** Members of blocks that a model does not read. */
const UNREAD = new Set(['type', 'id', 'tool_use_id', 'signature', 'cache_control']);

/** An image or a PDF of a block. */
interface FileSource {
  type: 'image' | 'file';
  /** Base64; an empty text if the provider fetches it. */
  data: string;
}

type EstimatedFile = Extract<EstimatedPart, { bytes: number; detail: unknown }>;

/** The prompt of a body, estimated without knowing all of its blocks. */
export interface RawPrompt {
  size: PromptSize;
  texts: string[];
  /** Tokens of images and files. */
  fileTokens: number;
}

/** Estimates the prompt of a body that is passed on. All texts count, so the estimate is rather too high. */
export async function promptOf(body: MessageBody): Promise<RawPrompt> {
  const texts: string[] = [];
  const sources: FileSource[] = [];
  READ.forEach((name) => collect(body[name], texts, sources));
  const files = await Promise.all(sources.map(estimatedFile));
  const fileTokens = files.reduce((sum, file) => sum + binaryTokens(file), 0);
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), fileTokens);
  const images = files.filter(({ type }) => type === 'image').length;
  return {
    texts,
    fileTokens,
    size: {
      tokens: tokens + body.messages.length * TOKENS_PER_MESSAGE,
      images,
      pageTokens: pageTokens(files),
      countedTokens: null,
    },
  };
}

/** Whether the last turn only has results of tools, and texts, after a call. It then continues the turn of the user. */
export function continuesTurn({ messages }: MessageBody): boolean {
  const turns = messages.filter((message) => roleOf(message) !== 'system');
  const blocks = blocksOf(turns.at(-1));
  const isResult = blocks.some(({ type }) => type === 'tool_result');
  const isOnlyResults = blocks.every(({ type }) => type === 'tool_result' || type === 'text');
  return isResult && isOnlyResults && blocksOf(turns.at(-2)).some(({ type }) => type === 'tool_use');
}

function collect(value: unknown, texts: string[], files: FileSource[]): void {
  if (typeof value === 'string') {
    texts.push(value);
  } else if (Array.isArray(value)) {
    value.forEach((item) => collect(item, texts, files));
  } else if (isObject(value)) {
    const file = fileIn(value);
    if (file !== null) {
      files.push(file);
    }
    for (const [name, member] of Object.entries(value)) {
      if (name === 'input' || name === 'input_schema') {
        texts.push(JSON.stringify(member));
      } else if (!UNREAD.has(name) && (file === null || name !== 'source')) {
        collect(member, texts, files);
      }
    }
  }
}

/** The image or file of a block. Null: the block has none, or its text. */
function fileIn({ type, source }: Record<string, unknown>): FileSource | null {
  const isFile = (type === 'image' || type === 'document') && isObject(source);
  if (!isFile || source.type === 'text' || source.type === 'content') {
    return null;
  }
  return { type: type === 'image' ? 'image' : 'file', data: typeof source.data === 'string' ? source.data : '' };
}

/** Pages of a PDF are counted, if it is in the body. */
async function estimatedFile({ type, data }: FileSource): Promise<EstimatedFile> {
  const bytes = Math.ceil((data.length * 3) / 4);
  const pages = type === 'file' && data !== '' ? await countPdfPages(Buffer.from(data, 'base64')) : null;
  const mediaType = type === 'file' ? 'application/pdf' : 'image/png';
  return { type, media_type: mediaType, name: null, detail: null, bytes, ...(pages !== null && { pages }) };
}

function roleOf(message: unknown): unknown {
  return isObject(message) ? message.role : null;
}

function blocksOf(message: unknown): readonly Record<string, unknown>[] {
  return isObject(message) && Array.isArray(message.content) ? message.content.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
