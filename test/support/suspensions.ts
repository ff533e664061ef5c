import { Database } from '../../src/database/database';
import { AccountAdministrationService } from '../../src/modules/user/management/account-administration.service';
import type { TestApp } from './test-app';

type App = Pick<TestApp, 'app'>;

/** Like the company directory after a user has left. */
export async function suspend({ app }: App, userId: number): Promise<void> {
  await app.get(Database).write((manager) => app.get(AccountAdministrationService).suspend(manager, userId));
}

export async function reinstate({ app }: App, userId: number): Promise<void> {
  await app.get(Database).write((manager) => app.get(AccountAdministrationService).reinstate(manager, userId));
}
