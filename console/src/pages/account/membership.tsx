import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { readUser } from '../../app/session';
import { attempt, toast } from '../../app/toasts';
import { user } from '../../app/visit';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { confirm } from '../../components/dialog';

const t = texts('account');

/** The plan, and the upgrade by a month or a year. */
export function Membership({ onChange }: { onChange: () => void }): JSX.Element | null {
  /** Why the user cannot upgrade here: upgrades need a payment elsewhere or an administrator. */
  const [refusal, setRefusal] = useState<string>();
  if (!user.value) return null;
  const { membership_type: plan, membership_expires_at: expires } = user.value;

  const upgrade = async (planId: 'monthly' | 'yearly'): Promise<void> => {
    const title = t(`upgrade_${planId}`);
    if (!(await confirm({ title, text: t(`upgrade_${planId}_text`), action: title }))) return;
    await attempt(async () => {
      try {
        toast((await api.account.upgrade({ body: { plan_id: planId } })).message);
      } catch (error) {
        if (!isApiError(error, 'PAYMENT_REQUIRED', 'FORBIDDEN')) throw error;
        setRefusal(error.code === 'PAYMENT_REQUIRED' ? t('upgrade_by_payment') : t('upgrade_by_administrator'));
        return;
      }
      await readUser();
      onChange();
    });
  };

  return (
    <section class="card stack">
      <h2>{t('membership')}</h2>
      <p class="row">
        <Badge tone={plan === 'free' ? '' : 'accent'}>{t(`plan_${plan}`)}</Badge>
        {expires && (
          <span>
            {new Date(expires) > new Date()
              ? t('plan_until', { time: formatTime(expires) })
              : t('plan_ended', { time: formatTime(expires) })}
          </span>
        )}
      </p>
      {refusal ? (
        <p class="notice" role="status">
          {refusal}
        </p>
      ) : (
        <div class="row">
          <Button onClick={() => void upgrade('monthly')}>{t('upgrade_monthly')}</Button>
          <Button onClick={() => void upgrade('yearly')}>{t('upgrade_yearly')}</Button>
        </div>
      )}
    </section>
  );
}
