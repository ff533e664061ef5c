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

const t = texts('manage');

/** All tools with their usage and a test of each. */
export function Tools(): JSX.Element {
  const loaded = useTools();
  const [tried, setTried] = useState<ToolDto>();
  return (
    <Page title={t('tool_tools')}>
      <p class="soft">{t('tool_tools_page_hint')}</p>
      <Show loaded={loaded}>
        {(tools) => (
          <>
            {tools.length === 0 && <Empty>{t('tool_no_tools')}</Empty>}
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
          <Badge>{t('tool_from_module', { name: source })}</Badge>
          <Badge tone={read_only ? 'success' : 'warning'}>
            {t(read_only ? 'tool_reads_only' : 'tool_has_effects')}
          </Badge>
          {idempotent && <Badge>{t('tool_idempotent')}</Badge>}
          {outside && <Badge tone="warning">{t('tool_outside')}</Badge>}
        </div>
        <Button onClick={onTry} aria-label={t('tool_try_title', { tool: name })}>
          {t('tool_try')}
        </Button>
      </div>
      <p dir="auto">{description}</p>
      <details>
        <summary>{t('tool_schema')}</summary>
        <GivenArguments value={input_schema} />
      </details>
    </li>
  );
}
