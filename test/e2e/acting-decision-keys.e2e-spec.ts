import { createHash, randomUUID } from 'node:crypto';
import { Database } from '../../src/database/database';
import { toWish } from '../../src/modules/chat/acting/decision.dto';
import { IdempotencyKeyEntity } from '../../src/modules/generation/idempotency/idempotency-key.entity';
import { useActing } from '../support/acting';
import { expectFailure } from '../support/http';

describe('decisions with an Idempotency-Key', () => {
  const { app, client, waiting } = useActing();

  it('leave no hash by which what a person wrote can be found out, and are known again', async () => {
    const { chatId, action } = await waiting();
    const key = randomUUID();
    const body = { decision: 'approve' as const, arguments_hash: action.arguments_hash, arguments: { what: 'yes' } };
    const path = `/chat/${chatId}/actions/${action.id}`;
    const decide = (given: object) => client.request(path, { body: given, headers: { 'idempotency-key': key } });
    const first = await decide(body);
    expect(first.status).toBe(200);
    const keys = app.app.get(Database).repository(IdempotencyKeyEntity);
    const plain = createHash('sha256')
      .update(JSON.stringify([`POST ${path}`, toWish(action.id, body)]))
      .digest('hex');
    const stored = (await keys.findOneByOrFail({ key })).fingerprint;
    expect(stored).toMatch(/^[0-9a-f]{64}$/);
    expect(stored).not.toBe(plain);
    expect((await decide(body)).text).toBe(first.text);
    expectFailure(await decide({ ...body, arguments: { what: 'no' } }), 409, 'IDEMPOTENCY_CONFLICT');
    // As the version before has kept it.
    await app.app
      .get(Database)
      .write((manager) => manager.update(IdempotencyKeyEntity, { key }, { fingerprint: plain }));
    expect((await decide(body)).text).toBe(first.text);
    expectFailure(await decide({ ...body, arguments: { what: 'no' } }), 409, 'IDEMPOTENCY_CONFLICT');
  });
});
