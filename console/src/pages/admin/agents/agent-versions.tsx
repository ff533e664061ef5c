import type { AgentAdminDto, AgentVersionDto } from 'chat-service-client';
import { diffLines } from 'diff';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Changes } from '../../../components/admin/changes';
import { UserLink } from '../../../components/admin/links';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Show } from '../../../components/states';
import { Time } from '../../../components/time';

const t = texts('manage');

/** The versions of an agent, with the differences between them. */
export function AgentVersions({ agent, onChange }: { agent: AgentAdminDto; onChange: () => void }): JSX.Element {
  const path = { id: agent.id };
  const loaded = useLoad(
    async () => (await api.agents.listVersions({ path, query: { size: 100 } })).data.items,
    [agent.id, agent.version],
  );
  const restore = async (version: number): Promise<void> => {
    const question = { title: t('restore_title', { version }), text: t('restore_version_hint'), action: t('restore') };
    if (!(await confirm(question))) return;
    const newest = loaded.data?.[0]?.version;
    const goTo = (to: number): Promise<unknown> => api.agents.restoreVersion({ path: { ...path, version: to } });
    if (await attempt(() => goTo(version))) {
      toast(t('version_restored', { version }), {
        undo: newest === undefined ? undefined : () => void attempt(() => goTo(newest)).then(onChange),
      });
    }
    onChange();
  };
  return (
    <Show loaded={loaded}>
      {(versions) => (
        <ol class="bare stack">
          {versions.map((version, index) => (
            <li key={version.version} class="card stack tight">
              <div class="row spread">
                <div class="row">
                  <h2>{t('version_number', { version: version.version })}</h2>
                  {index === 0 && <Badge tone="success">{t('present')}</Badge>}
                  <span class="soft">
                    <Time at={version.created_at} />
                  </span>
                  {version.created_by !== null && <UserLink id={version.created_by} />}
                </div>
                {index > 0 && <Button onClick={() => void restore(version.version)}>{t('restore')}</Button>}
              </div>
              <Differences version={version} before={versions[index + 1]} />
            </li>
          ))}
        </ol>
      )}
    </Show>
  );
}

function Differences({
  version,
  before,
}: {
  version: AgentVersionDto;
  before: AgentVersionDto | undefined;
}): JSX.Element {
  if (!before) return <Prompt text={version.system_prompt} />;
  return (
    <>
      <Changes before={settingsOf(before)} after={settingsOf(version)} />
      {before.system_prompt === version.system_prompt ? (
        <Prompt text={version.system_prompt} />
      ) : (
        <Lines before={before.system_prompt} after={version.system_prompt} />
      )}
    </>
  );
}

function Prompt({ text }: { text: string }): JSX.Element {
  return (
    <details>
      <summary>{t('system_prompt')}</summary>
      <p class="written" dir="auto">
        {text}
      </p>
    </details>
  );
}

/** All settings except the prompt, with one entry for each parameter. */
function settingsOf({ model_params, ...version }: AgentVersionDto): Record<string, unknown> {
  const { system_prompt: _prompt, version: _number, created_by: _by, created_at: _at, ...settings } = version;
  return { ...settings, ...model_params };
}

function Lines({ before, after }: { before: string; after: string }): JSX.Element {
  return (
    <div class="lines" role="group" aria-label={t('system_prompt')} tabIndex={0}>
      {diffLines(`${before}\n`, `${after}\n`).map(({ value, added, removed }, index) => {
        const text = value.replace(/\n$/, '');
        if (added) return <ins key={index}>{text}</ins>;
        return removed ? <del key={index}>{text}</del> : <span key={index}>{text}</span>;
      })}
    </div>
  );
}
