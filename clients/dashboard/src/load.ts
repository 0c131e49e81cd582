import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Cancelled, sessionEnded } from './api.ts';
import { goBack } from './router.ts';
import { epoch } from './session.ts';

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  pending: boolean;
  reload: () => Promise<void>;
  set: (data: T) => void;
}

/** Loads when its key changes and when a new session begins. Loaded data stays on the page during a reload. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown; pending: boolean }>({
    key,
    pending: true,
  });
  const latest = useRef(load);
  latest.current = load;
  const running = useRef<AbortController | undefined>(undefined);
  const run = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState(before => (before.key === key ? { ...before, pending: true } : { key, pending: true }));
    try {
      const data = await latest.current(controller.signal);
      if (!controller.signal.aborted) setState({ key, data, pending: false });
    } catch (error) {
      if (controller.signal.aborted) return;
      // Without the confirmation there is nothing to show here.
      if (error instanceof Cancelled) return goBack();
      // The log-in opens over the page, which keeps its content.
      setState(before => ({ ...before, key, pending: false, ...(sessionEnded.value ? {} : { error }) }));
    }
  }, [key]);
  const current = epoch.value;
  useEffect(() => {
    void run();
    return () => running.current?.abort();
  }, [run, current]);
  const own = state.key === key;
  return {
    data: own ? state.data : undefined,
    error: own ? state.error : undefined,
    pending: !own || state.pending,
    reload: run,
    set: data => setState({ key, data, pending: false }),
  };
}

/**
 * Loads an answer in pages, one after another, and returns what has arrived so far. After `atOnce` pages it waits for
 * `more`. If a page fails, `reload` continues with it. Otherwise `reload` begins again, and the earlier pages stay until
 * the new ones are complete.
 */
export function usePages<Page extends { next?: string | undefined }>(
  key: string,
  load: (after: string | undefined, signal: AbortSignal) => Promise<Page>,
  atOnce: number,
) {
  const [arrived, setArrived] = useState<{ key: string; pages: readonly Page[] }>();
  const begun = useRef<typeof arrived>(undefined);
  const show = (pages: readonly Page[]) => {
    begun.current = { key, pages };
    setArrived(begun.current);
  };
  const enough = useRef(atOnce);
  const loaded = useLoad<readonly Page[]>(key, async signal => {
    let pages = begun.current?.key === key ? begun.current.pages : [];
    while (pages.length === 0 || (pages.length < enough.current && pages.at(-1)?.next !== undefined)) {
      pages = [...pages, await load(pages.at(-1)?.next, signal)];
      if (!signal.aborted) show(pages);
    }
    if (!signal.aborted) begun.current = undefined;
    return pages;
  });
  const data = loaded.data ?? (arrived?.key === key ? arrived.pages : undefined);
  enough.current = Math.max(atOnce, data?.length ?? 0);
  const shown = useRef(key);
  shown.current = key;
  const further = useAction(async () => {
    const pages = loaded.data ?? [];
    const page = await load(pages.at(-1)?.next, new AbortController().signal);
    if (shown.current === key) loaded.set([...pages, page]);
  });
  return {
    ...loaded,
    data,
    further: {
      ...further,
      /** Whether pages are left that are only loaded on request. */
      isLeft: loaded.data?.at(-1)?.next !== undefined,
    },
  };
}

/** A write that the user started, at most one at a time, with its error. */
export function useAction<Arguments extends unknown[]>(action: (...given: Arguments) => Promise<void>) {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const busy = useRef(false);
  const run = async (...given: Arguments): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setState({ busy: true });
    const hadFocus = document.activeElement !== document.body;
    try {
      await action(...given);
      setState({ busy: false });
    } catch (error) {
      setState({ busy: false, ...(error instanceof Cancelled ? {} : { error }) });
    } finally {
      busy.current = false;
      if (hadFocus) requestAnimationFrame(keepFocus);
    }
  };
  return { ...state, run, clear: () => setState({ busy: false }) };
}

/** A button that its own action removes takes the focus with it: people with a keyboard go on in the content. */
function keepFocus(): void {
  if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
}
