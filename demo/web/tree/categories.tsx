import { type DragEvent, type KeyboardEvent, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { isDataError } from 'repose';
import { useField, useList, useRecord, useStatus } from 'repose/react';
import type { TreeNode } from 'repose/tree';
import clientText from '../client/client.ts?raw';
import { useClient, useValue } from '../client/client-context.js';
import { sentenceOf } from '../client/sentences.js';
import { ShowCode } from '../code/show-code.js';
import { ConflictNotice } from '../conflict/conflict-dialog.js';
import type { Category } from '../models.js';
import text from './categories.tsx?raw';

/** The categories of the shop as a tree: loaded node by node, filtered, and moved by mouse or keyboard. */
export function Categories() {
  const { tree, wantedCategory } = useClient();
  const list = useList(tree);
  const { error, loading, loaded } = useStatus(tree);
  const [active, setActive] = useState<Category>();
  const [moving, setMoving] = useState<Category>();
  const [message, setMessage] = useState('');
  const search = useValue(wantedCategory);
  const [failure, setFailure] = useState<string>();
  const heading = useId();
  const help = useId();
  const box = useRef<HTMLDivElement>(null);
  const rows = list.slice();
  const current = active && rows.includes(active) ? active : rows[0];

  useEffect(() => {
    if (!tree.loaded && !tree.loading) tree.load().catch(() => undefined);
  }, [tree]);
  // A search that has failed, or was left in the middle, is repeated.
  useEffect(() => {
    if (wantedCategory.get() !== '') find(wantedCategory.get());
  }, []);

  /** Runs a request, and shows in a sentence why it has failed. */
  const run = async (action: () => Promise<unknown>) => {
    setFailure(undefined);
    try {
      await action();
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };

  // #region move
  /** Puts a category below another one, or at the top, and saves it. What the server refuses goes back to its place. */
  const move = (category: Category, parent: Category | null) =>
    run(async () => {
      setMoving(undefined);
      tree.move(category, parent);
      // The node tells why its children could not be loaded; the move is saved all the same.
      if (parent) await tree.expand(parent).catch(() => undefined);
      try {
        await category.save();
      } catch (error) {
        if (!isDataError(error)) throw error;
        if ('queued' in error && error.queued) {
          setMessage(`${category.name} is moved, and sent as soon as there is a network.`);
          return;
        }
        // A conflict is decided in the row, where the move stays.
        if (error.code !== 'conflict') category.reject();
        throw error;
      }
      setMessage(`${category.name} is now ${parent ? `below ${parent.name}` : 'at the top'}.`);
    });

  const filter = async (value: string) => {
    wantedCategory.set(value);
    if (value.trim() === '') return tree.clearFilter();
    // The filter of a lazy tree sees what is loaded, so that the rest is loaded first.
    await tree.loadAll();
    if (wantedCategory.get() === value) tree.filter({ property: 'name', operator: 'like', value: value.trim() });
  };
  const find = (value: string) => void run(() => filter(value));
  // #endregion

  const canMove = (category: Category | undefined, parent: Category | null): boolean =>
    category !== undefined &&
    category !== parent &&
    category.parentId !== (parent?.id ?? null) &&
    !isBelow(tree.nodeOf(parent as Category), category);

  const focusRow = (category: Category | undefined) => {
    if (!category) return;
    setActive(category);
    box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(category.$.key)}"]`)?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!current || (event.target as HTMLElement).tagName === 'INPUT') return;
    const node = tree.nodeOf(current);
    const at = rows.indexOf(current);
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focusRow(rows[at + 1]),
      ArrowUp: () => focusRow(rows[at - 1]),
      Home: () => focusRow(rows[0]),
      End: () => focusRow(rows.at(-1)),
      ArrowRight: () => {
        if (node?.leaf) return;
        if (node?.expanded) focusRow(node.children[0]?.record);
        else void run(() => tree.expand(current));
      },
      ArrowLeft: () => {
        if (node?.expanded) tree.collapse(current);
        else focusRow(node?.parent?.record);
      },
      m: () => {
        setMoving(current);
        setMessage(`Moving ${current.name}: choose a place with the arrows, then press Enter. Escape stops.`);
      },
      Enter: () => {
        if (canMove(moving, current)) void move(moving as Category, current);
      },
      0: () => {
        if (moving) void move(moving, null);
      },
      Escape: () => {
        setMoving(undefined);
        setMessage('');
      },
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };

  return (
    <div className="tree">
      <header className="part-top">
        <h3 id={heading}>Categories</h3>
        <ShowCode
          title="A tree that is loaded node by node"
          parts={[
            { file: 'tree/categories.tsx', text, region: 'move' },
            { file: 'client/client.ts', text: clientText, region: 'client' },
          ]}
        />
        <input
          type="search"
          aria-label="Find a category"
          placeholder="Find"
          value={search}
          onChange={(event) => find(event.target.value)}
        />
      </header>
      <p className="quiet tree-help" id={help}>
        Drag a category onto another one, or press M, choose a place and press Enter; 0 puts it at the top.
      </p>
      {(failure ?? (error && !loaded)) && (
        <p className="notice" role="alert">
          {failure ?? error?.userMessage}
          <button
            type="button"
            onClick={() =>
              void run(async () => {
                await (tree.loaded ? tree.retry() : tree.load());
                await filter(search);
              })
            }
          >
            Try again
          </button>
        </p>
      )}
      <p role="status" className="tree-message">
        {message}
      </p>
      <div
        ref={box}
        role="tree"
        aria-labelledby={heading}
        aria-describedby={help}
        aria-busy={loading}
        className="tree-rows"
        onKeyDown={onKeyDown}
      >
        {rows.map((category) => {
          const node = tree.nodeOf(category);
          return node ? (
            <Row
              key={category.$.key}
              node={node}
              isCurrent={category === current}
              isMoving={category === moving}
              canTake={canMove(moving, category)}
              onFocus={() => setActive(category)}
              onToggle={() => (node.expanded ? tree.collapse(category) : void run(() => tree.expand(category)))}
              onDragStart={() => setMoving(category)}
              onDragEnd={() => setMoving(undefined)}
              onDrop={() => {
                if (canMove(moving, category)) void move(moving as Category, category);
              }}
            />
          ) : null;
        })}
      </div>
      {moving && (
        <p
          className="tree-top-drop"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            if (canMove(moving, null)) void move(moving, null);
          }}
        >
          Drop here to put {moving.name} at the top
        </p>
      )}
      {rows.length === 0 && (
        <p className="empty">
          {loading || !loaded ? (error ? '' : 'Loading the categories') : 'No category has this name.'}
        </p>
      )}
    </div>
  );
}

