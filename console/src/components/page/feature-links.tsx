import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { FeaturePages } from '../../app/feature-pages';
import { language } from '../../app/i18n/languages';
import { visit } from '../../app/visit';
import { Icon, iconNamed } from '../icon';

/** Links to the pages of features. */
export function FeatureLinks({ path }: { path: string }): JSX.Element {
  const pages = visit().part(FeaturePages);
  const shown = language();
  useEffect(() => void pages.load(), [pages, shown]);
  return (
    <>
      {pages.list.value.map((page) => (
        <Link
          key={page.path}
          href={`/pages/${page.path}`}
          class="button quiet"
          aria-current={path === `/pages/${page.path}` ? 'page' : undefined}
        >
          <Icon name={iconNamed(page.icon)} />
          {page.title}
        </Link>
      ))}
    </>
  );
}
