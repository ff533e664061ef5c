import * as v from 'valibot';
import { unicodeForm } from '../../../common/text/folding';
import { hasInvisible, mapTexts, withoutInvisible } from '../../../common/text/invisible';
import { beginningOf } from '../../../common/text/surrogate-pairs';
import type { ToolQuestion } from '../../tool/tool.api';
import type { McpServer } from '../servers/mcp-server.store';
import { mixesScripts } from '../tools/tool-problems';

const LONGEST_MESSAGE = 4_000;
const LONGEST_ADDRESS = 2_048;
const LARGEST_SCHEMA = 32 * 1_024;
const MOST_FIELDS = 64;

const text = v.optional(v.string());
const number = v.optional(v.pipe(v.number(), v.finite()));
/** Text that is returned to the server unchanged, so invisible characters are refused instead of removed. */
const exact = v.pipe(
  v.string(),
  v.check((value) => !hasInvisible(value) && value.isWellFormed()),
);
const choices = v.pipe(v.array(exact), v.minLength(1));
const titled = v.pipe(v.array(v.object({ const: exact, title: v.string() })), v.minLength(1));
const about = { title: text, description: text };

/** The field types of the protocol with their known members. Other members, such as `pattern`, are dropped. */
const field = v.variant('type', [
  v.object({ ...about, type: v.literal('boolean'), default: v.optional(v.boolean()) }),
  v.object({
    ...about,
    type: v.picklist(['number', 'integer']),
    minimum: number,
    maximum: number,
    default: number,
  }),
  v.object({
    ...about,
    type: v.literal('string'),
    minLength: number,
    maxLength: number,
    default: text,
    format: v.optional(v.picklist(['email', 'uri', 'date', 'date-time'])),
    enum: v.optional(choices),
    enumNames: v.optional(v.array(v.string())),
    oneOf: v.optional(titled),
  }),
  v.object({
    ...about,
    type: v.literal('array'),
    items: v.union([v.object({ type: v.literal('string'), enum: choices }), v.object({ anyOf: titled })]),
    minItems: number,
    maxItems: number,
    default: v.optional(v.array(v.string())),
  }),
]);

const form = v.object({
  mode: v.optional(v.literal('form')),
  message: v.string(),
  requestedSchema: v.object({
    type: v.literal('object'),
    properties: v.record(exact, field),
    required: v.optional(v.array(v.string())),
  }),
});

const address = v.object({ mode: v.literal('url'), message: v.string(), url: v.string() });

/**
 * Reads a server's request for input (`elicitation/create`) for display, without invisible characters.
 *
 * @param params as sent by the server
 * @returns null for a request that is not shown: one that the server's settings do not allow, a form that the protocol
 * does not define or that asks for secrets, and a URL that is not https or has credentials
 */
export function readQuestion(params: unknown, server: Pick<McpServer, 'url' | 'elicitation'>): ToolQuestion | null {
  const asked = v.safeParse(v.union([address, form]), params);
  if (!asked.success || server.elicitation === 'off') {
    return null;
  }
  const message = beginningOf(readable(asked.output.message), LONGEST_MESSAGE);
  if ('url' in asked.output) {
    const url = server.elicitation === 'form_and_url' ? addressOf(asked.output.url) : null;
    return url && { message, url: url.href, host: url.host };
  }
  const schema = schemaOf(asked.output.requestedSchema);
  return schema && { message, schema, host: new URL(server.url).host };
}

function addressOf(given: string): URL | null {
  const clean = withoutInvisible(given) as string;
  const url = clean.length <= LONGEST_ADDRESS && URL.canParse(clean) ? new URL(clean) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : null;
}

function schemaOf(schema: v.InferOutput<typeof form>['requestedSchema']): Record<string, unknown> | null {
  const fields = Object.entries(schema.properties);
  // Checked first, because it is cheap: the search for words goes through all texts.
  if (fields.length > MOST_FIELDS || JSON.stringify(schema).length > LARGEST_SCHEMA) {
    return null;
  }
  const asksForSecrets = fields.some(
    ([name, { type, title, description }]) =>
      type !== 'boolean' && (looksSecret(name, title, description) || isDisguised(name) || isDisguised(title)),
  );
  return asksForSecrets ? null : readable(schema);
}

/** Removes invisible characters and replaces unpaired surrogates. */
function readable<Value>(value: Value): Value {
  return mapTexts(withoutInvisible(value), (text) => text.toWellFormed()) as Value;
}

/**
 * Words that forms may not ask for, in the languages of this service. White space and punctuation between their parts
 * are ignored.
 */
