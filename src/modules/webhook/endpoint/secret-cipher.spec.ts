import { ServiceSecret } from '../../../common/security/service-secret';
import { newEndpointSecret, SecretCipher } from './secret-cipher';

describe('SecretCipher', () => {
  const cipher = new SecretCipher(new ServiceSecret('a secret of at least thirty-two bytes'));
  const secret = newEndpointSecret();

  it('decrypts its own output', () => {
    expect(cipher.decrypt(cipher.encrypt(secret))).toBe(secret);
    expect(cipher.decrypt(cipher.encrypt(''))).toBe('');
  });

  it('encrypts the same text differently each time, without revealing the secret', () => {
    const encrypted = cipher.encrypt(secret);
    expect(encrypted).not.toBe(cipher.encrypt(secret));
    expect(encrypted).not.toContain(secret.slice('whsec_'.length));
    expect(encrypted.length).toBeLessThanOrEqual(255);
  });

  it('recognizes the values that it can decrypt', () => {
    expect(cipher.canDecrypt(cipher.encrypt(secret))).toBe(true);
    expect(
      new SecretCipher(new ServiceSecret('another secret of thirty-two bytes')).canDecrypt(cipher.encrypt(secret)),
    ).toBe(false);
  });

  it('rejects a value that was changed, truncated or encrypted with another key', () => {
    const encrypted = cipher.encrypt(secret);
    const bytes = Buffer.from(encrypted.slice(3), 'base64');
    for (const place of [0, 12, 28, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
      expect(() => cipher.decrypt(`v1.${changed.toString('base64')}`)).toThrow();
    }
    expect(() => cipher.decrypt(`v1.${bytes.subarray(0, 20).toString('base64')}`)).toThrow();
    expect(() => cipher.decrypt(secret)).toThrow();
    expect(() =>
      new SecretCipher(new ServiceSecret('another secret of thirty-two bytes')).decrypt(encrypted),
    ).toThrow();
  });
});
