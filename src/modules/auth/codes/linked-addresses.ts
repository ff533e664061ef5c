import { Injectable } from '@nestjs/common';

/** What the code of a link token is to prove. */
export interface LinkedAddress {
  /** The address, normalized. */
  email: string;
  /** Which identity is to be linked to whose account; the code is good for these alone. */
  about: string;
  /** What people call the provider. */
  provider: string;
  /** What the provider calls the person. */
  person: string;
  /** Whether a right code leads anywhere: to an account, or to a new one. */
  leadsAnywhere: boolean;
}

/** Whose address a link token is about. The module that gives out link tokens says how to find it. */
export interface LinkFinder {
  /** @throws LoginCodeInvalidError */
  addressOf(linkToken: string): Promise<LinkedAddress>;
}

/** Asks the module above this one about link tokens. */
@Injectable()
export class LinkedAddresses {
  private finder: LinkFinder | undefined;

  use(finder: LinkFinder): void {
    this.finder = finder;
  }

  /** @throws LoginCodeInvalidError */
  of(linkToken: string): Promise<LinkedAddress> {
    if (!this.finder) {
      throw new Error('No module gives out link tokens.');
    }
    return this.finder.addressOf(linkToken);
  }
}
