import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';

const t = texts('chat');

export function Suggestions({
  questions,
  onChoose,
}: {
  questions: string[];
  onChoose: (question: string) => void;
}): JSX.Element | null {
  if (questions.length === 0) return null;
  return (
    <ul class="suggestions" aria-label={t('suggestions')}>
      {questions.map((question) => (
        <li key={question}>
          <button type="button" class="button" dir="auto" onClick={() => onChoose(question)}>
            {question}
          </button>
        </li>
      ))}
    </ul>
  );
}
