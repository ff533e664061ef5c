import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { ServiceOverloadedError } from '../errors/common.errors';
import { errorMessage } from '../errors/error-body';
import type { ErrorDialects } from '../errors/error-dialects';
import type { ApiPaths } from '../http/api-paths';
import { leaveUnread } from '../http/body/request-body';
import { inboundOrNewId } from '../http/request-id.middleware';
import { requestLanguage } from '../i18n/negotiate-language';
import { withParameter } from '../redirects/browser-page.filter';
import type { BrowserPages } from '../redirects/browser-pages';
import type { LoadGate } from './load-gate';

/** Seconds until refused clients retry. They are spread, so that the clients do not all return at once. */
const RETRY_SECONDS = { least: 1, most: 5 };

/**
 * For how long a refusal is reused, in milliseconds. Its time may be this much too early, and its clients get the same
 * number of seconds. Building a new one for each request would reduce the refusals per second by a tenth.
 */
const SAME_MILLISECONDS = 50;

/** Cached refusals, by API and language. */
const MOST_KEPT = 100;

/** What the refusals need of the application. */
export interface Refusing {
  gate: LoadGate;
  dialects: ErrorDialects;
  paths: ApiPaths;
  pages: BrowserPages;
  /** Paths that are served even during an overload. */
  urgent: readonly RegExp[];
  /** Origins whose scripts may read the response; `*`: all. */
  origins: readonly string[];
  exposedHeaders: readonly string[];
}

interface Refusal {
  status: number;
  headers: string[];
  body: string;
}

/**
 * Refuses a request during an overload, before any of it is read or looked up. A refusal only helps if it costs far
 * less than a response. It therefore bypasses the pipeline, and has only the headers that clients need.
 *
 * @returns whether it was refused
 */
export class OverloadRefuser {
  private readonly exposed: string;
  private readonly kept = new Map<string, Refusal>();
  private keptSince = 0;

  constructor(private readonly options: Refusing) {
    this.exposed = options.exposedHeaders.join();
  }

  refuses(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '/', method } = request;
    // A preflight is cheap, and without it the page could not read the refusal.
    if (method === 'OPTIONS' || this.isUrgent(url) || this.options.gate.takes(response)) {
      return false;
    }
    const id = inboundOrNewId(request);
    const { status, headers, body } = this.refusalOf(request, url, id);
    leaveUnread(request, response);
    response.writeHead(status, [...headers, ...this.ownHeaders(request, url, id)]);
    response.end(method === 'HEAD' ? undefined : body);
    return true;
  }

  private isUrgent(url: string): boolean {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    return this.options.urgent.some((pattern) => pattern.test(path));
  }

  private refusalOf(request: IncomingMessage, url: string, id: string): Refusal {
    if (performance.now() - this.keptSince > SAME_MILLISECONDS || this.kept.size >= MOST_KEPT) {
      this.kept.clear();
      this.keptSince = performance.now();
    }
    const page = request.method === 'GET' ? this.options.pages.returnPageOf(url) : undefined;
    if (page) {
      return redirectTo(page);
    }
    const isPage = page === null;
    const dialect = this.options.dialects.of(url);
    const key = `${isPage ? 'page' : dialect.names.body} ${request.headers['accept-language'] ?? ''}`;
    const known = this.kept.get(key);
    if (known !== undefined && dialect.namesRequest === undefined) {
      return known;
    }
    const { least, most } = RETRY_SECONDS;
    const seconds = least + Math.floor(Math.random() * (most - least + 1));
    const error = new ServiceOverloadedError(seconds);
    // The server creates requests that have the methods of Express from the start.
    const language = requestLanguage(request as Request);
    const body = isPage
      ? `${errorMessage(error, language)}\n`
      : JSON.stringify(dialect.body(error, language, url, undefined, id));
    const headers = {
      'Content-Type': `${isPage ? 'text/plain' : 'application/json'}; charset=utf-8`,
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'Retry-After': String(seconds),
      'X-Content-Type-Options': 'nosniff',
      // The body is not read yet, so it is unknown whether the caller reads only the message.
      'X-Error-Code': error.code,
      ...dialect.headers(error),
    };
    const refusal = { status: dialect.status(error), headers: Object.entries(headers).flat(), body };
    this.kept.set(key, refusal);
    return refusal;
  }

  private ownHeaders(request: IncomingMessage, url: string, id: string): string[] {
    const { origins } = this.options;
    const { origin } = request.headers;
    const isOpen = origins.includes('*');
    const { requestIdHeader } = this.options.paths.headersOf(url);
    const headers = ['X-Request-Id', id, ...(requestIdHeader === undefined ? [] : [requestIdHeader, id])];
    if (origin !== undefined && (isOpen || origins.includes(origin))) {
      headers.push('Access-Control-Allow-Origin', isOpen ? '*' : origin, 'Access-Control-Expose-Headers', this.exposed);
    }
    if (!isOpen && origins.length > 0) {
      headers.push('Vary', 'Origin');
    }
    return headers;
  }
}

/** A person sees the response, so the page shows the failure. */
function redirectTo(page: string): Refusal {
  const location = withParameter(page, 'error', ServiceOverloadedError.code);
  const headers = { Location: location, 'Content-Length': '0', 'Cache-Control': 'no-store' };
  return { status: 302, headers: Object.entries(headers).flat(), body: '' };
}
