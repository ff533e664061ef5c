import '../../../styles/parts/tiles.css';
import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { type KnownProvider, knownProviders } from '../../../components/admin/known-providers';

const t = texts('manage');

/** A tile for each known provider, and one for all others. */
export function ProviderTiles({ onChoose }: { onChoose: (provider: KnownProvider | 'other') => void }): JSX.Element {
  return (
    <ul class="tiles">
      {knownProviders().map((provider) => (
        <li key={provider.id}>
          <button type="button" class="tile" onClick={() => onChoose(provider)}>
            <strong>{provider.label}</strong>
            <span>{provider.isLocal ? t('provider_here') : t('provider_with_key')}</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" class="tile" onClick={() => onChoose('other')}>
          <strong>{t('provider_any')}</strong>
          <span>{t('provider_any_hint')}</span>
        </button>
      </li>
    </ul>
  );
}
