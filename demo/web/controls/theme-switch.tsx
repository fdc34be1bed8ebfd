import { useEffect, useState } from 'react';

const KEY = 'shop-theme';
const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Chooses light or dark; `system` follows the settings of the computer. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(() => THEMES.find((each) => each === stored()) ?? 'system');
  useEffect(() => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that stores nothing follows the computer again after a reload.
    }
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    <label className="theme">
      <span className="visually-hidden">Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
        <option value="system">System colours</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
