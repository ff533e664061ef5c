import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operationsOf } from '../../src/api-docs/operations';
import { builtDocument } from '../support/built-document';

/** `admin.users.list GET /api/v1/admin/users`, in order. A new route adds its line; no line ever changes. */
const FROZEN = join(__dirname, 'operation-ids.txt');

it('keeps the id of every operation, which names a method of the client; a new one has its line in operation-ids.txt', async () => {
  const { document } = await builtDocument();
  const ids = operationsOf(document)
    .map(({ path, method, operation }) => `${operation.operationId} ${method.toUpperCase()} ${path}`)
    .sort();
  expect(ids).toEqual((await readFile(FROZEN, 'utf8')).trim().split('\n'));
});
