import { Injectable } from '@nestjs/common';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { OutboundHttpClient } from '../../../integrations/outbound-http/outbound-http-client';
import { FILE_LIMIT_BYTES, type FileReference, type FoundContent } from './file-reference';
import { FileTooLargeError, FileUnreadableError, FileUrlForbiddenError } from './input-file.errors';

/** Files that are fetched at once, for all callers: each may take 10 MiB of memory. */
const MOST_AT_ONCE = 8;

/** Files that wait for their turn. */
const MOST_WAITING = 100;

/** How long one file may take. */
const TIME_LIMIT_MILLISECONDS = 10_000;

const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'chat-service-files/1' };

/** Fetches images and files by http(s), through the guard of all requests to addresses that users chose. */
@Injectable()
export class RemoteFiles {
  /** Not configuration: tests set it. */
  timeLimitMilliseconds = TIME_LIMIT_MILLISECONDS;
  private readonly turns = bulkhead(MOST_AT_ONCE, MOST_WAITING);

  constructor(private readonly client: OutboundHttpClient) {}

  /**
   * @param signal ends it early
   * @throws FileUrlForbiddenError, FileUnreadableError, FileTooLargeError, ServiceUnavailableError when too many wait
   */
  async fetch({ field, url }: FileReference, signal: AbortSignal): Promise<FoundContent> {
    if (!/^https?:/i.test(url) || !URL.canParse(url)) {
      throw new FileUnreadableError(field, 'malformed');
    }
    const request = { url: new URL(url), headers: HEADERS, limitBytes: FILE_LIMIT_BYTES };
    const timeoutMilliseconds = this.timeLimitMilliseconds;
    const result = await this.inTurn(() => this.client.download({ ...request, timeoutMilliseconds, signal }));
    if ('failure' in result) {
      switch (result.failure) {
        case 'forbidden_target':
          throw new FileUrlForbiddenError(field);
        case 'too_large':
          throw new FileTooLargeError(field, FILE_LIMIT_BYTES);
        default:
          throw new FileUnreadableError(field, result.failure);
      }
    }
    const { status, body, contentType } = result.download;
    if (status !== 200) {
      throw new FileUnreadableError(field, 'status', status);
    }
    return { bytes: body, declaredType: contentType, name: lastSegment(result.url) };
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.turns.execute(work);
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new ServiceUnavailableError(error) : error;
    }
  }
}

function lastSegment({ pathname }: URL): string | null {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment) || null;
  } catch {
    // A percent sign that encodes nothing.
    return segment;
  }
}
