import type { ToolDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { GivenArguments } from '../../../components/acting/given-arguments';
import { useTools } from '../../../components/admin/tools';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Page } from '../../../components/page/page';
import { Empty, Show } from '../../../components/states';
import { ToolNumbers } from './tool-numbers';
import { ToolTrial } from './tool-trial';

const t = texts('tools');

/** What agents can be given, how it is used, and a trial of each. */
export function Tools(): JSX.Element {
  const loaded = useTools();
  const [tried, setTried] = useState<ToolDto>();
  return (
    <Page title={t('tools')}>
      <p class="soft">{t('tools_page_hint')}</p>
      <Show loaded={loaded}>
        {(tools) => (
          <>
            {tools.length === 0 && <Empty>{t('no_tools')}</Empty>}
            <ul class="bare stack">
              {tools.map((tool) => (
                <ToolCard key={tool.name} tool={tool} onTry={() => setTried(tool)} />
              ))}
            </ul>
          </>
        )}
      </Show>
      <ToolNumbers />
      {tried && <ToolTrial tool={tried} onClose={() => setTried(undefined)} />}
    </Page>
  );
}

function ToolCard({ tool, onTry }: { tool: ToolDto; onTry: () => void }): JSX.Element {
  const { name, source, description, input_schema, read_only, idempotent, outside } = tool;
  return (
    <li class="card stack tight">
      <div class="row spread">
        <div class="row">
          <h2>
            <code>{name}</code>
          </h2>
          <Badge>{t('from_module', { name: source })}</Badge>
          <Badge tone={read_only ? 'success' : 'warning'}>{t(read_only ? 'reads_only' : 'has_effects')}</Badge>
          {idempotent && <Badge>{t('idempotent')}</Badge>}
          {outside && <Badge tone="warning">{t('outside')}</Badge>}
        </div>
        <Button onClick={onTry} aria-label={t('try_title', { tool: name })}>
          {t('try')}
        </Button>
      </div>
      <p dir="auto">{description}</p>
      <details>
        <summary>{t('schema')}</summary>
        <GivenArguments value={input_schema} />
      </details>
    </li>
  );
}
