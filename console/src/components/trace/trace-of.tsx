import type { JSX } from 'preact';
import { loadTexts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { Show } from '../states';
import type { TraceView } from './trace-view';

type Trace = Parameters<typeof TraceView>[0]['trace'];

/** The trace of a reply. The view is loaded on demand, because few users open a trace. */
export function TraceOf({ id, load }: { id: number; load: () => Promise<Trace> }): JSX.Element {
  const loaded = useLoad(async () => {
    const [trace, { TraceView: View }] = await Promise.all([load(), import('./trace-view'), loadTexts('replies')]);
    return { trace, View };
  }, [id]);
  return <Show loaded={loaded}>{({ trace, View }) => <View trace={trace} />}</Show>;
}
