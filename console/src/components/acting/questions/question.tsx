import '../../../styles/parts/questions.css';
import type { ActionDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { attempt } from '../../../app/toasts';
import { Button } from '../../button';
import type { Wish } from '../wish';
import { connectWith } from './connecting';
import { QuestionForm } from './question-form';

const t = texts('questions');

interface QuestionProps {
  action: ActionDto;
  onDecide: (wish: Wish) => Promise<void>;
  /** Whether the user can answer. */
  isOpen: boolean;
}

/** A request of an MCP server to the user: answer a form, open an address, or sign in there. */
export function Question({ action, onDecide, isOpen }: QuestionProps): JSX.Element {
  const { kind, schema, url, host, message, server } = action;
  const [isBusy, setIsBusy] = useState(false);
  const decline = async (): Promise<void> => {
    setIsBusy(true);
    await attempt(() => onDecide({ decision: 'deny' }));
    setIsBusy(false);
  };
  const no = (
    <Button icon="close" busy={isBusy} onClick={() => void decline()}>
      {t('decline')}
    </Button>
  );
  if (kind === 'connect') return <Connect action={action} isOpen={isOpen} no={no} />;
  return (
    <>
      <p class="soft">{t('asked_by', { server: server ?? '', host: host ?? '' })}</p>
      {message && (
        <p class="written said" dir="auto">
          {message}
        </p>
      )}
      {isOpen && schema && <QuestionForm action={action} schema={schema} onDecide={onDecide} beside={no} />}
      {isOpen && url && <Address action={action} url={url} onDecide={onDecide} no={no} />}
      {isOpen && !schema && !url && <div class="row">{no}</div>}
    </>
  );
}

function Connect({ action, isOpen, no }: { action: ActionDto; isOpen: boolean; no: JSX.Element }): JSX.Element {
  const { server, host, scopes, tool, sign_in: signIn } = action;
  const isCompany = signIn === 'company';
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = async (): Promise<void> => {
    setIsLeaving(true);
    if (!(await connectWith(server ?? ''))) setIsLeaving(false);
  };
  return (
    <>
      <p>{t(isCompany ? 'connect_company_text' : 'connect_text', { tool, host: host ?? server ?? '' })}</p>
      {scopes && scopes.length > 0 && (
        <div class="stack tight">
          <p>{t('connect_scopes')}</p>
          <ul class="scopes">
            {scopes.map((scope) => (
              <li key={scope}>
                <code>{scope}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {isOpen && (
        <div class="row">
          <Button kind="primary" icon="forward" busy={isLeaving} onClick={() => void leave()}>
            {t(isCompany ? 'sign_in_again' : 'connect')}
          </Button>
          {no}
        </div>
      )}
    </>
  );
}

interface AddressProps {
  action: ActionDto;
  url: string;
  onDecide: (wish: Wish) => Promise<void>;
  no: JSX.Element;
}

/**
 * An address from a third-party server. It is shown in full, opens only on a click, and opens in a tab without access
 * to this one.
 */
function Address({ action, url, onDecide, no }: AddressProps): JSX.Element {
  const [isOpened, setIsOpened] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const place = URL.canParse(url) ? new URL(url) : null;
  if (place?.protocol !== 'https:') return <div class="row">{no}</div>;
  const done = async (): Promise<void> => {
    setIsBusy(true);
    await attempt(() => onDecide({ decision: 'approve', arguments_hash: action.arguments_hash }));
    setIsBusy(false);
  };
  return (
    <>
      <p>{t('address_text')}</p>
      <p class="asked-address" dir="ltr">
        <strong>{place.host}</strong>
        <br />
        <code>{place.href}</code>
      </p>
      <div class="row">
        <a
          class={`button ${isOpened ? '' : 'primary'}`}
          href={place.href}
          target="_blank"
          rel="noopener noreferrer"
          onClick={() => setIsOpened(true)}
        >
          {t('open_address', { host: place.host })}
        </a>
        <Button kind={isOpened ? 'primary' : 'plain'} icon="check" busy={isBusy} onClick={() => void done()}>
          {t('done')}
        </Button>
        {no}
      </div>
    </>
  );
}
