import '../../styles/parts/feature.css';
import type { FeaturePageDto, PageTokenDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api } from '../../app/api';
import { FeaturePages } from '../../app/feature-pages';
import { language, texts } from '../../app/i18n/languages';
import { theme } from '../../app/theme';
import { attempt } from '../../app/toasts';
import { visit } from '../../app/visit';
import { Layout } from '../../components/page/layout';
import { Page, useTitle } from '../../components/page/page';

const shell = texts('shell');

/** The page of a feature, in a frame. */
export function FeaturePage(): JSX.Element {
  const [place] = useLocation();
  const page = visit()
    .part(FeaturePages)
    .list.value.find(({ path }) => place === `/pages/${path}`);
  return (
    <Layout>{page ? <Frame key={page.path} page={page} /> : <Page title={shell('no_such_page')}>{null}</Page>}</Layout>
  );
}

/**
 * The frame has no origin, so its scripts reach neither the console nor its session. Whenever the page sends `{type:
 * "ready"}`, it gets a new token, which opens only the routes of its feature. The policy of the console allows only
 * documents of this service in the frame, so no other one can receive the token.
 */
function Frame({ page: { path, title } }: { page: FeaturePageDto }): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null);
  const token = useRef<PageTokenDto>();
  const [darkSystem] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const tell = (): void => {
    if (!token.current) return;
    const isDark = theme.value === 'system' ? darkSystem.matches : theme.value === 'dark';
    const told = { type: 'console', theme: isDark ? 'dark' : 'light', language: language(), ...token.current };
    // A frame without an origin cannot be a `targetOrigin`.
    frame.current?.contentWindow?.postMessage(told, '*');
  };
  useTitle(title);
  useEffect(() => {
    let isAsking = false;
    const listen = async ({ source, origin, data }: MessageEvent<{ type?: unknown } | null>): Promise<void> => {
      const isFromFrame = source !== null && source === frame.current?.contentWindow && origin === 'null';
      if (!isFromFrame || data?.type !== 'ready' || isAsking) return;
      isAsking = true;
      if (await attempt(async () => (token.current = await api.pages.createToken({ body: { path } })))) tell();
      isAsking = false;
    };
    const onMessage = (event: MessageEvent<{ type?: unknown } | null>): void => void listen(event);
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, []);
  useEffect(tell, [theme.value, language()]);
  useEffect(() => {
    darkSystem.addEventListener('change', tell);
    return () => darkSystem.removeEventListener('change', tell);
  });
  return (
    <>
      <h1 class="visually-hidden">{title}</h1>
      <iframe
        ref={frame}
        class="feature-frame"
        title={title}
        src={`/api/v1/${path}`}
        sandbox="allow-scripts allow-forms"
        referrerpolicy="no-referrer"
      />
    </>
  );
}
