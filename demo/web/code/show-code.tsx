import { useId, useRef, useState } from 'react';
import { regionOf } from './regions.js';

/** Lines of the running source: a file, imported with `?raw`, and the name of a region in it. */
export interface CodePart {
  readonly file: string;
  readonly text: string;
  /** The name of the region; without it, the whole file is shown. */
  readonly region?: string;
}

/** A button that shows the lines of the source that make a feature: the files that run, not copies of them. */
export function ShowCode({ title, parts }: { readonly title: string; readonly parts: readonly CodePart[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const heading = useId();
  return (
    <>
      <button
        type="button"
        className="show-code"
        aria-label={`Show the code: ${title}`}
        title={`Show the code: ${title}`}
        onClick={() => {
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        {'</>'}
      </button>
      <dialog ref={dialog} className="code" aria-labelledby={heading} onClose={() => setOpen(false)}>
        <div className="code-top">
          <h3 id={heading}>{title}</h3>
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
        {(isOpen ? parts : []).map(({ file, text, region }) => (
          <figure key={`${file} ${region ?? ''}`}>
            <figcaption>demo/web/{file}</figcaption>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
            <pre tabIndex={0}>
              <code>{region === undefined ? text : regionOf(text, region)}</code>
            </pre>
          </figure>
        ))}
      </dialog>
    </>
  );
}
