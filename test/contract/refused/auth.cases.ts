import { PASSWORD } from '../../support/accounts';

const long = (length: number) => 'a'.repeat(length);

/** A valid body, and for each field invalid values, with the reason of the refusal. */
export const ROUTES: Record<string, { body: Record<string, unknown>; faults: [string, unknown, string][] }> = {
  'POST /auth/send_code': {
    body: { email: 'ada@example.com', purpose: 'login' },
    faults: [
      ['purpose', undefined, 'required'],
      ['purpose', null, 'required'],
      ['purpose', 'sign_in', 'not_allowed'],
      ['purpose', 'LOGIN', 'not_allowed'],
      ['purpose', ['login'], 'wrong_type'],
      ['purpose', 1, 'wrong_type'],
      ['lang', 'english language', 'invalid_language'],
      ['lang', 'de-CH-1996-with-more', 'invalid_language'],
      ['lang', 7, 'invalid_language'],
      ...emailFaults(),
    ],
  },
  'POST /auth/verify': {
    body: { email: 'ada@example.com', code: '123456' },
    faults: [...codeFaults('code'), ...emailFaults()],
  },
  'POST /auth/register': {
    body: { email: 'ada@example.com', username: 'ada', password: PASSWORD, code: '123456' },
    faults: [...usernameFaults(), ...passwordFaults('password'), ...codeFaults('code'), ...emailFaults()],
  },
  'POST /auth/login': {
    body: { email: 'ada@example.com', password: PASSWORD },
    faults: [
      ['password', undefined, 'required'],
      ['password', null, 'required'],
      ['password', '', 'too_short'],
      ['password', 12345678, 'wrong_type'],
      ['password', { $ne: null }, 'wrong_type'],
      ['password', long(129), 'too_long'],
      ...emailFaults(),
    ],
  },
  'POST /auth/refresh_token': {
    body: { refresh_token: 'x' },
    faults: [
      ['refresh_token', undefined, 'required'],
      ['refresh_token', null, 'required'],
      ['refresh_token', ' ', 'blank'],
      ['refresh_token', 5, 'wrong_type'],
      ['refresh_token', ['x'], 'wrong_type'],
      ['refresh_token', long(513), 'too_long'],
    ],
  },
  'POST /auth/reset_password': {
    body: { email: 'ada@example.com', code: '123456', new_password: PASSWORD },
    faults: [...passwordFaults('new_password'), ...codeFaults('code'), ...emailFaults()],
  },
};

function emailFaults(): [string, unknown, string][] {
  const malformed = [
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@@example.com',
    'ada@exa mple.com',
    '"ada"@example.com',
    'ada(comment)@example.com',
    'Ada <ada@example.com>',
    'ada@example.com,bob@example.com',
    'ada@example.com;bob@example.com',
    'ada@example.com\nBcc: bob@example.com',
    'ada@[127.0.0.1]',
    'ädä@example.com',
    'ada@exämple.com',
    // The Kelvin sign, whose lower case is an ordinary k.
    '\u212Aate@example.com',
    '.ada@example.com',
    'ada..b@example.com',
    `${long(65)}@example.com`,
    `ada@${long(63)}.${long(63)}.${long(63)}.${long(63)}.com`,
    'ada@example.com\u0007',
  ];
  return [
    ['email', undefined, 'required'],
    ['email', null, 'required'],
    ['email', 5, 'wrong_type'],
    ['email', ['ada@example.com'], 'wrong_type'],
    ['email', { $gt: '' }, 'wrong_type'],
    ['email', true, 'wrong_type'],
    ...malformed.map((email): [string, unknown, string] => ['email', email, 'invalid_email']),
  ];
}

function codeFaults(field: string): [string, unknown, string][] {
  return [
    [field, undefined, 'required'],
    [field, null, 'required'],
    [field, 123456, 'wrong_type'],
    [field, ['123456'], 'wrong_type'],
    [field, { code: 1 }, 'wrong_type'],
    [field, '  ', 'blank'],
    [field, long(65), 'too_long'],
  ];
}

function usernameFaults(): [string, unknown, string][] {
  return [
    ['username', undefined, 'required'],
    ['username', null, 'required'],
    ['username', 5, 'wrong_type'],
    ['username', ['ada'], 'wrong_type'],
    ['username', 'a', 'too_short'],
    ['username', '𠮷', 'too_short'],
    ['username', long(33), 'too_long'],
    ['username', 'two words', 'invalid_format'],
    ['username', 'a@b', 'invalid_format'],
    ['username', 'a/b', 'invalid_format'],
    ['username', '<b>', 'invalid_format'],
    ['username', 'smile🙂', 'invalid_format'],
    ['username', 'zero\u200Bwidth', 'invalid_format'],
    ['username', '\u3164\u3164', 'invalid_format'],
    ['username', '\u202Eada', 'invalid_format'],
    ...['admin', 'Admin', 'ROOT', 'system', 'assistant', 'support', 'Moderator', 'ａｄｍｉｎ'].map(
      (name): [string, unknown, string] => ['username', name, 'reserved'],
    ),
    ...['аdmin', 'admiń', 'АDМІN', 'adm1n', 'r00t', 'ѕystem', 'suppоrt', 'ｍoderatοr'].map(
      (name): [string, unknown, string] => ['username', name, 'reserved'],
    ),
  ];
}

function passwordFaults(field: string): [string, unknown, string][] {
  return [
    [field, undefined, 'required'],
    [field, null, 'required'],
    [field, 1234567890, 'wrong_type'],
    [field, ['correct horse'], 'wrong_type'],
    [field, 'short 1', 'too_short'],
    // Four characters, eight code units.
    [field, '🙂🙂🙂🙂', 'too_short'],
    [field, long(129), 'too_long'],
    [field, 'password123', 'password_too_common'],
    [field, 'PassWord123', 'password_too_common'],
    [field, 'qwertyuiop', 'password_too_common'],
    [field, 'ada@example.com', 'password_is_email'],
    [field, 'ADA@example.com', 'password_is_email'],
  ];
}
