import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Within `Database.write`: whether a part of the service refers to the provider with this name, so that it must stay. */
type ProviderUse = (manager: EntityManager, name: string) => Promise<boolean>;

/** The parts of the service, other than agents and embeddings, that refer to providers. */
@Injectable()
export class ProviderUses {
  private readonly uses: ProviderUse[] = [];

  /** Call it in a constructor. */
  add(use: ProviderUse): void {
    this.uses.push(use);
  }

  /** Within `Database.write`, with the provider locked. */
  async isUsed(manager: EntityManager, name: string): Promise<boolean> {
    for (const use of this.uses) {
      if (await use(manager, name)) {
        return true;
      }
    }
    return false;
  }
}
