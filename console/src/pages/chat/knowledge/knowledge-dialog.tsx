import type { FileDto, KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Dialog } from '../../../components/dialog';
import { Checkbox, CheckboxGroup, Form } from '../../../components/form/form';
import { Show } from '../../../components/states';
import type { Attachments } from '../state/attachments/attachments';
import { OwnFiles } from './own-files';

const t = texts('knowledge');
const shell = texts('shell');

export interface KnowledgeDialogProps {
  /** Ids of collections. */
  chosen: readonly number[];
  onChoose: (ids: number[]) => Promise<void>;
  /** Of the message that is being written. */
  attachments: Pick<Attachments, 'addStored'>;
  onClose: () => void;
}

/** What a conversation may use: collections that the user can read, and the user's files. */
export function KnowledgeDialog({ chosen, onChoose, attachments, onClose }: KnowledgeDialogProps): JSX.Element {
  const attach = (file: FileDto): void => {
    attachments.addStored(file);
    onClose();
  };
  const choose = async (entries: FormData): Promise<void> => {
    await onChoose(entries.getAll('knowledge').map(Number));
    onClose();
  };
  return (
    <Dialog title={t('knowledge')} onClose={onClose}>
      <OwnFiles onAttach={attach} />
      <Choice chosen={chosen} onChoose={choose} />
    </Dialog>
  );
}

interface ChoiceProps {
  chosen: readonly number[];
  onChoose: (entries: FormData) => Promise<void>;
}

function Choice({ chosen, onChoose }: ChoiceProps): JSX.Element {
  const loaded = useLoad(readCollections, []);
  return (
    <Show loaded={loaded}>
      {(collections) =>
        collections.length === 0 ? (
          <p>
            {t('no_collections')} <Link href="/knowledge">{t('new_collection')}</Link>
          </p>
        ) : (
          <Form action={shell('save')} onSubmit={onChoose}>
            <CheckboxGroup name="knowledge" label={t('collections')} hint={t('choose_hint')}>
              {collections.map(({ id, name }) => (
                <Checkbox key={id} name="knowledge" value={String(id)} label={name} checked={chosen.includes(id)} />
              ))}
            </CheckboxGroup>
          </Form>
        )
      }
    </Show>
  );
}

async function readCollections(): Promise<KnowledgeDto[]> {
  const found: KnowledgeDto[] = [];
  for await (const collection of api.knowledge.list({ query: { size: 100 } })) found.push(collection);
  return found;
}
