/** What a form may not ask for, in the languages of this service; spaces and signs between its parts do not matter. */
const WORDS = [
  ...['password', 'passwd', 'passphrase', 'passcode', 'secret', 'credential', 'token', 'cvv', 'cvc', 'seed phrase'],
  ...['api key', 'access key', 'private key', 'ssh key', 'signing key', 'encryption key', 'social security'],
  ...['credit card', 'debit card', 'card number', 'security code', 'verification code', 'recovery code', 'auth code'],
  ...['one time code', 'passwort', 'kennwort', 'geheim', 'kreditkarte', 'contraseña', 'mot de passe'],
  ...['carte bancaire', '密码', '密碼', '口令', '令牌', '密钥', '信用卡', 'パスワード', '暗証', 'クレジットカード'],
].map((word) => partsOf(word).join(''));

/** Short ones, which other words contain. */
const SHORT_WORDS = new Set(['pwd', 'pin', 'otp', 'totp', 'mfa', '2fa', 'ssn', 'card', 'csc', 'key', 'clave']);

/** Whether a field asks for something that nobody should write into a form of a stranger, by what it is called. */
export function looksSecret(...names: (string | undefined)[]): boolean {
  return names.some((name = '') => {
    const parts = partsOf(name);
    const whole = parts.join('');
    return WORDS.some((word) => whole.includes(word)) || parts.some((part) => SHORT_WORDS.has(part.replace(/s$/, '')));
  });
}

/** The words of a name such as `newPass-word`, small and without accents. */
function partsOf(name: string): string[] {
  return name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}
