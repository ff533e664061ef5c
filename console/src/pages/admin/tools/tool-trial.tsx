import type { ToolDto, ToolTestResultDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatDuration } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { GivenArguments } from '../../../components/acting/given-arguments';
import { objectOf } from '../../../components/acting/json-object';
import { Dialog } from '../../../components/dialog';
import { Checkbox, Form, TextArea } from '../../../components/form/form';

const t = texts('manage');

/** Validates arguments, and calls a tool if it is read-only. */
export function ToolTrial({ tool, onClose }: { tool: ToolDto; onClose: () => void }): JSX.Element {
  const [isDry, setIsDry] = useState(true);
  const [result, setResult] = useState<ToolTestResultDto>();
  const { name, read_only } = tool;
  const test = async (entries: FormData): Promise<void> => {
    setResult(undefined);
    const body = { arguments: objectOf(entries, 'arguments'), dry: isDry || !read_only };
    setResult((await api.admin.tools.test({ path: { name }, body })).data);
  };
  return (
    <Dialog title={t('tool_try_title', { tool: name })} onClose={onClose}>
      <Form action={t(isDry || !read_only ? 'tool_run_check' : 'tool_run_call')} onSubmit={test}>
        <TextArea
          name="arguments"
          label={t('tool_arguments')}
          dir="ltr"
          rows={5}
          spellcheck={false}
          required
          defaultValue={exampleOf(tool)}
        />
        {read_only ? (
          <Checkbox name="dry" label={t('tool_dry')} checked={isDry} onChange={setIsDry} />
        ) : (
          <p class="soft">{t('tool_dry_only')}</p>
        )}
      </Form>
      {result && (
        <div class="stack" role="status">
          {result.content === null ? (
            <p class="notice success">{t('tool_is_valid')}</p>
          ) : (
            <pre class={`notice written ${result.is_error ? 'danger' : 'success'}`} dir="auto">
              {result.content}
            </pre>
          )}
          <GivenArguments value={result.arguments} />
          {result.duration_ms !== null && (
            <p class="soft">
              {t('tool_took')}: {formatDuration(result.duration_ms)}
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** Example arguments: all required properties with empty values. */
function exampleOf({ input_schema }: ToolDto): string {
  const { properties, required } = input_schema as { properties?: object; required?: string[] };
  const names = required ?? Object.keys(properties ?? {});
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, ''])), null, 2);
}