/** Whether a node is the record, or below it. */
function isBelow(node: TreeNode<Category> | undefined, record: Category): boolean {
  for (let each = node; each; each = each.parent) if (each.record === record) return true;
  return false;
}

interface RowProps {
  readonly node: TreeNode<Category>;
  readonly isCurrent: boolean;
  readonly isMoving: boolean;
  readonly canTake: boolean;
  readonly onFocus: () => void;
  readonly onToggle: () => void;
  readonly onDragStart: () => void;
  readonly onDragEnd: () => void;
  readonly onDrop: () => void;
}

function Row({ node, isCurrent, isMoving, canTake, onFocus, onToggle, onDragStart, onDragEnd, onDrop }: RowProps) {
  const category = node.record;
  const { depth, expanded, leaf, loading, error } = useSyncExternalStore(node.state.subscribe, node.state.get);
  const name = useField(category, 'name');
  const { queued, conflict, saving } = useRecord(category);
  const [isOver, setOver] = useState(false);
  const drag = {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData('text/plain', String(category.id));
      event.dataTransfer.effectAllowed = 'move';
      onDragStart();
    },
    onDragEnd,
    onDragOver: (event: DragEvent) => {
      if (!canTake) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onDrop();
    },
  };
  return (
    <div
      role="treeitem"
      data-key={category.$.key}
      data-moving={isMoving}
      data-over={isOver && canTake}
      tabIndex={isCurrent ? 0 : -1}
      aria-level={depth + 1}
      aria-expanded={leaf ? undefined : expanded}
      aria-selected={isCurrent}
      aria-busy={loading || saving}
      style={{ paddingLeft: `${8 + depth * 20}px` }}
      onFocus={onFocus}
      {...drag}
    >
      <span className="tree-toggle" aria-hidden="true" onClick={leaf ? undefined : onToggle}>
        {leaf ? '' : expanded ? '▾' : '▸'}
      </span>
      <span className="tree-name">{name.value}</span>
      {loading && <span className="quiet">loading</span>}
      {queued && <span className="edited">Waits for the network</span>}
      {error && <em role="alert">{error.userMessage}</em>}
      {conflict && <ConflictNotice record={category} conflict={conflict} title={category.name} />}
    </div>
  );
}
