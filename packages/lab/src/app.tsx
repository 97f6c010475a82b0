import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { DropTarget } from './explore/drop-target.js';
import { Explore } from './explore/explore.js';
import { addressOf, route } from './route.js';
import { type Theme, theme } from './theme.js';
import './style/app.css';

/** The frame of the page: the header, and the screen that the address names. */
export function App() {
  const learning = route.value.path[0] === 'learn';
  return (
    <>
      <header class="app-header">
        <a class="brand" href={addressOf(['explore'])}>
          <svg viewBox="0 0 8 8" aria-hidden="true">
            <path d="M0 0h2v8H0zM3 4h2v4H3zM6 6h2v2H6z" />
          </svg>
          <span>scree lab</span>
        </a>
        <nav class="tabs" aria-label="Screens">
          <a href={addressOf(['explore'])} aria-current={learning ? undefined : 'page'}>
            Explore
          </a>
          <a href={addressOf(['learn'])} aria-current={learning ? 'page' : undefined}>
            Learn
          </a>
        </nav>
        <label class="push">
          <span class="visually-hidden">Theme</span>
          <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
            <option value="auto">Auto</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </header>
      <DropTarget />
      <main class="app-main">{learning ? <LazyLearn /> : <Explore />}</main>
    </>
  );
}

/** Learn is loaded on demand, so that Explore does not wait for it. */
function LazyLearn() {
  const screen = useSignal<ComponentType | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    import('./learn/learn.js').then(
      ({ Learn }) => (screen.value = Learn),
      (error: unknown) => (problem.value = `This part of the page could not be loaded: ${error}. Load the page again.`),
    );
  }, [screen, problem]);
  const Screen = screen.value;
  if (problem.value !== '')
    return (
      <p class="error" role="alert">
        {problem.value}
      </p>
    );
  return Screen ? <Screen /> : <p class="hint">Loading…</p>;
}
