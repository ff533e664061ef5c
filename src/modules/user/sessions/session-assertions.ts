import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { updateRows } from '../../../database/statements/update';
import { SessionEntity } from './session.entity';

/** What a provider signed of somebody who signed in. Who has it kept encrypts it. */
export interface SealedAssertion {
  sealed: string;
  /** From then on it proves nothing. */
  endsAt: Date;
}

/** The same beside its session. */
export interface SessionAssertion extends SealedAssertion {
  sessionId: number;
  /** When the session was begun. */
  since: Date;
}

const NOTHING = { assertion: null, assertionEndsAt: null };

/** What providers signed of people who signed in. It lies in their sessions, and ends with them at the latest. */
@Injectable()
export class SessionAssertions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Those of a user that prove something yet; the one that does so for longest first. */
  async ofUser(userId: number): Promise<SessionAssertion[]> {
    const now = this.clock.now();
    const living = { userId, expiresAt: MoreThan(now), assertionEndsAt: MoreThan(now) };
    const rows = await findRows(this.database.manager, SessionEntity, living, {
      members: ['id', 'createdAt', 'assertion', 'assertionEndsAt'],
      order: { assertionEndsAt: 'DESC', id: 'DESC' },
    });
    return rows.flatMap(({ id, createdAt, assertion, assertionEndsAt }) =>
      assertion === null || assertionEndsAt === null
        ? []
        : [{ sessionId: id, since: createdAt, sealed: assertion, endsAt: assertionEndsAt }],
    );
  }

  /** Within `Database.write`: keeps one in a session, in the place of a former one. */
  async keep(manager: EntityManager, sessionId: number, { sealed, endsAt }: SealedAssertion): Promise<void> {
    const columns = { assertion: sealed, assertionEndsAt: endsAt };
    await updateRows(manager, SessionEntity, columns, { id: sessionId });
  }

  /** Erases one that proves nothing any more. */
  async forget({ sessionId, sealed }: SessionAssertion): Promise<void> {
    const which = { id: sessionId, assertion: sealed };
    await this.database.write((manager) => updateRows(manager, SessionEntity, NOTHING, which));
  }

  /** Within `Database.write`: erases all of a user. */
  async forgetAll(manager: EntityManager, userId: number): Promise<void> {
    await updateRows(manager, SessionEntity, NOTHING, { userId, assertionEndsAt: Not(IsNull()) });
  }

  /** Encrypts all anew. @param renewed null: it stays as it is */
  async renew(renewed: (sealed: string) => string | null): Promise<void> {
    for await (const rows of keysetBatches(this.database.manager, SessionEntity, { assertionEndsAt: Not(IsNull()) })) {
      await this.database.write(async (manager) => {
        for (const { id, assertion } of rows) {
          const next = assertion === null ? null : renewed(assertion);
          if (assertion !== null && next !== null) {
            await updateRows(manager, SessionEntity, { assertion: next }, { id, assertion });
          }
        }
      });
    }
  }
}
