import { createServer } from 'node:http';
import express from 'express';
import request from 'supertest';
import { WITHOUT_KEY } from '../security/principal';
import { isLanguageTag } from './language';
import { negotiateLanguage, requestLanguage } from './negotiate-language';

describe('negotiateLanguage', () => {
  it('prefers the language in the body to the stored one, and the stored one to Accept-Language', () => {
    expect(negotiateLanguage({ body: 'de', stored: 'fr', accepted: ['ja'] })).toBe('de');
    expect(negotiateLanguage({ stored: 'fr', accepted: ['ja'] })).toBe('fr');
    expect(negotiateLanguage({ stored: null, accepted: ['ja'] })).toBe('ja');
    expect(negotiateLanguage({})).toBe('en');
  });

  it.each([
    ['zh-CN', 'zh'],
    ['zh-Hant', 'zh'],
    ['de-AT', 'de'],
    ['ES', 'es'],
  ])('reads %s as %s', (tag, language) => {
    expect(negotiateLanguage({ body: tag })).toBe(language);
  });

  it('answers in English when the service does not speak the wanted language', () => {
    expect(negotiateLanguage({ body: 'pt-BR', stored: 'fr', accepted: ['fr'] })).toBe('en');
    expect(negotiateLanguage({ stored: 'xx', accepted: ['fr'] })).toBe('en');
  });

  it.each([42, '', 'd', 'de_DE', 'de-', 'deutsch', 'de-AAAA-BBBB-CCCC-D', null, ['de'], { toString: () => 'de' }])(
    'ignores the malformed body language %j',
    (body) => {
      expect(isLanguageTag(body)).toBe(false);
      expect(negotiateLanguage({ body, stored: 'fr' })).toBe('fr');
    },
  );

  it('uses the first accepted language that the service supports, and English for any', () => {
    expect(negotiateLanguage({ accepted: ['pt', 'fr-CA', 'de'] })).toBe('fr');
    expect(negotiateLanguage({ accepted: ['*'] })).toBe('en');
    expect(negotiateLanguage({ accepted: ['pt'] })).toBe('en');
  });
});

describe('requestLanguage', () => {
  const application = express();
  application.use(express.json());
  application.use((incoming, response) => {
    if (incoming.headers['x-stored']) {
      incoming.principal = {
        userId: 1,
        sessionId: 1,
        ...WITHOUT_KEY,
        userType: 'normal',
        tier: 'normal',
        language: String(incoming.headers['x-stored']),
        groupIds: [],
        defaultAgentId: null,
      };
    }
    response.json(requestLanguage(incoming));
  });
  const server = createServer(application);

  it('orders Accept-Language by its q-values', async () => {
    const answer = await request(server).post('/').set('Accept-Language', 'pt;q=0.9, de;q=0.3, ja;q=0.8');
    expect(answer.body).toBe('ja');
  });

  it('accepts a very long or broken Accept-Language', async () => {
    const answer = await request(server)
      .post('/')
      .set('Accept-Language', `${'a,'.repeat(2_000)};;q=x, fr`);
    expect(answer.body).toBe('fr');
  });

  it('reads the stored language of the caller', async () => {
    const answer = await request(server).post('/').set('X-Stored', 'es').set('Accept-Language', 'de');
    expect(answer.body).toBe('es');
  });

  it('reads the language from the body, ignoring its region and script', async () => {
    const answer = await request(server).post('/').send({ lang: 'zh-Hant' });
    expect(answer.body).toBe('zh');
  });

  it('accepts bodies that are not objects', async () => {
    const answer = await request(server).post('/').send([1]);
    expect(answer.body).toBe('en');
  });
});
