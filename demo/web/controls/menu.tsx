import { type ReactNode, useEffect, useId, useRef, useState } from 'react';

interface MenuProps {
  readonly label: ReactNode;
  /** The accessible name of what opens. */
  readonly title: string;
  readonly isMarked?: boolean;
  readonly children: ReactNode;
}

/** A button that opens a panel below it. Escape, and a click elsewhere, close the panel. */
export function Menu({ label, title, isMarked = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useId();
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [isOpen]);
  return (
    <div
      ref={root}
      className="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
      onBlur={(event) => {
        if (event.relatedTarget && !root.current?.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls={panel}
        data-marked={isMarked}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      <section id={panel} className="menu-panel" aria-label={title} hidden={!isOpen}>
        {children}
      </section>
    </div>
  );
}
