import { Injectable } from '@nestjs/common';
import { AddressHasher } from '../attempts/address-hasher';
import type { AccountClient } from '../clients/account-client';
import type { ClientTries, VerificationCodeEntity } from './verification-code.entity';

/** Wrong attempts after which a client needs another mail. */
const MOST_OF_CLIENT = 5;

/** Wrong attempts of all clients after which a code becomes invalid. */
const MOST_OF_ALL = 50;

type Counted = Pick<VerificationCodeEntity, 'attempts' | 'tries'>;

/**
 * Limits wrong attempts at a code: five per client, five more for each mail that this client requests, and fifty over
 * all clients. An attacker's guesses therefore do not invalidate the code for its recipient. It works on rows that the
 * caller has locked.
 */
@Injectable()
export class CodeTries {
  constructor(private readonly hasher: AddressHasher) {}

  areUsedUp({ attempts }: Counted): boolean {
    return attempts >= MOST_OF_ALL;
  }

  /** The row with another attempt of the client. Null if no attempt is left. */
  withAttempt(row: Counted, client: AccountClient): Counted | null {
    const { wrong, resends } = this.of(row, client);
    return this.areUsedUp(row) || wrong >= MOST_OF_CLIENT * (1 + resends)
      ? null
      : this.change(row, client, { wrong: 1 });
  }

  /** The row without the client's last attempt, which was correct. */
  withoutAttempt(row: Counted, client: AccountClient): Counted {
    return this.change(row, client, { wrong: -1 });
  }

  /** The row after the client had the code sent again. */
  withResend(row: Counted, client: AccountClient): Counted {
    return this.change(row, client, { resends: 1 });
  }

  private change(
    { attempts, tries }: Counted,
    client: AccountClient,
    { wrong = 0, resends = 0 }: Partial<ClientTries>,
  ): Counted {
    const key = this.keyOf({ tries }, client);
    const before = tries?.[key] ?? { wrong: 0, resends: 0 };
    const after = { wrong: Math.max(0, before.wrong + wrong), resends: before.resends + resends };
    return { attempts: Math.max(0, attempts + wrong), tries: { ...tries, [key]: after } };
  }

  private of(row: Pick<Counted, 'tries'>, client: AccountClient): ClientTries {
    return row.tries?.[this.keyOf(row, client)] ?? { wrong: 0, resends: 0 };
  }

  /** The client's key under the current secret, unless the row contains the key under the previous secret. */
  private keyOf({ tries }: Pick<Counted, 'tries'>, { name }: AccountClient): string {
    const [present = '', ...previous] = this.hasher.hashes('client', name);
    return previous.find((key) => tries?.[key] !== undefined) ?? present;
  }
}
