import type { KnowledgeResultDto, KnowledgeResultsDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { formatNumber } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Badge } from '../../components/badge';
import { Form, TextField, textOf } from '../../components/form/form';
import { PassageDialog } from '../../components/knowledge/passage-dialog';
import { Empty } from '../../components/states';
import { UserText } from '../../components/user-text';

const t = texts('knowledge');

/** Searches a collection, as agents do. */
export function SearchTrial({ id }: { id: number }): JSX.Element {
  const [found, setFound] = useState<KnowledgeResultsDto>();
  const [opened, setOpened] = useState<KnowledgeResultDto | null>(null);
  const search = async (entries: FormData): Promise<void> => {
    const body = { query: textOf(entries, 'query') };
    setFound((await api.knowledge.search({ path: { id }, body })).data);
  };
  return (
    <section class="stack">
      <p class="soft">{t('search_text')}</p>
      <Form action={t('search')} onSubmit={search}>
        <TextField name="query" label={t('search_words')} required maxLength={4_096} autoComplete="off" />
      </Form>
      <div role="status" class="stack">
        {found && (
          <p>
            {t('results', { count: found.results.length })} <Badge>{t(`mode_${found.mode}`)}</Badge>
          </p>
        )}
        {found?.results.length === 0 && (
          <Empty icon="search">
            <p>{t('no_results')}</p>
          </Empty>
        )}
      </div>
      <ol class="plain-list stack">
        {found?.results.map((result) => (
          <Result key={`${result.file_id} ${result.start}`} result={result} onOpen={() => setOpened(result)} />
        ))}
      </ol>
      {opened && (
        <PassageDialog
          passage={{
            storeId: opened.store_id,
            fileId: opened.file_id,
            filename: opened.filename,
            start: opened.start,
            end: opened.end,
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </section>
  );
}

function Result({ result, onOpen }: { result: KnowledgeResultDto; onOpen: () => void }): JSX.Element {
  const { filename, score, page, heading, text } = result;
  return (
    <li class="card stack tight">
      <div class="row spread">
        <button type="button" class="link" onClick={onOpen}>
          <UserText>{filename}</UserText>
          {page !== null && ` · ${t('page', { number: page })}`}
        </button>
        <span class="soft amount">{t('score', { score: formatNumber(score, { maximumFractionDigits: 2 }) })}</span>
      </div>
      {heading !== null && (
        <p class="soft">
          <bdi>{heading}</bdi>
        </p>
      )}
      <p class="excerpt" dir="auto">
        {text}
      </p>
    </li>
  );
}
