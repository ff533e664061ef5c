import type { ImportedServersDto, McpServersFileDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { Dialog } from '../../../components/dialog';
import { EntryError } from '../../../components/form/faults';
import { Field, Form } from '../../../components/form/form';

const t = texts('servers');
const manage = texts('manage');

/** Imports MCP servers from a file and shows the result. */
export function ImportServers({ onClose, onChange }: { onClose: () => void; onChange: () => void }): JSX.Element {
  const [done, setDone] = useState<ImportedServersDto>();
  const run = async (entries: FormData): Promise<void> => {
    const document = parsed(await (entries.get('file') as File).text());
    setDone((await api.admin.mcpServers.import({ body: document })).data);
    onChange();
  };
  return (
    <Dialog title={manage('import_json')} onClose={onClose}>
      {done ? (
        <div class="stack" role="status">
          <p class="notice success">{t('imported', { created: done.created, updated: done.updated })}</p>
          {done.without_secret.length > 0 && (
            <p class="notice warning">{t('without_secret', { labels: done.without_secret.join(', ') })}</p>
          )}
        </div>
      ) : (
        <Form action={manage('import')} onSubmit={run}>
          <Field name="file" label={manage('file')} hint={t('import_hint')}>
            {(wiring) => <input {...wiring} type="file" accept=".json,application/json" required />}
          </Field>
        </Form>
      )}
    </Dialog>
  );
}

/** @throws EntryError if the text is not JSON */
function parsed(text: string): McpServersFileDto {
  try {
    return JSON.parse(text) as McpServersFileDto;
  } catch {
    throw new EntryError('file', manage('no_json'));
  }
}
