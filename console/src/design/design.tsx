import './tokens.css';
import '../styles/base.css';
import '../styles/components.css';
import '../styles/form.css';
import '../styles/overlay.css';
import '../styles/layout.css';
import '../styles/admin.css';
import '../styles/parts/aside.css';
import '../styles/parts/figures.css';
import '../styles/parts/tabs.css';
import './design.css';
import '../app/theme';
import { type JSX, render } from 'preact';
import { Router } from 'wouter-preact';
import { loadTexts } from '../app/i18n/languages';
import { toast } from '../app/toasts';
import { OpenQuestion } from '../components/dialog';
import { Toasts } from '../components/toasts';
import { Buttons, Colours, Dialogs, Icons, Text } from './basics';
import { Entries } from './entries';
import { Lists, States } from './lists';

/**
 * Every component in every state, for developers: `/console/design` of `npm run console:dev`. It needs no service. Its
 * data never changes, and a test compares pictures of it.
 */
function Design(): JSX.Element {
  return (
    <>
      <main class="main">
        <div class="page">
          <h1>Design of the console</h1>
          <Text />
          <Colours />
          <Icons />
          <Buttons />
          <Entries />
          <Lists />
          <States />
          <Dialogs />
        </div>
      </main>
      <OpenQuestion />
      <Toasts />
    </>
  );
}

async function start(): Promise<void> {
  await loadTexts('shell', 'admin', 'table');
  toast('Budget created. It takes effect within five seconds.', { isFailure: true, undo: () => undefined });
  render(
    <Router base="/console">
      <Design />
    </Router>,
    document.body,
  );
}

void start();
