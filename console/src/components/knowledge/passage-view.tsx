import '../../styles/parts/passage.css';
import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { Button } from '../button';
import { Empty, Show } from '../states';

const t = texts('knowledge');

/** UTF-16 units of text around a passage, and how many more each button shows. */
const AROUND = 1_500;
const MORE = 5_000;
/** Most UTF-16 units of one request. */
const MOST = 20_000;

/** A place in the text of a file. Without offsets, the text is shown from its start. */
export interface Passage {
  storeId: number;
  fileId: number;
  filename: string;
  start?: number | undefined;
  end?: number | undefined;
}

/** The text of a file around a passage, which is highlighted. */
export function PassageView({ passage }: { passage: Passage }): JSX.Element {
  const { storeId, fileId, start = 0, end = start } = passage;
  const [range, setRange] = useState({ from: Math.max(0, start - AROUND), to: end + (end > start ? AROUND : MORE) });
  const loaded = useLoad(async () => {
    const path = { id: storeId, file_id: fileId };
    return (await api.knowledge.readText({ path, query: { start: range.from, end: range.to } })).data;
  }, [range]);
  if (isApiError(loaded.error) && loaded.error.status === 404) return <MissingPassage />;
  return (
    <Show loaded={loaded}>
      {(shown) => {
        const [from, to] = [Math.max(start, shown.start) - shown.start, Math.max(end, shown.start) - shown.start];
        const page = shown.pages.findLast((place) => place.start <= Math.max(start, shown.start))?.page;
        return (
          <div class="stack tight">
            {page !== undefined && <p class="soft">{t('page', { number: page })}</p>}
            {shown.start > 0 && (
              <Button onClick={() => setRange(earlier(shown.start, shown.end))}>{t('text_before')}</Button>
            )}
            <p class="passage" dir="auto">
              {shown.text.slice(0, from)}
              {to > from && <mark ref={reveal}>{shown.text.slice(from, to)}</mark>}
              {shown.text.slice(to)}
            </p>
            {shown.end < shown.length && (
              <Button onClick={() => setRange(later(shown.start, shown.end))}>{t('text_after')}</Button>
            )}
          </div>
        );
      }}
    </Show>
  );
}

function reveal(mark: HTMLElement | null): void {
  mark?.scrollIntoView({ block: 'center' });
}

/** Explains why a passage cannot be shown. */
export function MissingPassage(): JSX.Element {
  return (
    <Empty icon="file">
      <p>{t('passage_missing')}</p>
    </Empty>
  );
}

/** A window that moves on when it has its full length. */
function earlier(start: number, end: number): { from: number; to: number } {
  const from = Math.max(0, start - MORE);
  return { from, to: Math.min(end, from + MOST) };
}

function later(start: number, end: number): { from: number; to: number } {
  const to = end + MORE;
  return { from: Math.max(start, to - MOST), to };
}
