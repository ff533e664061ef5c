import { isDisguised, looksSecret } from './secret-fields';

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
  )('that is called %s asks for a secret', (name) => {
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
  ])('that is called %s does not', (name) => {
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
