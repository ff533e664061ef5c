import type { AgentAdminDto, KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { useGroups } from '../../../components/admin/groups';
import { Checkbox, CheckboxGroup } from '../../../components/form/form';
import { Show } from '../../../components/states';

const t = texts('manage');

/** A collection, and who may read it besides its owner. */
interface Collection {
  id: number;
  name: string;
  everyone?: 'reader' | null;
  groups?: { group_id: number }[];
}

/** An agent with the collections that it searches. */
export type AgentWithKnowledge = AgentAdminDto & { knowledge?: number[]; knowledge_access?: Collection[] };

/** The collections that the agent searches, with the rights of its users. */
export function KnowledgeFields({ agent }: { agent: AgentWithKnowledge | undefined }): JSX.Element {
  const loaded = useLoad(readCollections, []);
  const chosen = agent?.knowledge ?? [];
  return (
    <section class="stack">
      <Show loaded={loaded}>
        {(collections) => {
          const others = (agent?.knowledge_access ?? []).filter(({ id }) => collections.every((one) => one.id !== id));
          const all = [...collections, ...others];
          return (
            <CheckboxGroup name="knowledge" label={t('agent_knowledge')} hint={t('agent_knowledge_hint')}>
              <input type="hidden" name="knowledge_shown" />
              <div class="choices">
                {all.map((collection) => (
                  <div key={collection.id} class="tool-choice">
                    <Checkbox
                      name="knowledge"
                      value={String(collection.id)}
                      label={collection.name}
                      checked={chosen.includes(collection.id)}
                    />
                    <Readers collection={collection} />
                  </div>
                ))}
              </div>
              {all.length === 0 && <p>{t('agent_no_knowledge')}</p>}
            </CheckboxGroup>
          );
        }}
      </Show>
    </section>
  );
}

/** Whose replies use the collection. Other users get replies without it. */
function Readers({ collection: { everyone, groups = [] } }: { collection: Collection }): JSX.Element {
  const known = useGroups() ?? [];
  const names = groups.map(({ group_id: id }) => known.find((group) => group.id === id)?.name ?? `#${id}`);
  return (
    <p class="hint">
      {everyone
        ? t('knowledge_for_everyone')
        : names.length > 0
          ? t('knowledge_for_groups', { names: names.join(', ') })
          : t('knowledge_for_owner')}
    </p>
  );
}

async function readCollections(): Promise<Collection[]> {
  const collections: KnowledgeDto[] = [];
  for await (const collection of api.admin.knowledge.list({ query: { size: 100 } })) collections.push(collection);
  return collections.map(({ id, name, access }) => ({ id, name, ...access }));
}
