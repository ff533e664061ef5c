import { Pool } from '../../../common/undici';
import {
  EmbeddingAnswerError,
  EmbeddingLostError,
  type EmbeddingRequest,
  type EmbeddingResult,
} from '../port/embedding';
import { ModelProviderError } from '../port/llm.errors';
import { ForbiddenProviderError, type ProviderTargets } from '../providers/provider-targets';
import type { ProviderAccess } from './event-stream-client';
import { failureForConnection, failureForStatus, withoutKeys } from './refusals/provider-failure';

const CONNECT_MILLISECONDS = 10_000;

/** 2,048 vectors of 4,096 numbers as text. */
const MOST_BYTES = 256 * 1_048_576;

/** Nothing was sent. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const FLOAT_BYTES = 4;

/** Posts to OpenAI's `/embeddings` of one provider. Its connections open with the first request. */
export class EmbeddingsClient {
  private pool: Pool | null = null;

  constructor(
    private readonly access: ProviderAccess,
    private readonly targets: ProviderTargets,
  ) {}

  /**
   * @throws ModelProviderError if the request was definitely not executed; EmbeddingLostError if that is unknown;
   * EmbeddingAnswerError
   */
  async embed(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResult> {
    const { address, key } = this.access;
    const refusal = this.targets.refusalOf(address);
    if (refusal !== null) {
      throw failureForConnection(refusal, false);
    }
    try {
      return resultOf(await this.post(bodyOf(request), signal, request.traceparent), countOf(request));
    } catch (error) {
      withoutKeys(error as Error, key);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.pool?.destroy();
  }

  private async post(body: string, signal: AbortSignal, traceparent?: string): Promise<string> {
    const { address, headers } = this.access;
    this.pool ??= new Pool(address.origin, {
      connectTimeout: CONNECT_MILLISECONDS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: this.targets.lookupFor(address) },
    });
    try {
      const answer = await this.pool.request({
        method: 'POST',
        path: address.pathname + address.search,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(traceparent !== undefined && { traceparent }),
          ...headers,
        },
        body,
        signal,
      });
      const text = await read(answer.body as AsyncIterable<Buffer>);
      if (answer.statusCode !== 200) {
        throw failureForStatus(answer.statusCode, text, answer.headers['retry-after']);
      }
      return text;
    } catch (error) {
      throw error instanceof ModelProviderError || error instanceof EmbeddingAnswerError ? error : lossOf(error);
    }
  }
}

function lossOf(error: unknown): Error {
  const isUnsent =
    error instanceof ForbiddenProviderError || UNSENT.has(String((error as NodeJS.ErrnoException | null)?.code));
  return isUnsent
    ? failureForConnection(error, false)
    : new EmbeddingLostError('The provider has not answered.', { cause: error });
}

async function read(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MOST_BYTES) {
      throw new EmbeddingAnswerError('The response is too large.');
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function bodyOf({ model, input, dimensions, user }: EmbeddingRequest): string {
  return JSON.stringify({
    model,
    input,
    encoding_format: 'base64',
    ...(dimensions !== null && { dimensions }),
    ...(user !== undefined && { user }),
  });
}

function countOf({ input }: EmbeddingRequest): number {
  return typeof input === 'string' || typeof input[0] === 'number' ? 1 : input.length;
}

interface AnsweredVector {
  index?: unknown;
  embedding?: unknown;
}

/** @throws EmbeddingAnswerError */
function resultOf(text: string, count: number): EmbeddingResult {
  const answer = parsed(text);
  const prompt = answer.usage?.prompt_tokens ?? answer.usage?.total_tokens;
  const tokens = Number.isSafeInteger(prompt) && (prompt as number) >= 0 ? (prompt as number) : null;
  const vectors: Float32Array[] = [];
  const data: AnsweredVector[] = Array.isArray(answer.data) ? (answer.data as AnsweredVector[]) : [];
  data.forEach(({ index, embedding }, position) => {
    vectors[Number.isSafeInteger(index) ? (index as number) : position] = vectorOf(embedding, tokens);
  });
  const isWhole = data.length === count && vectors.length === count && !vectors.includes(undefined as never);
  if (!isWhole || vectors.some(({ length }) => length !== vectors[0]?.length)) {
    throw new EmbeddingAnswerError('The provider has not sent one vector for each input.', tokens);
  }
  return { vectors, tokens, model: typeof answer.model === 'string' ? answer.model : null };
}

function parsed(text: string): { data?: unknown; model?: unknown; usage?: Record<string, unknown> } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    throw new EmbeddingAnswerError('The response is not JSON.');
  }
}

/** Providers that do not know `base64` send numbers. */
function vectorOf(embedding: unknown, tokens: number | null): Float32Array {
  const vector = typeof embedding === 'string' ? fromBase64(embedding) : Float32Array.from(numbersOf(embedding));
  if (vector.length === 0 || !vector.every(Number.isFinite)) {
    throw new EmbeddingAnswerError('A vector has values that are no numbers.', tokens);
  }
  return vector;
}

function numbersOf(embedding: unknown): number[] {
  const isList = Array.isArray(embedding) && embedding.every((value) => typeof value === 'number');
  return isList ? embedding : [NaN];
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  const vector = new Float32Array(Math.floor(bytes.length / FLOAT_BYTES));
  vector.forEach((_value, index) => (vector[index] = bytes.readFloatLE(index * FLOAT_BYTES)));
  return bytes.length % FLOAT_BYTES === 0 ? vector : Float32Array.of(NaN);
}
