import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProviderTestResultDto } from '../../src/modules/admin/providers/provider-test.dto';
import { AdminClient } from '../support/admin-client';
import { useTestApp } from '../support/use-app';

const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'ja'];

/** The name of a console page in a language. */
function wordOf(language: string, area: string, key: string): string {
  const file = resolve(__dirname, `../../console/src/locales/${language}/${area}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)[key]!;
}

describe.each<[string, Record<string, string> | undefined]>([
  ['with its console', undefined],
  ['without its console', { CONSOLE_ENABLED: 'false' }],
])('the demo of a service %s', (_kind, environment?: Record<string, string>) => {
  const app = useTestApp(environment);

  it.each(LANGUAGES)('explains in %s where to add a model provider', async (lang) => {
    const admin = await AdminClient.of(app);
    const { body } = await admin.post<ProviderTestResultDto>('/admin/providers/demo/test', {
      content: 'Hello $&',
      lang,
    });
    const reply = body.data.content!;
    expect(reply).toContain('Hello $&');
    expect(reply).not.toMatch(/LLM_|\.env|\{/);
    const places = [wordOf(lang, 'shell', 'administration'), wordOf(lang, 'admin', 'page_providers')];
    if (environment !== undefined) {
      expect(reply).toContain('/admin/providers');
      expect(reply).not.toContain('→');
    } else {
      places.forEach((place) => expect(reply).toContain(place));
    }
  });
});
