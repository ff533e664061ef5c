import { Client } from 'undici';
import type { ModelProviderError } from '../llm.errors';
import { failureForAnswer, failureForConnection, failureForStatus, withoutKeys } from './refusals/provider-failure';

/** Milliseconds for the connection, and for each part of an answer. */
const TIMEOUT = 10_000;
/** The longest lists that are known have a megabyte. */
const MOST_BYTES = 8 * 1_024 * 1_024;
/** Of a thousand models each. */
const MOST_PAGES = 10;

/** Where a provider lists its models, and what it wants to be sent. */
interface ModelListRequest {
  address: URL;
  headers: Record<string, string>;
  /** Our key, which must not reach the log should the provider repeat it. */
  key: string | null;
}

interface ModelPage {
  data?: unknown;
  has_more?: unknown;
  last_id?: unknown;
}

/**
 * The ids of all models that a provider lists, page by page where it has pages (Anthropic), in its order. It follows no
 * redirect and reads no more than 8 MB.
 *
 * @throws ModelProviderError
 */
export async function readModels(request: ModelListRequest, signal: AbortSignal): Promise<string[]> {
  const client = new Client(request.address.origin, {
    connectTimeout: TIMEOUT,
    headersTimeout: TIMEOUT,
    bodyTimeout: TIMEOUT,
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
  { headers }: ModelListRequest,
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

/** @throws ModelProviderError when there is no answer, or one that is too large. */
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
    const all = { accept: 'application/json', ...headers };
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
      return { statusCode: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString('utf8') };
    }
  } catch (error) {
    throw failureForConnection(error, hasAnswerBegun);
  }
  throw failureForAnswer(`The list of models is larger than ${MOST_BYTES} bytes.`);
}
