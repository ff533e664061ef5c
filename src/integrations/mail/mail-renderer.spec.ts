import Handlebars from 'handlebars';
import { serviceFeatures, speakAsService } from '../../../test/support/service-features';
import { LANGUAGES } from '../../common/i18n/language';
import { MailRenderer } from './mail-renderer';

const CATALOGUE = speakAsService();
const mails = serviceFeatures.all('mails');
const kinds = mails.map(({ kind }) => kind);
const exampleOf = (kind: string) => mails.find((mail) => mail.kind === kind)?.example ?? {};
const everyMail = kinds.flatMap((kind) => LANGUAGES.map((language) => [kind, language] as const));

const renderer = new MailRenderer(serviceFeatures);

function contentOf(kind: string, language: (typeof LANGUAGES)[number] = 'en', values: object = exampleOf(kind)) {
  return { kind, language, values: { ...values }, recipient: 'ada@example.com', messageId: 'id-1' };
}

function render(...content: Parameters<typeof contentOf>) {
  return renderer.render(contentOf(...content), { name: 'Sample Chat', address: 'no-reply@example.com' });
}

describe('MailRenderer', () => {
  it.each(everyMail)('renders %s in %s completely: no gap, no key, no placeholder', (kind, language) => {
    const { subject, html, text } = render(kind, language);
    for (const part of [subject, html, text]) {
      expect(part).not.toBe('');
      expect(part).not.toMatch(/\{\{|\}\}|\bmails\.[a-z]|undefined|NaN|Invalid Date|\[object/);
    }
    expect(html).toContain(`<html lang="${language}"`);
    expect(`${subject}${html}${text}`).toContain('Sample Chat');
  });

  it('writes the code in the subject and the text, and unbroken in the HTML', () => {
    const { subject, html, text } = render('login_code');
    expect(subject).toBe('048213 is your Sample Chat sign-in code');
    expect(html).toMatch(/>048213<\/td>/);
    expect(text).toMatch(/^ {4}048213$/m);
  });

  it.each([
    ['en', /\ban? \{\{/i],
    ['fr', /\b(de|le|la|que) \{\{product/i],
  ] as const)('has texts in %s that fit every product name', (language, words) => {
    expect(JSON.stringify(CATALOGUE[language].mails)).not.toMatch(words);
  });

  it('says how long the code is valid', () => {
    expect(render('login_code', 'de').text).toContain('Dieser Code ist 10 Minuten gültig');
  });

  it('has the same content in both parts', () => {
    const { html, text } = render('account_deleted', 'fr');
    const sentences = text.split('\n').filter((line) => line.endsWith('.'));
    expect(sentences.length).toBeGreaterThan(3);
    for (const sentence of sentences) {
      expect(html).toContain(Handlebars.escapeExpression(sentence));
    }
  });

  it('escapes values in the HTML and does not change them in the text', () => {
    const url = 'https://example.com/<script>alert("1")</script>?a=1&b={{code}}$t(errors.FORBIDDEN)';
    const { html, text } = render('webhook_disabled', 'en', { ...exampleOf('webhook_disabled'), url });
    expect(html).not.toContain('<script>');
    expect(html).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;?a&#x3D;1&amp;b&#x3D;{{code}}$t(errors.FORBIDDEN)',
    );
    expect(text).toContain(url);
  });

  it('does not let a value start a new header', () => {
    const { subject } = render('login_code', 'en', { code: '1\r\nBcc: eve@example.com', validSeconds: 60 });
    expect(subject).toBe('1 Bcc: eve@example.com is your Sample Chat sign-in code');
  });

  it('contains no address of the service, except for invitations, and loads no resources', () => {
    for (const kind of kinds.filter((other) => other !== 'webhook_disabled')) {
      const html = render(kind).html.replace('urn:schemas-microsoft-com:office:office', '');
      const address = 'href="https://chat.example.com/console/register?';
      expect(kind === 'invitation' ? html.replace(address, '') : html).not.toMatch(/https?:|src=|url\(/);
    }
  });

  it('names the product like the sender', () => {
    const mail = renderer.render(contentOf('login_code'), { name: 'Übersicht', address: 'x@y.z' });
    expect(mail.html).toContain('>Ü</td>');
    expect(mail.subject).toBe('048213 is your Übersicht sign-in code');
    expect(mail.from.address).toBe('x@y.z');
  });
});
