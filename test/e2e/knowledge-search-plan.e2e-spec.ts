// @databases mariadb mysql: query plans
import { Database } from '../../src/database/database';
import { QueryEmbedder } from '../../src/modules/knowledge/search/query-embedder';
import type { KnowledgeResultsDto } from '../../src/modules/knowledge/search/search.dto';
import { addIndexedFile } from '../support/indexed-files';
import { KnowledgeClient } from '../support/knowledge';
import { explain } from '../support/servers/explain';
import { useOwnTestApp } from '../support/use-app';

const FILES = 60;
const PASSAGES = 20;
const WORD = 'harbour ';
const TABLES = 'knowledge_passages, knowledge_vectors, knowledge_entries';

describe('a hybrid search', () => {
  const app = useOwnTestApp();
  const database = () => app.app.get(Database);

  /** The plan of the statement that contains `part`, as JSON. */
  async function planOf(statements: [sql: string, parameters?: unknown][], part: string): Promise<string> {
    const [sql, parameters] = statements.find(([each]) => each.includes(part))!;
    return JSON.stringify(await explain(app, sql, parameters as unknown[]));
  }

  it('reads only the passages and vectors that it has found, and none of the others in the collection', async () => {
    const vectors = Array.from({ length: PASSAGES }, (_vector, at) => [1, at]);
    const passages = vectors.map((_vector, at) => ({ start: at * WORD.length, end: (at + 1) * WORD.length }));
    app.app
      .get(QueryEmbedder)
      .use((_caller, queries) => Promise.resolve({ generation: 1, vectors: queries.map(() => Float32Array.of(1, 0)) }));
    const client = await KnowledgeClient.of(app);
    const [{ id: storeId }, ownerId] = [await client.createStore(), client.account.user.id];
    for (let file = 0; file < FILES; file++) {
      await addIndexedFile(app, { storeId, ownerId, text: WORD.repeat(PASSAGES), passages, vectors });
    }
    if (database().isShared) {
      // The server itself does this from time to time.
      await database().write((manager) => manager.query(`ANALYZE TABLE ${TABLES}`));
    }
    const logged = jest.spyOn(database().manager.dataSource.logger, 'logQuery');
    const body = { query: WORD };
    const found = await client.data<KnowledgeResultsDto>(`/knowledge/${storeId}/search`, { body });
    const statements = logged.mock.calls.map(([sql, parameters]) => [sql, parameters] as [string, unknown]);
    logged.mockRestore();
    expect([found.mode, found.results.length]).toEqual(['hybrid', 10]);
    const ofPassages = await planOf(statements, 'SELECT passage.id');
    if (!database().isShared) {
      // A thread reads the vectors, by both columns of an index.
      expect(ofPassages).toContain('SEARCH passage USING INTEGER PRIMARY KEY');
      return;
    }
    expect(ofPassages).toMatch(/"table":"passage"[^}]*"type":"(range|eq_ref)"[^}]*"key":"PRIMARY"/);
    const ofVectors = await planOf(statements, 'SELECT passage_id, vector');
    expect(ofVectors).toMatch(/"table":"knowledge_vectors"[^}]*"type":"eq_ref"[^}]*"key":"PRIMARY"/);
  });
});
