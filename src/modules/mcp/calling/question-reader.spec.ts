import { watchNormalizing } from '../../../../test/support/normalized-marks';
import { isDisguised, looksSecret, readQuestion } from './question-reader';

const server = { url: 'https://wiki.example.com/mcp', elicitation: 'form_and_url' } as const;

const asking = (properties: object, more: object = {}) => ({
  message: 'Which\u200b room?',
  requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  ...more,
});

describe('a question from an MCP server', () => {
  it('is shown without invisible characters, and without fields outside the protocol', () => {
    const room = { type: 'string', title: 'Ro\u202eom', pattern: '(a+)+$', $ref: 'file:///etc/passwd' };
    const nights = { type: 'integer', minimum: 1 };
    expect(readQuestion(asking({ room, nights }), server)).toEqual({
      message: 'Which room?',
      host: 'wiki.example.com',
      schema: {
        type: 'object',
        properties: { room: { type: 'string', title: 'Room' }, nights },
        required: ['room', 'nights'],
      },
    });
  });

  it.each<[string, object]>([
    ['a password by its name', { user_password: { type: 'string' } }],
    ['a key by its title', { value: { type: 'string', title: 'API key' } }],
    ['a password whose name only looks like it', { pаssword: { type: 'string' } }],
    ['something whose title only looks like a word', { value: { type: 'string', title: 'Your pаssword' } }],
    ['a card by its description', { value: { type: 'number', description: 'The number of your card' } }],
    ['a format that the protocol does not know', { value: { type: 'string', format: 'password' } }],
    ['an object in an object', { value: { type: 'object', properties: {} } }],
    ['a choice with invisible characters', { value: { type: 'string', enum: ['a\u200b', 'a'] } }],
    ['a choice with half a character', { value: { type: 'string', enum: ['a\ud83d', 'a'] } }],
    ['a name with half a character', { 'name\ud83d': { type: 'string' } }],
    ['a name with invisible characters', { 'na\u200bme': { type: 'string' } }],
    ['too much', { value: { type: 'string', description: 'x'.repeat(40_000) } }],
  ])('is not shown if it requests %s', (_what, properties) => {
    expect(readQuestion(asking(properties), server)).toBeNull();
  });

  it('is not searched for secret words if it is too large', () => {
    const longestRow = watchNormalizing();
    const title = '\u0315'.repeat(5_000) + '\u0316'.repeat(5_000);
    expect(readQuestion(asking({ value: { type: 'string', title } }), server)).not.toBeNull();
    expect(longestRow()).toBe(30);
    jest.mocked(String.prototype.normalize).mockClear();
    expect(readQuestion(asking({ value: { type: 'string', title: title.repeat(4) } }), server)).toBeNull();
    expect(String.prototype.normalize).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it('may be a choice, single or multiple', () => {
    const properties = {
      one: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      old: { type: 'string', enum: ['a'], enumNames: ['A'] },
      several: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, maxItems: 2 },
      more: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      sure: { type: 'boolean', title: 'Remember the password', default: true },
    };
    expect(readQuestion(asking(properties), server)).toMatchObject({ schema: { properties } });
  });

  it('is a URL only if the settings allow it, with https and without credentials', () => {
    const ask = (url: string) => ({ mode: 'url', message: 'Look.', url, elicitationId: '1' });
    const shown = { message: 'Look.', url: 'https://example.com/a?b', host: 'example.com' };
    expect(readQuestion(ask('https://exa\u200bmple.com/a?b'), server)).toEqual(shown);
    expect(readQuestion(ask('https://еxample.com/'), server)).toMatchObject({ host: 'xn--xample-2of.com' });
    for (const url of ['http://example.com', 'https://u:p@example.com', 'javascript:alert(1)', 'file:///etc', 'x']) {
      expect(readQuestion(ask(url), server)).toBeNull();
    }
    expect(readQuestion(ask('https://example.com'), { ...server, elicitation: 'form' })).toBeNull();
  });

  it('is refused if the settings forbid it or if it is invalid', () => {
    expect(readQuestion(asking({}), { ...server, elicitation: 'off' })).toBeNull();
    for (const params of [null, undefined, [], 'x', {}, { message: 'x' }, { ...asking({}), mode: 'voice' }]) {
      expect(readQuestion(params, server)).toBeNull();
    }
  });
});

const each = (...lines: string[]): string[] => lines.flatMap((names) => names.split(', '));

describe('a field of a form', () => {
  it.each(
    each(
      'password, userPassword, new_pass-word, ｐａｓｓｗｏｒｄ, passkey, Pass key, JWT, API Key, APIKey, apikey, accessToken, Tokens',
      'PIN, userPIN, PINCode, 2FA, 2fa, 2FA code, user_2FA, OTPCode, PUK, login code, access_code, Card number, cardNumber',
      'Contraseña, tarjeta de crédito, Tarjeta, número de tarjeta, numeroTarjeta, código de seguridad, código de acceso',
      'Código de verificación, credenciales, Seguridad Social, llave privada, claves, Su NIP',
      "Mot de passe, mdp, numéro de carte, Carte de crédit, code de sécurité, clé, Clés, clef, cle d'accès, clé API",
      "Code d'accès, code d’authentification, cryptogramme visuel, jeton, code à usage unique",
      'Kennwort, Kartennummer, Karten-Nummer, Kartenprüfnummer, Sicherheitscode, Zugangscode, Zugangsdaten, TAN, tan, TANs',
      'Ihre TAN, sms_tan, tanNumber, mTAN, Ihre pushTAN, Schlüssel, API-Schlüssel, Einmalcode',
      'パスワード, ﾊﾟｽﾜｰﾄﾞ, カード番号, 認証コード, 認証用コード, セキュリティコード, トークン, APIキー, 秘密鍵, パスキー',
      '密码, 验证码, 驗證碼, 卡号, 卡號, 安全码, 私钥, API 金鑰, 身份证号码, 银行卡',
    ),
  )('with the name %s asks for a secret', (name) => {
    expect(looksSecret(name)).toBe(true);
  });

  it.each([
    ...each(
      'city, shipping, discarded, monkey, opinion, Keyboard, standard, titan, clear, tank, clever, distance, passenger',
      'Step 2 failed, encoder, postcode, Country code, The best tan, snippet, zip_code',
      '¿Qué tan lejos?, tan pronto como sea posible, Número de teléfono, código postal, carta, seguridad',
      'mot-clé, Mots clés, carte, numéro de commande, code postal, clémentine, article, passeport',
      'Tanz, Landkarte, Postleitzahl, Schlüsselwort, Rechnungsnummer, Sicherheit, Kartenausschnitt',
      '電話番号, 確認番号, 郵便番号, キーワード, 电话号码, 订单号, 邮政编码, 卡片, 安全',
    ),
    undefined,
  ])('with the name %s does not ask for a secret', (name) => {
    expect(looksSecret(name)).toBe(false);
  });

  it.each(['pаssword', 'user_pаssword', 'Ρassword', 'раsskey'])('is disguised as %s', (name) => {
    expect(isDisguised(name)).toBe(true);
  });

  it.each([
    'password',
    'пароль',
    'κωδικός',
    'город City',
    'α-beta',
    'カードcard',
    '卡card',
    'Dose (μg), kΩ, Δt',
    undefined,
  ])('is not disguised as %s', (name) => {
    expect(isDisguised(name)).toBe(false);
  });
});
