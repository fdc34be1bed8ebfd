import { useLayoutEffect } from 'react';
import type { Renders } from '../renders.js';
import '../renders.js';

/** Counts the renders of a component. An effect, because the React Compiler may call a function less often than it renders. */
export function useCounted(part: keyof Renders): void {
  useLayoutEffect(() => {
    window.renders[part] += 1;
  });
}
