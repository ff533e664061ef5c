import type { KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Dialog } from '../../../components/dialog';
import { Checkbox, CheckboxGroup, Form } from '../../../components/form/form';
import { Empty, Show } from '../../../components/states';

const t = texts('knowledge');
const shell = texts('shell');

export interface KnowledgeDialogProps {
  /** Ids of collections. */
  chosen: readonly number[];
  onChoose: (ids: number[]) => Promise<void>;
  onClose: () => void;
}

/** The collections that the user may read, of which some are searched in a conversation. */
export function KnowledgeDialog({ chosen, onChoose, onClose }: KnowledgeDialogProps): JSX.Element {
  const loaded = useLoad(async () => {
    const found: KnowledgeDto[] = [];
    for await (const collection of api.knowledge.list({ query: { size: 100 } })) found.push(collection);
    return found;
  }, []);
  const save = async (entries: FormData): Promise<void> => {
    await onChoose(entries.getAll('knowledge').map(Number));
    onClose();
  };
  return (
    <Dialog title={t('choose_title')} onClose={onClose}>
      <Show loaded={loaded}>
        {(collections) =>
          collections.length === 0 ? (
            <Empty>
              <p>{t('no_collections')}</p>
              <Link href="/knowledge" class="button">
                {t('knowledge')}
              </Link>
            </Empty>
          ) : (
            <Form action={shell('save')} onSubmit={save}>
              <CheckboxGroup name="knowledge" label={t('collections')} hint={t('choose_hint')}>
                {collections.map(({ id, name }) => (
                  <Checkbox key={id} name="knowledge" value={String(id)} label={name} checked={chosen.includes(id)} />
                ))}
              </CheckboxGroup>
            </Form>
          )
        }
      </Show>
    </Dialog>
  );
}
