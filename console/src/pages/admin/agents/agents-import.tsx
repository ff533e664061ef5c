import type { ImportAgentsDto, ImportReportDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { Badge } from '../../../components/badge';
import { Dialog } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { Field, Form, Select } from '../../../components/form/form';
import { UserText } from '../../../components/user-text';

const t = texts('manage');

const MODES = ['merge', 'sync'] as const;
const TONES = { created: 'success', updated: 'accent', unchanged: '', removed: 'danger' } as const;

/** Imports agents from a file and shows the result for each. */
export function ImportAgents({ onClose, onChange }: { onClose: () => void; onChange: () => void }): JSX.Element {
  const [mode, setMode] = useState<(typeof MODES)[number]>('merge');
  const [report, setReport] = useState<ImportReportDto>();
  const [isNoJson, setIsNoJson] = useState(false);

  const run = async (entries: FormData): Promise<void> => {
    const file = entries.get('file') as File;
    const document = parsed(await file.text());
    setIsNoJson(document === undefined);
    if (document === undefined) return;
    const { data } = await api.agents.import({ query: { mode }, body: document });
    setReport(data);
    onChange();
  };

  return (
    <Dialog title={t('import_json')} onClose={onClose}>
      {report ? (
        <div role="status">
          <ul class="bare stack tight">
            {report.agents.map(({ name, result }) => (
              <li key={name} class="row">
                <Badge tone={TONES[result]}>{t(`import_${result}`)}</Badge>
                <UserText>{name}</UserText>
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <Form action={t('import')} isDangerous={mode === 'sync'} onSubmit={run}>
          <Field name="file" label={t('file')} hint={t('import_hint')}>
            {(wiring) => <input {...wiring} type="file" accept=".json,application/json" required />}
          </Field>
          <Select
            name="mode"
            label={t('import_mode')}
            hint={t(`mode_${mode}_hint`)}
            choices={choicesOf(MODES, (name) => t(`mode_${name}`))}
            value={mode}
            onChange={(value) => setMode(value as typeof mode)}
          />
          {isNoJson && (
            <p class="notice danger" role="alert">
              {t('no_json')}
            </p>
          )}
        </Form>
      )}
    </Dialog>
  );
}

function parsed(text: string): ImportAgentsDto | undefined {
  try {
    return JSON.parse(text) as ImportAgentsDto;
  } catch {
    return undefined;
  }
}
