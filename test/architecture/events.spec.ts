import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCE, sourceFiles } from '../support/project-files';
import { serviceEvents } from '../support/service-features';

/** An event written as an object literal: `{ type: 'chat.created', … }`. */
const MADE_BY_HAND = /\btype: ['"`][a-z]+\.[a-z_]+['"`],\s*(userId|data)\b/;

describe('the events of the modules', () => {
  it('are created only by their definitions, so that every member is marked as a fact or as personal', () => {
    const byHand = sourceFiles('.ts')
      .filter((file) => file.startsWith('modules/') && !file.endsWith('.spec.ts'))
      .filter((file) => MADE_BY_HAND.test(readFileSync(join(SOURCE, file), 'utf8')));
    expect(byHand).toEqual([]);
  });

  it.each(serviceEvents.all)(
    '$type marks the fields as personal that it has always emptied',
    ({ fields, personal }) => {
      // A reason that the service chooses from a list was not written by a person.
      const written = Object.entries(fields).filter(([, field]) => field.enum === undefined);
      const always = written
        .map(([name]) => name)
        .filter((name) => ['username', 'email', 'reason', 'url'].includes(name));
      expect([...personal].sort()).toEqual(expect.arrayContaining(always.sort()));
    },
  );
});
