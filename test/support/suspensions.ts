import { Database } from '../../src/database/database';
import { AccountAdministrationService } from '../../src/modules/user/management/account-administration.service';
import type { TestApp } from './test-app';

type App = Pick<TestApp, 'app'>;

/** As the directory of a company does to somebody who leaves. */
export async function suspend({ app }: App, userId: number): Promise<void> {
  await app.get(Database).write((manager) => app.get(AccountAdministrationService).suspend(manager, userId));
}

export async function reinstate({ app }: App, userId: number): Promise<void> {
  await app.get(Database).write((manager) => app.get(AccountAdministrationService).reinstate(manager, userId));
}
