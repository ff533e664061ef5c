import { Client } from '../../../common/undici';
import { ModelProviderError } from '../port/llm.errors';
import type { ProviderTargets } from '../providers/provider-targets';
import { compressionOf, decompress } from './answer-decoder';
import type { ProviderAccess } from './event-stream-client';
import { failureForAnswer, failureForConnection, failureForStatus, withoutKeys } from './refusals/provider-failure';

/** Time limit for the connection, and for each part of a response. */
const ANSWER_MILLISECONDS = 10_000;
/** Known lists have at most a megabyte. */
const MOST_BYTES = 8 * 1_024 * 1_024;
/** Pages of a thousand models each. */
const MOST_PAGES = 10;

interface ModelPage {
  data?: unknown;
  has_more?: unknown;
  last_id?: unknown;
}

/**
 * The ids of all models that a provider lists, in its order. Reads all pages (Anthropic has pages), follows no
 * redirects and reads at most 8 MB.
 *
 * @throws ModelProviderError
 */
export async function readModels(
  request: ProviderAccess,
  targets: ProviderTargets,
  signal: AbortSignal,
): Promise<string[]> {
  const refusal = targets.refusalOf(request.address);
  if (refusal !== null) {
    throw failureForConnection(refusal, false);
  }
  const client = new Client(request.address.origin, {
    connectTimeout: ANSWER_MILLISECONDS,
    headersTimeout: ANSWER_MILLISECONDS,
    bodyTimeout: ANSWER_MILLISECONDS,
    connect: { lookup: targets.lookupFor(request.address) },
  });
  const address = new URL(request.address);
  const ids: string[] = [];
  try {
    for (let page = 0; page < MOST_PAGES; page++) {
      const { data, has_more, last_id } = await readPage(client, address, request, signal);
      if (!Array.isArray(data)) {
        throw failureForAnswer('The list of models has no `data`.');
      }
      ids.push(...data.map((model: { id?: unknown } | null) => model?.id).filter((id) => typeof id === 'string'));
      if (has_more !== true || typeof last_id !== 'string') {
        break;
      }
      address.searchParams.set('after_id', last_id);
    }
    return ids;
  } catch (error) {
    withoutKeys(error as ModelProviderError, request.key);
    throw error;
  } finally {
    await client.destroy();
  }
}

async function readPage(
  client: Client,
  { pathname, search }: URL,
  { headers }: ProviderAccess,
  signal: AbortSignal,
): Promise<ModelPage> {
  const { statusCode, headers: answered, text } = await ask(client, pathname + search, headers, signal);
  if (statusCode !== 200) {
    throw failureForStatus(statusCode, text, answered['retry-after']);
  }
  try {
    return (JSON.parse(text) ?? {}) as ModelPage;
  } catch {
    throw failureForAnswer(`The list of models is not JSON: ${text}`);
  }
}

/** @throws ModelProviderError if there is no response, or it is too large */
async function ask(
  client: Client,
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<{ statusCode: number; headers: Record<string, string | string[] | undefined>; text: string }> {
  let hasAnswerBegun = false;
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    const all = { accept: 'application/json', 'accept-encoding': 'identity', ...headers };
    const answer = await client.request({ method: 'GET', path, headers: all, signal });
    hasAnswerBegun = true;
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MOST_BYTES) {
        break;
      }
      parts.push(part);
    }
    if (bytes <= MOST_BYTES) {
      const compression = compressionOf(answer.headers['content-encoding']);
      const text = (await decompress(Buffer.concat(parts), compression, MOST_BYTES)).toString('utf8');
      return { statusCode: answer.statusCode, headers: answer.headers, text };
    }
  } catch (error) {
    throw error instanceof ModelProviderError ? error : failureForConnection(error, hasAnswerBegun);
  }
  throw failureForAnswer(`The list of models is larger than ${MOST_BYTES} bytes.`);
}
