import { ServiceSecret } from '../../../../common/security/service-secret';
import { CompactionSeal } from './compaction-seal';

const [OLD, NEW] = ['an old secret of at least thirty-two bytes', 'a new secret of at least thirty-two bytes'];

function partBy(seal: CompactionSeal, userId = 7) {
  return { type: 'compaction', encrypted_content: seal.seal(userId, 'Line one.\nLine two.') } as const;
}

describe('a sealed summary', () => {
  const seal = new CompactionSeal(new ServiceSecret(OLD));

  it('can only be opened by its user', () => {
    const part = partBy(seal);
    expect(part.encrypted_content).not.toContain('Line');
    expect([7, 77, 70, 0].map((userId) => seal.open(userId, part))).toEqual(['Line one.\nLine two.', null, null, null]);
  });

  it('can be opened with the previous secret until that secret is removed', () => {
    const part = partBy(seal);
    expect(new CompactionSeal(new ServiceSecret(NEW, OLD)).open(7, part)).toBe('Line one.\nLine two.');
    expect(new CompactionSeal(new ServiceSecret(NEW)).open(7, part)).toBeNull();
  });

  it.each(['', 'v1.', 'v1.AAAA', 'v2.AAAA', 'text', `v1.${Buffer.alloc(100).toString('base64')}`])(
    'cannot be forged as %j',
    (encrypted_content) => {
      expect(seal.open(7, { type: 'compaction', encrypted_content })).toBeNull();
    },
  );

  it('cannot be opened after a change', () => {
    const { encrypted_content, ...part } = partBy(seal);
    const bytes = Buffer.from(encrypted_content.slice(3), 'base64');
    bytes[bytes.length - 1]! ^= 1;
    expect(seal.open(7, { ...part, encrypted_content: `v1.${bytes.toString('base64')}` })).toBeNull();
  });
});
