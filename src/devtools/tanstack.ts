import { type Inspector, type InspectorOptions, mountInspector } from './mount.js';
import type { Recorder } from './recorder.js';
import { asRecorder } from './recorder.js';
import type { InspectTarget } from './targets.js';

/** A plugin of TanStack Devtools, in the form that its packages for all frameworks take. */
export interface TanstackDevtoolsPlugin {
  readonly id: string;
  readonly name: string;
  /** The recorder that it shows. `recorder.dispose()` ends the recording for good. */
  readonly recorder: Recorder;
  /** Shows the panel in an element. Called again when the theme changes. */
  render(element: HTMLElement, theme: 'dark' | 'light' | { readonly theme: 'dark' | 'light' }): void;
  /** Takes the panel out of the page. The recording goes on, and is shown again by `render`. */
  destroy(): void;
}

/**
 * The inspector as a plugin of TanStack Devtools. It records from the moment when the plugin is made. Throws `DefinitionError` for wrong options and
 * targets.
 *
 * @example
 * ```ts
 * import { tanstackDevtoolsPlugin } from 'repose/devtools';
 *
 * const plugins = [tanstackDevtoolsPlugin(session)]; // <TanStackDevtools plugins={plugins} />
 * ```
 */
export function tanstackDevtoolsPlugin(
  targets: InspectTarget | readonly InspectTarget[] | Recorder,
  options: Omit<InspectorOptions, 'into' | 'open' | 'theme'> = {},
): TanstackDevtoolsPlugin {
  const { title = 'Repose', ...recorderOptions } = options;
  const { recorder } = asRecorder(targets, recorderOptions);
  let inspector: Inspector | undefined;
  const destroy = () => {
    inspector?.dispose();
    inspector = undefined;
  };
  return {
    id: 'repose',
    name: title,
    recorder,
    render(element, given) {
      destroy();
      const theme = typeof given === 'object' ? given.theme : given;
      inspector = mountInspector(recorder, { into: element, title, theme });
    },
    destroy,
  };
}
