// @databases mariadb mysql: the order of locks
import { call } from '../support/http';
import { KnowledgeClient } from '../support/knowledge';
import { useOwnTestApp } from '../support/use-app';

const ROUNDS = 10;
const FILES = 4;

describe('uploads, ingestions and deletions at once', () => {
  const app = useOwnTestApp();

  /** Transactions that the server ended for the sake of others. */
  const conflicts = async (): Promise<number> => {
    const { text } = await call<string>(`${app.origin}/metrics`);
    return Number(/^database_transactions_repeated_total (\d+)$/m.exec(text)?.[1]);
  };

  it('take their locks in the same order', async () => {
    const client = await KnowledgeClient.of(app);
    const store = await client.createStore();
    const before = await conflicts();
    let files: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const sent = Array.from({ length: FILES }, (_file, index) =>
        client.sendFile({ content: `file ${index} of round ${round}` }, `/knowledge/${store.id}/files`),
      );
      const deleted = files.map((id) => client.send(`/files/${id}`, { method: 'DELETE' }));
      const answers = await Promise.all(sent);
      expect(answers.map(({ status }) => status)).toEqual(Array(FILES).fill(201));
      expect((await Promise.all(deleted)).map(({ status }) => status)).toEqual(files.map(() => 200));
      files = answers.map(({ body }) => (body.data as unknown as { file_id: number }).file_id);
    }
    expect(await conflicts()).toBe(before);
  });
});