const WORDS = [
  'password, passwd, passphrase, passcode, passkey, secret, credential, token, cvv, cvc, seed phrase, recovery phrase',
  'social security, api key, access key, private key, ssh key, signing key, encryption key, credit card, debit card',
  'card number, security code, access code, verification code, recovery code, backup code, login code, one time code',
  'auth code, authentication code, authorization code, authorisation code',
  '密码, 密碼, 口令, 令牌, 權杖, 密钥, 密鑰, 金鑰, 私钥, 私鑰, 助记词, 助記詞, 验证码, 驗證碼, 校验码, 校驗碼, 动态码, 動態碼',
  '安全码, 安全碼, 恢复码, 恢復碼, 访问码, 存取碼, 信用卡, 借记卡, 银行卡, 銀行卡, 卡号, 卡號, 身份证号, 身份證號',
  'contraseña, credencial, seguridad social, frase semilla, frase de recuperación, llave privada, llave api',
  'llave de api, llave de acceso, tarjeta de crédito, tarjeta de débito, número tarjeta, número de tarjeta',
  'número de la tarjeta, código de seguridad, código de verificación, código de acceso, código de autenticación',
  'código de autorización, código de recuperación, código de un solo uso',
  'mot de passe, sécurité sociale, phrase de récupération, cryptogramme, carte bancaire, carte bleue, carte de crédit',
  'carte de débit, carte de paiement, numéro carte, numéro de carte, numéro de la carte, code de sécurité',
  "code de vérification, code d'accès, code d'authentification, code d'autorisation, code de récupération",
  'code de connexion, code à usage unique',
  'passwort, kennwort, geheim, zugangsdaten, sozialversicherung, kreditkarte, debitkarte, bankkarte, girokarte',
  'kartennummer, kartenprüf, sicherheitscode, zugangscode, zugriffscode, anmeldecode, bestätigungscode',
  'verifizierungscode, authentifizierungscode, einmalcode, wiederherstellungscode, freischaltcode',
  'api schlüssel, zugangsschlüssel, zugriffsschlüssel, sicherheitsschlüssel',
  'パスワード, パスコード, パスキー, パスフレーズ, シークレット, トークン, 資格情報, 暗証, 合言葉, 秘密の質問, 秘密鍵, api キー',
  'アクセスキー, アクセスコード, ログインコード, 認証コード, 認証番号, 認証用コード, 確認コード, 検証コード, セキュリティコード',
  'ワンタイム, 復旧コード, リカバリーコード, クレジットカード, デビットカード, キャッシュカード, カード番号, マイナンバー',
].flatMap((words) => words.split(', ').map(joined));

/** Short words that other words contain. */
const SHORT_WORDS = new Set([
  ...['pwd', 'pin', 'pincode', 'otp', 'totp', 'mfa', '2fa', 'jwt', 'ssn', 'card', 'csc', 'key', 'clave', 'tarjeta'],
  ...['cle', 'clef', 'jeton', 'mdp', 'schlussel', 'itan', 'mtan', 'smstan', 'pushtan', 'phototan', 'chiptan'],
]);

/** Abbreviations that are also ordinary words. They count in the name of a field; in sentences, only if capitalized. */
const ABBREVIATIONS = new Set(['tan', 'puk', 'nip']);

/** French for "keywords", which are no secret. */
const HARMLESS = /\bmots?[\s_-]*cles?\b/gi;

/**
 * Whether the name or description of a field asks for a secret, which users should not enter into the form of a third
 * party.
 */
export function looksSecret(...names: (string | undefined)[]): boolean {
  return names.some((name = '') => {
    const text = plain(name).replace(HARMLESS, ' ');
    const whole = joined(text);
    return WORDS.some((word) => whole.includes(word)) || hasShortWord(text);
  });
}

/**
 * Whether a word mixes letters of scripts that look alike, as in `pаssword`, whose second letter is Cyrillic. Units and
 * symbols such as `kΩ` and `Δt` are too short to count.
 */
export function isDisguised(name = ''): boolean {
  return (name.match(/[\p{L}\p{M}]{4,}/gu) ?? []).some(mixesScripts);
}

function hasShortWord(text: string): boolean {
  const whole = wordsOf(text);
  const parts = wordsOf(text.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' '));
  const isSentence = /\s/.test(text);
  return [...whole, ...parts].some((word) => {
    const one = word.replace(/s$/i, '');
    const isShouted = one === one.toUpperCase();
    const small = one.toLowerCase();
    return SHORT_WORDS.has(small) || (ABBREVIATIONS.has(small) && (isShouted || !isSentence));
  });
}

/** Removes accents and normalizes equivalent characters. */
function plain(name: string): string {
  return unicodeForm(name, 'NFKD').replace(/\p{M}/gu, '');
}

function joined(name: string): string {
  return wordsOf(plain(name)).join('').toLowerCase();
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u);
}
