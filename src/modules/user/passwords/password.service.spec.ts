import { hash } from '@node-rs/argon2';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { PasswordService } from './password.service';
import { isCommonPassword } from './password-rules';

describe('PasswordService', () => {
  let passwords: PasswordService;

  beforeAll(() => {
    passwords = new PasswordService();
  });

  it('creates argon2id hashes of 19 MiB and two passes that match only their password', async () => {
    const stored = await passwords.hash('correct horse');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.matches(stored, 'correct horse')).toBe(true);
    expect(await passwords.matches(stored, 'Correct horse')).toBe(false);
    expect(passwords.isOutdated(stored)).toBe(false);
  });

  it('matches nothing if nothing is stored', async () => {
    expect(await passwords.matches(null, 'correct horse')).toBe(false);
  });

  it('accepts hashes with other parameters', async () => {
    const weak = await hash('correct horse', { memoryCost: 8, timeCost: 1, parallelism: 1 });
    expect(passwords.isOutdated(weak)).toBe(true);
    expect(await passwords.matches(weak, 'correct horse')).toBe(true);
  });

  it('refuses work if two hundred requests are queued, and accepts some again afterwards', async () => {
    const cheap = await hash('correct horse', { memoryCost: 8, timeCost: 1, parallelism: 1 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 230 }, () => passwords.matches(cheap, 'correct horse')),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(230 - 200 - 4);
    expect(refused.length).toBeLessThanOrEqual(230 - 200 - 2);
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(ServiceUnavailableError);
    }
    await expect(passwords.hash('correct horse')).resolves.toBeTruthy();
  });

  it("refuses the user's name and email address as password, in any case", () => {
    const user = { email: 'ada.lovelace@example.com', username: 'Ada.Lovelace' };
    for (const password of ['ada.lovelace', 'ADA.LOVELACE', 'Ada.Lovelace@Example.com']) {
      expect(() => passwords.assertNotIdentity(password, user, 'password')).toThrow(ValidationFailedError);
    }
    expect(() => passwords.assertNotIdentity('ada.lovelace1', user, 'password')).not.toThrow();
  });

  it.each(['password123', 'Qwertyuiop', '123456789', 'iloveyou123', 'P@ssw0rd'])('treats %s as common', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it('does not treat an ordinary sentence as common', () => {
    expect(isCommonPassword('the cat sat on my keyboard')).toBe(false);
  });
});
