import type { ComponentChildren, JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { confirm } from '../../../components/dialog';
import { Icon } from '../../../components/icon';
import type { SafeLink } from './safe-link';

const t = texts('chat');

/** A model's link could leak text from the chat, so the user sees the address first. */
async function askBefore(event: MouseEvent, { href, place, carriesData }: SafeLink): Promise<void> {
  if (!carriesData) return;
  event.preventDefault();
  const isWanted = await confirm({ title: t('open_link', { place }), text: href, action: t('open') });
  if (isWanted) window.open(href, '_blank', 'noopener,noreferrer');
}

interface TextLinkProps {
  link: SafeLink;
  showsAddress: boolean;
  children: ComponentChildren;
}

export function TextLink({ link, showsAddress, children }: TextLinkProps): JSX.Element {
  return (
    <a
      href={link.href}
      title={link.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      onClick={(event) => void askBefore(event, link)}
      onAuxClick={(event) => void askBefore(event, link)}
    >
      {children}
      {!showsAddress && <bdi class="place"> ({link.place})</bdi>}
    </a>
  );
}

/** An image in a reply is shown as a link and not loaded. */
export function ImageLink({ link, alt }: { link: SafeLink; alt: string }): JSX.Element {
  return (
    <TextLink link={link} showsAddress={false}>
      <Icon name="image" /> {alt || t('image')}
    </TextLink>
  );
}
