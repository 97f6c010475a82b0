import { effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'scree-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(system.matches);
system.addEventListener('change', () => {
  systemDark.value = system.matches;
});

export const theme = signal<Theme>(stored());

/** True if the page is dark now. Canvases do not follow the style sheet, so they are drawn again when this changes. */
export const isDark = (): boolean => (theme.value === 'auto' ? systemDark.value : theme.value === 'dark');

effect(() => {
  document.documentElement.style.colorScheme = theme.value === 'auto' ? 'light dark' : theme.value;
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // If storage is not allowed, the choice lasts until the page is closed.
  }
});

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}

/** The current value of a colour of the style sheet, for canvases. */
export function themeColour(name: `--${string}`): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  probe.hidden = true;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
