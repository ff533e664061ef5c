import { Injectable } from '@nestjs/common';
import type { AccountClient } from '../clients/account-client';
import { AddressHasher } from '../clients/address-hasher';
import type { ClientTries, VerificationCodeEntity } from './verification-code.entity';

/** Wrong attempts after which a client has to ask for another mail. */
const MOST_OF_CLIENT = 5;

/** Wrong attempts of all clients after which a code stops working. */
const MOST_OF_ALL = 50;

type Counted = Pick<VerificationCodeEntity, 'attempts' | 'tries'>;

/**
 * The rule for wrong attempts at a code: five for a client, five more for each mail that this client asks for, fifty for all
 * clients. So a stranger's guesses do not take the code from the person whom it was sent to. Works on rows that the caller
 * has locked.
 */
@Injectable()
export class CodeTries {
  constructor(private readonly hasher: AddressHasher) {}

  areUsedUp({ attempts }: Counted): boolean {
    return attempts >= MOST_OF_ALL;
  }

  /** What the row is with another attempt of the client; null when it may try no more. */
  withAttempt(row: Counted, client: AccountClient): Counted | null {
    const { wrong, resends } = this.of(row, client);
    return this.areUsedUp(row) || wrong >= MOST_OF_CLIENT * (1 + resends)
      ? null
      : this.change(row, client, { wrong: 1 });
  }

  /** What the row is without the last attempt of the client, which was right. */
  withoutAttempt(row: Counted, client: AccountClient): Counted {
    return this.change(row, client, { wrong: -1 });
  }

  /** What the row is when the client had the code sent again. */
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

  /** The client's key as it is made now, unless the row has it as it was made with the previous secret. */
  private keyOf({ tries }: Pick<Counted, 'tries'>, { name }: AccountClient): string {
    const [present = '', ...previous] = this.hasher.hashes('client', name);
    return previous.find((key) => tries?.[key] !== undefined) ?? present;
  }
}
