import { builtDocument } from '../support/built-document';
import { dereference } from '../support/dereference';

/** A report of 30 days always contains all of them. */
const REPORTS = ['/api/v1/user/api-keys/{id}/usage'];

/** A feature has at most one page. */
const SHORT = ['/api/v1/pages'];

/** Pages of messages start at a message, because new messages would shift an offset. */
const BY_MESSAGE = ['/api/v1/chat/{chat_id}/messages'];

interface Read {
  parameters?: { in: string; name: string }[];
  responses: Record<string, { headers?: object; content?: Record<string, { schema?: { type?: string } }> }>;
}

describe('lists that are bare arrays', () => {
  it('report the total length, and are returned in pages', async () => {
    const { document } = await builtDocument();
    const lists = Object.entries(dereference(document).paths).flatMap(([path, { get }]) => {
      const read = get as Read | undefined;
      const isList = read?.responses['200']?.content?.['application/json']?.schema?.type === 'array';
      return read && isList && ![...REPORTS, ...SHORT].includes(path) ? [{ path, read }] : [];
    });
    expect(lists.length).toBeGreaterThan(10);
    for (const { path, read } of lists) {
      expect({ path, headers: read.responses['200']?.headers }).toMatchObject({
        path,
        headers: { 'X-Total-Count': {} },
      });
      const queries = read.parameters?.filter((one) => one.in === 'query').map(({ name }) => name);
      const places = BY_MESSAGE.includes(path) ? ['before', 'after'] : ['offset'];
      expect({ path, queries }).toEqual({ path, queries: expect.arrayContaining(['limit', ...places]) });
    }
  });
});
