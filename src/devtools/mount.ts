import { checkOptions } from '../dev/checks.js';
import { devtoolsMessages } from '../dev/texts.js';
import { DefinitionError } from '../errors/mistakes.js';
import { flag, oneOf, type Rule, text } from '../errors/option-rules.js';
import { isObject } from '../util/data-path.js';
import { Panel } from './panel/panel.js';
import { asRecorder, RECORDER_RULES, type Recorder, type RecorderOptions } from './recorder.js';
import type { InspectTarget } from './targets.js';

/** Options of {@link mountInspector}. */
export interface InspectorOptions extends RecorderOptions {
  /** The element that the panel fills. @default none: the panel is docked at the lower edge of the page, behind a button */
  into?: Element | undefined;
  /** The name on the panel and its button. @default 'Repose' */
  title?: string | undefined;
  /** Whether a docked panel is open at first. @default false */
  open?: boolean | undefined;
  /** Its colours. @default those of the page (`color-scheme`), or else those of the system */
  theme?: 'light' | 'dark' | undefined;
}

/** An inspector in a page. */
export interface Inspector {
  /** The recorder whose operations it shows. */
  readonly recorder: Recorder;
  /** The element of the panel, in the page. */
  readonly element: HTMLElement;
  /** Takes the panel out of the page. A recorder that the inspector has made ends with it. */
  dispose(): void;
}

const INSPECTOR_RULES: Readonly<Record<keyof InspectorOptions, Rule>> = {
  ...RECORDER_RULES,
  into: { expected: 'an element of the page', holds: (value) => isObject(value) && 'attachShadow' in value },
  title: text,
  open: flag,
  theme: oneOf('light', 'dark'),
};

/**
 * Shows in a page what happens between the application and its servers: the operations on a time line, the stores, and the outbox. The panel lives in
 * a shadow root: styles of the page do not reach it, nor its own the page. It needs no markup and no inline script or style, so that a strict
 * content security policy holds. Give it a session, or a recorder that is running already. Throws `DefinitionError` for wrong options and
 * targets, and where there is no page.
 *
 * @example
 * ```ts
 * import { mountInspector } from 'repose/devtools';
 *
 * const inspector = mountInspector(session);
 * inspector.dispose();
 * ```
 */
export function mountInspector(
  targets: InspectTarget | readonly InspectTarget[] | Recorder,
  options: InspectorOptions = {},
): Inspector {
  checkOptions('mountInspector', options, INSPECTOR_RULES);
  if (typeof document === 'undefined') throw new DefinitionError('inspect-no-page', {}, { messages: devtoolsMessages });
  const { into, title = 'Repose', open = false, theme, ...recorderOptions } = options;
  const { recorder, isOwn } = asRecorder(targets, recorderOptions);
  try {
    // A script in the head of a page runs before there is a body.
    const place = into ?? document.body ?? document.documentElement;
    const pageScheme = getComputedStyle(place).colorScheme;
    const scheme = theme ?? (!pageScheme || pageScheme === 'normal' ? 'both' : 'page');
    const panel = new Panel(recorder, { title, isDocked: into === undefined, isOpen: open, scheme });
    panel.show(place);
    return {
      recorder,
      element: panel.host,
      dispose() {
        panel.dispose();
        if (isOwn) recorder.dispose();
      },
    };
  } catch (error) {
    if (isOwn) recorder.dispose();
    throw error;
  }
}
