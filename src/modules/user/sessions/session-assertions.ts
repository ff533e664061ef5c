import { Injectable } from '@nestjs/common';
import { EntityManager, IsNull, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { updateRows } from '../../../database/statements/update';
import { SessionEntity } from './session.entity';

/** A token that a provider signed at a user's sign-in. The module that stores it encrypts it. */
export interface SealedAssertion {
  sealed: string;
  /** From this time on, the token is invalid. */
  endsAt: Date;
}

/** A sealed assertion with its session. */
export interface SessionAssertion extends SealedAssertion {
  sessionId: number;
  /** When the session started. */
  since: Date;
}

const NOTHING = { assertion: null, assertionEndsAt: null };

/** Tokens that providers signed at users' sign-ins. They are stored in the sessions and end with them at the latest. */
@Injectable()
export class SessionAssertions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A user's valid assertions. The one with the latest end comes first. */
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

  /** Within `Database.write`: stores an assertion in a session and replaces an earlier one. */
  async keep(manager: EntityManager, sessionId: number, { sealed, endsAt }: SealedAssertion): Promise<void> {
    const columns = { assertion: sealed, assertionEndsAt: endsAt };
    await updateRows(manager, SessionEntity, columns, { id: sessionId });
  }

  /** Deletes an assertion that is no longer valid. */
  async forget({ sessionId, sealed }: SessionAssertion): Promise<void> {
    const which = { id: sessionId, assertion: sealed };
    await this.database.write((manager) => updateRows(manager, SessionEntity, NOTHING, which));
  }

  /** Within `Database.write`: deletes all assertions of a user. */
  async forgetAll(manager: EntityManager, userId: number): Promise<void> {
    await updateRows(manager, SessionEntity, NOTHING, { userId, assertionEndsAt: Not(IsNull()) });
  }

  /**
   * Re-encrypts all assertions and logout hints.
   *
   * @param renewed returns the new value; null if it stays unchanged
   */
  async renew(renewed: (sealed: string) => string | null): Promise<void> {
    await this.renewMember('assertion', renewed);
    await this.renewMember('logoutHint', renewed);
  }

  private async renewMember(
    member: 'assertion' | 'logoutHint',
    renewed: (sealed: string) => string | null,
  ): Promise<void> {
    for await (const rows of keysetBatches(this.database.manager, SessionEntity, { [member]: Not(IsNull()) })) {
      await this.database.write(async (manager) => {
        for (const { id, [member]: sealed } of rows) {
          const next = sealed === null ? null : renewed(sealed);
          if (sealed !== null && next !== null) {
            await updateRows(manager, SessionEntity, { [member]: next }, { id, [member]: sealed });
          }
        }
      });
    }
  }
}
