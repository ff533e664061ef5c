/** What a form may not ask for, in the languages of this service. Words without spaces, accents and signs. */
const WORDS =
  /password|passwd|passwort|passphrase|passcode|kennwort|contrasena|motdepasse|secret|geheim|credential|token|cvv|cvc|apikey|accesskey|privatekey|sshkey|signingkey|encryptionkey|creditcard|debitcard|cardnumber|kreditkarte|securitycode|verificationcode|recoverycode|authcode|onetimecode|seedphrase|socialsecurity|密码|密碼|口令|令牌|密钥|パスワード|暗証|クレジットカード|信用卡/;

/** Short ones, which other words contain. */
const SHORT_WORDS = new Set(['pwd', 'pin', 'otp', 'totp', 'mfa', '2fa', 'ssn', 'card', 'csc', 'key']);

/** Whether a field asks for something that nobody should write into a form of a stranger, by what it is called. */
export function looksSecret(...names: (string | undefined)[]): boolean {
  return names.some((name) => {
    const words = (name ?? '')
      .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u);
    return WORDS.test(words.join('')) || words.some((word) => SHORT_WORDS.has(word.replace(/s$/, '')));
  });
}
