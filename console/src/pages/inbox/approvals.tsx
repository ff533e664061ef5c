import '../../styles/parts/acting.css';
import type { ApprovalDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { Button } from '../../components/button';
import { Page } from '../../components/page/page';
import { Empty, Show } from '../../components/states';
import { Time } from '../../components/time';

const t = texts('acting');

/** Tools with a remembered approval. */
export function Approvals(): JSX.Element {
  const loaded = useLoad(() => api.user.approvals.list({ query: { limit: 100 } }), []);
  const revoke = async ({ id, tool }: ApprovalDto): Promise<void> => {
    if (await attempt(() => api.user.approvals.remove({ path: { id } }))) toast(t('revoked', { tool }));
    loaded.reload();
  };
  return (
    <Page title={t('approvals')}>
      <p class="soft">{t('approvals_hint')}</p>
      <Show loaded={loaded}>
        {(approvals) =>
          approvals.length === 0 ? (
            <Empty icon="check">{t('approvals_empty')}</Empty>
          ) : (
            <ul class="approvals">
              {approvals.map((approval) => (
                <li key={approval.id} class="card row spread">
                  <div>
                    <code>{approval.tool}</code>
                    <p class="soft">
                      <Where approval={approval} /> · {t('since')} <Time at={approval.created_at} />
                    </p>
                  </div>
                  <Button onClick={() => void revoke(approval)} aria-label={`${t('revoke')}: ${approval.tool}`}>
                    {t('revoke')}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </Page>
  );
}

function Where({ approval: { chat_id } }: { approval: ApprovalDto }): JSX.Element {
  return chat_id === null ? <>{t('in_agent')}</> : <Link href={`/chat/${chat_id}`}>{t('in_chat')}</Link>;
}
